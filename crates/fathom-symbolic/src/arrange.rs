//! Things in a row, such that those which have to do with each other stand close together.
//!
//! A diagram has to remember, between two variables that depend on each other, what the first one was: the farther apart they are, and the more such pairs there are around a place, the more nodes there are. So
//! things are arranged with short distances between those that occur together: the force-directed placement of Aloul, Markov and Sakallah ("FORCE: A Fast and Easy-to-Implement
//! Variable-Ordering Heuristic", GLSVLSI 2003). Every net, a set of things that occur together, has its centre of gravity; every thing moves to the mean of the centres of its nets; this is repeated while it
//! helps. Unlike there, the arrangement at the start counts: it is that of the text, which somebody has chosen, and is left only for one that is shorter.

/// Rounds without a shorter arrangement before the best one is taken.
const PATIENCE: usize = 8;
/// Most rounds.
const MOST_ROUNDS: usize = 200;

/// By thing, of which there are so many: its place in an arrangement in which the members of each net stand close together.
pub(crate) fn arranged(n_things: usize, nets: &[Vec<usize>]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..n_things).collect();
    let mut best = (total_span(nets, &places), places.clone());
    let mut since = 0;
    for _ in 0..MOST_ROUNDS {
        places = moved(nets, &places);
        let span = total_span(nets, &places);
        if span < best.0 {
            best = (span, places.clone());
            since = 0;
        } else {
            since += 1;
            if since >= PATIENCE {
                break;
            }
        }
    }
    best.1
}

/// The distance between the first and the last member, of all nets together.
fn total_span(nets: &[Vec<usize>], places: &[usize]) -> usize {
    let span = |net: &Vec<usize>| {
        let members = || net.iter().map(|&thing| places[thing]);
        members().max().unwrap_or(0) - members().min().unwrap_or(0)
    };
    nets.iter().map(span).sum()
}

/// One round: every thing moves to the mean of the centres of its nets. Who is in no net stays.
fn moved(nets: &[Vec<usize>], places: &[usize]) -> Vec<usize> {
    let mut sums = vec![(0.0, 0.0); places.len()];
    for net in nets {
        let centre = net.iter().map(|&thing| places[thing] as f64).sum::<f64>() / net.len().max(1) as f64;
        for &thing in net {
            sums[thing].0 += centre;
            sums[thing].1 += 1.0;
        }
    }
    let wish = |thing: usize| match sums[thing] {
        (_, 0.0) => places[thing] as f64,
        (sum, n_nets) => sum / n_nets,
    };
    let mut row: Vec<usize> = (0..places.len()).collect();
    row.sort_by(|&one, &other| wish(one).total_cmp(&wish(other)).then(places[one].cmp(&places[other])));
    let mut moved = vec![0; places.len()];
    for (place, &thing) in row.iter().enumerate() {
        moved[thing] = place;
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::{arranged, total_span};

    #[test]
    fn who_has_nothing_to_do_with_others_stays() {
        assert_eq!(arranged(4, &[]), [0, 1, 2, 3]);
        assert_eq!(arranged(3, &[vec![1]]), [0, 1, 2]);
    }

    #[test]
    fn a_ring_of_processes_is_put_between_its_forks() {
        let n = 10;
        let nets: Vec<Vec<usize>> = (0..n).map(|i| vec![i, (i + 1) % n, n + i]).collect();
        let places = arranged(2 * n, &nets);
        let mut sorted = places.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..2 * n).collect::<Vec<_>>(), "a permutation");
        let before = total_span(&nets, &(0..2 * n).collect::<Vec<_>>());
        assert!(total_span(&nets, &places) * 2 < before, "{places:?}");
    }

    #[test]
    fn an_arrangement_that_cannot_be_shorter_is_kept() {
        let nets: Vec<Vec<usize>> = (0..9).map(|i| vec![i, i + 1]).collect();
        assert_eq!(arranged(10, &nets), (0..10).collect::<Vec<_>>());
    }
}
