//! Multiples of a number by known factors, with what they have in common.
//!
//! A multiple is made by adding and subtracting as few shifted copies as possible, from the lowest digit of the factor on: the
//! digits are -1, 0 and 1, no two neighbours of them other than 0 (Reitwiesner, "Binary Arithmetic", 1960). Explicit parts that
//! differ in a factor ask for many multiples of one number, and factors that agree in their low digits share the sum so far: with
//! the sums kept, the multiples by all factors of eight bits take one addition each, of the highest bits only.

use fathom_diagram::{Diagram, NoRoom};
use rustc_hash::FxHashMap;

use crate::number::{Arithmetic, Number, Sum, width};

/// Numbers whose multiples are kept.
const MOST_NUMBERS: usize = 16;
/// Sums of each of them, and nodes that their number has in all of them: sums keep diagrams alive, and are about as large as the number.
const MOST_SUMS: usize = 1 << 10;
const MOST_NODES: usize = 1 << 14;

/// Sums that were made on the way to multiples.
#[derive(Clone, Default, Debug)]
pub(crate) struct Multiples {
    numbers: Vec<SumsOf>,
    /// Which of the numbers makes room for the next one.
    oldest: usize,
}

/// The sums of one number, in so many bits, by the factor that their digits make up.
#[derive(Clone, Debug)]
struct SumsOf {
    number: Number,
    n_bits: usize,
    most: usize,
    sums: FxHashMap<i64, Number>,
}

impl SumsOf {
    fn new(number: &Number, n_bits: usize) -> SumsOf {
        let n_nodes = match number {
            Number::Known(_) => 0,
            Number::Bits(bits) => bits.iter().map(Diagram::n_nodes).sum(),
        };
        let most = MOST_SUMS.min(MOST_NODES / n_nodes.max(1));
        SumsOf { number: number.clone(), n_bits, most, sums: FxHashMap::default() }
    }
}

/// A digit of a factor that is not 0.
struct Digit {
    place: usize,
    is_negative: bool,
    /// The factor that this digit and those below make up.
    so_far: i64,
}

impl Multiples {
    fn of(&mut self, number: &Number, n_bits: usize) -> &mut SumsOf {
        let known = self.numbers.iter().position(|of| of.n_bits == n_bits && of.number == *number);
        let place = known.unwrap_or_else(|| {
            let sums = SumsOf::new(number, n_bits);
            if self.numbers.len() < MOST_NUMBERS {
                self.numbers.push(sums);
                return self.numbers.len() - 1;
            }
            let place = self.oldest;
            self.oldest = (place + 1) % MOST_NUMBERS;
            self.numbers[place] = sums;
            place
        });
        &mut self.numbers[place]
    }
}

/// The lowest digits of a factor, as many as matter for so many bits.
fn digits(factor: i64, n_bits: usize) -> Vec<Digit> {
    let mut digits = Vec::with_capacity(n_bits / 2 + 1);
    let (mut rest, mut so_far) = (factor, 0);
    for place in 0..n_bits {
        let digit = if rest & 1 == 0 { 0 } else { 2 - (rest & 3) };
        rest = (rest - digit) >> 1;
        if digit != 0 {
            so_far += digit << place;
            digits.push(Digit { place, is_negative: digit < 0, so_far });
        }
    }
    digits
}

impl Arithmetic {
    /// A multiple, of which nobody looks at more than so many low bits.
    pub fn multiple(
        &self,
        number: &Number,
        factor: i64,
        most: usize,
        kept: &mut Multiples,
    ) -> Result<Number, NoRoom> {
        let n_bits = most.min(width(number) + width(&Number::Known(factor)));
        let digits = digits(factor, n_bits);
        let SumsOf { most, sums, .. } = kept.of(number, n_bits);
        let known = digits.iter().rposition(|digit| sums.contains_key(&digit.so_far));
        let mut sum = known.map_or(Number::Known(0), |known| sums[&digits[known].so_far].clone());
        for digit in &digits[known.map_or(0, |known| known + 1)..] {
            sum = match (digit.is_negative, &sum) {
                // The first copy is there already.
                (false, Number::Known(0)) => self.shifted(number, digit.place, n_bits),
                (false, sum) => self.shifted_sum(sum, (number, digit.place), Sum::Sum, n_bits)?,
                (true, sum) => self.shifted_sum(sum, (number, digit.place), Sum::Difference, n_bits)?,
            };
            if sums.len() < *most {
                sums.insert(digit.so_far, sum.clone());
            }
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use fathom_diagram::{Diagrams, Room};

    use super::*;

    #[test]
    fn digits_make_up_their_factor_and_no_two_are_neighbours() {
        for factor in -300i64..300 {
            let digits = digits(factor, 16);
            assert_eq!(digits.last().map_or(0, |digit| digit.so_far), factor);
            assert!(digits.windows(2).all(|pair| pair[0].place + 1 < pair[1].place), "{factor}");
        }
    }

    /// Many multiples of several numbers with sums kept are those made alone, also when numbers make room for others.
    #[test]
    fn kept_sums_change_no_multiple() {
        let diagrams = Diagrams::new(Room { nodes: 1 << 20 });
        let arithmetic = Arithmetic::new(&diagrams);
        let bits: Vec<Diagram> =
            (0..8).map(|_| diagrams.variable(diagrams.new_variable()).unwrap()).collect();
        let mut kept = Multiples::default();
        for factor in -140..140 {
            for from in 0..6 {
                for n_bits in [3, 5, 9] {
                    let number = Number::Bits(bits[from..].to_vec());
                    let alone =
                        arithmetic.multiple(&number, factor, n_bits, &mut Multiples::default()).unwrap();
                    let multiple = arithmetic.multiple(&number, factor, n_bits, &mut kept).unwrap();
                    assert_eq!(multiple, alone, "{factor} times, {n_bits} bits");
                }
            }
        }
        assert_eq!(kept.numbers.len(), MOST_NUMBERS);
    }
}
