//! Diagrams against truth tables: every function of three variables, and random terms over more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Diagram, Diagrams, NoRoom, Room, Variable};

/// A function of `n` variables as the list of its values.
type Table = Vec<bool>;

fn place(n: usize) -> (Diagrams, Vec<Variable>) {
    let diagrams = Diagrams::new(Room { nodes: 1 << 16 });
    let variables = (0..n).map(|_| diagrams.new_variable()).collect();
    (diagrams, variables)
}

fn diagram_of(diagrams: &Diagrams, variables: &[Variable], table: &Table) -> Diagram {
    let mut result = diagrams.constant(false);
    for (row, _) in table.iter().enumerate().filter(|(_, value)| **value) {
        let values: Vec<(Variable, bool)> = variables
            .iter()
            .enumerate()
            .map(|(place, &variable)| (variable, row >> place & 1 == 1))
            .collect();
        result = result.or(&diagrams.cube(&values).unwrap()).unwrap();
    }
    result
}

fn table_of(n: usize, diagram: &Diagram) -> Table {
    (0..1usize << n).map(|row| diagram.evaluate(|variable| row >> variable.0 & 1 == 1)).collect()
}

fn all_tables() -> Vec<Table> {
    (0..256u32).map(|bits| (0..8).map(|row| bits >> row & 1 == 1).collect()).collect()
}

#[test]
fn every_function_of_three_variables_is_one_diagram() {
    let (diagrams, variables) = place(3);
    let all: Vec<Diagram> =
        all_tables().iter().map(|table| diagram_of(&diagrams, &variables, table)).collect();
    for (table, diagram) in all_tables().iter().zip(&all) {
        assert_eq!(&table_of(3, diagram), table);
        let n_true = table.iter().filter(|value| **value).count();
        assert_eq!(diagram.count(3), n_true as f64);
        assert_eq!(
            diagram.not().unwrap(),
            diagram_of(&diagrams, &variables, &table.iter().map(|v| !v).collect())
        );
        let picked = diagram.pick(&variables);
        assert_eq!(picked.is_some(), n_true > 0);
        if let Some(values) = picked {
            assert!(diagram.evaluate(|variable| values[variable.0 as usize]));
        }
        let mut listed = vec![false; 8];
        assert!(diagram.for_each(&variables, &mut |values| {
            let row = (0..3).filter(|&place| values[place]).map(|place| 1 << place).sum::<usize>();
            assert!(!listed[row], "each assignment is shown once");
            listed[row] = true;
            true
        }));
        assert_eq!(&listed, table);
        let depends = |place: usize| (0..8usize).any(|row| table[row] != table[row ^ (1 << place)]);
        let support: Vec<Variable> =
            (0..3).filter(|&place| depends(place)).map(|place| Variable(place as u32)).collect();
        assert_eq!(diagram.support(), support);
    }
    let mut fingerprints: Vec<u64> = all.iter().map(Diagram::fingerprint).collect();
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), 256, "functions of three variables have numbers of their own");
}

#[test]
fn operators_on_two_functions_are_those_of_truth_tables() {
    let (diagrams, variables) = place(3);
    let tables = all_tables();
    let all: Vec<Diagram> = tables.iter().map(|table| diagram_of(&diagrams, &variables, table)).collect();
    for (left, one) in tables.iter().zip(&all) {
        for (right, other) in tables.iter().zip(&all).step_by(7) {
            let check = |result: Result<Diagram, NoRoom>, value: fn(bool, bool) -> bool| {
                let expected: Table = left.iter().zip(right).map(|(a, b)| value(*a, *b)).collect();
                assert_eq!(table_of(3, &result.unwrap()), expected);
            };
            check(one.and(other), |a, b| a && b);
            check(one.or(other), |a, b| a || b);
            check(one.xor(other), |a, b| a != b);
            check(one.equivalent(other), |a, b| a == b);
            check(one.minus(other), |a, b| a && !b);
            let includes = left.iter().zip(right).all(|(a, b)| *a || !*b);
            assert_eq!(one.includes(other), Ok(includes));
        }
    }
}

#[test]
fn quantification_and_substitution_are_those_of_truth_tables() {
    let (diagrams, variables) = place(3);
    let tables = all_tables();
    let all: Vec<Diagram> = tables.iter().map(|table| diagram_of(&diagrams, &variables, table)).collect();
    let sets: Vec<Vec<Variable>> =
        vec![vec![], vec![variables[1]], vec![variables[2], variables[0]], variables.clone()];
    for (number, (table, diagram)) in tables.iter().zip(&all).enumerate() {
        let (right, other) = (&tables[(number * 89 + 5) % 256], &all[(number * 89 + 5) % 256]);
        let (third, last) = (&tables[(number * 31 + 77) % 256], &all[(number * 31 + 77) % 256]);
        for set in &sets {
            let mask: usize = set.iter().map(|variable| 1 << variable.0).sum();
            let some = |both: &dyn Fn(usize) -> bool, row: usize| {
                (0..8usize).any(|other| (other & !mask) == (row & !mask) && both(other))
            };
            let quantified = diagrams.variables(set).unwrap();
            let exists: Table = (0..8).map(|row| some(&|other| table[other], row)).collect();
            assert_eq!(table_of(3, &diagram.exists(&quantified).unwrap()), exists);
            let product: Table = (0..8).map(|row| some(&|other| table[other] && right[other], row)).collect();
            assert_eq!(table_of(3, &diagram.and_exists(other, &quantified).unwrap()), product);
        }
        let chosen: Table = (0..8).map(|row| if table[row] { right[row] } else { third[row] }).collect();
        assert_eq!(table_of(3, &diagram.ite(other, last).unwrap()), chosen);
        // Variables 0 and 2 are replaced at once.
        let pairs = [(variables[0], other.clone()), (variables[2], last.clone())];
        let substituted = diagram
            .substitute(&diagrams.substitution(pairs.iter().map(|(variable, diagram)| (*variable, diagram))))
            .unwrap();
        let expected: Table = (0..8usize)
            .map(|row| table[usize::from(right[row]) | (row & 2) | usize::from(third[row]) << 2])
            .collect();
        assert_eq!(table_of(3, &substituted), expected);
    }
}

/// The function that the digest of the source works through: four nodes.
#[test]
fn a_small_function_has_the_nodes_of_the_textbook() {
    let (diagrams, v) = place(4);
    let [a, b, c, d] = [0, 1, 2, 3].map(|place| diagrams.variable(v[place]).unwrap());
    let function = a.and(&b).unwrap().or(&c.and(&d).unwrap().not().unwrap()).unwrap();
    assert_eq!(function.n_nodes(), 4);
    assert_eq!(function.count(4), 13.0);
    assert_eq!(diagrams.constant(true).n_nodes(), 0);
}

#[test]
fn random_terms_over_ten_variables_agree_with_their_tables() {
    let n = 10;
    let (diagrams, variables) = place(n);
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    let mut pool: Vec<(Table, Diagram)> = (0..n)
        .map(|place| {
            let table = (0..1usize << n).map(|row| row >> place & 1 == 1).collect();
            (table, diagrams.variable(variables[place]).unwrap())
        })
        .collect();
    for _ in 0..150 {
        let (one, other) = (random(pool.len()), random(pool.len()));
        let operator = random(3);
        let (left, right) = (&pool[one], &pool[other]);
        let value = |a: bool, b: bool| match operator {
            0 => a && !b,
            1 => a || b,
            _ => a != b,
        };
        let table: Table = left.0.iter().zip(&right.0).map(|(a, b)| value(*a, *b)).collect();
        let diagram = match operator {
            0 => left.1.minus(&right.1),
            1 => left.1.or(&right.1),
            _ => left.1.xor(&right.1),
        };
        let diagram = diagram.unwrap();
        assert_eq!(table_of(n, &diagram), table);
        assert_eq!(diagram.count(n as u32), table.iter().filter(|value| **value).count() as f64);
        pool.push((table, diagram));
    }
}

/// The middle bit of a product has exponentially many nodes in any order.
#[test]
fn an_operation_without_room_says_so_and_others_go_on() {
    let diagrams = Diagrams::new(Room { nodes: 2000 });
    let bits: Vec<Diagram> = (0..24).map(|_| diagrams.variable(diagrams.new_variable()).unwrap()).collect();
    assert!(!diagrams.was_full());
    let product = || -> Result<Diagram, NoRoom> {
        let mut sum: Vec<Diagram> = vec![diagrams.constant(false); 12];
        for shift in 0..12 {
            let mut carry = diagrams.constant(false);
            for place in shift..12 {
                let addend = bits[2 * (place - shift)].and(&bits[2 * shift + 1])?;
                let half = sum[place].xor(&addend)?;
                let next = sum[place].and(&addend)?.or(&half.and(&carry)?)?;
                sum[place] = half.xor(&carry)?;
                carry = next;
            }
        }
        Ok(sum[11].clone())
    };
    assert_eq!(product(), Err(NoRoom));
    assert!(diagrams.was_full());
    // What was left by the attempt is rubbish: there is room again.
    let few = bits[..10].iter().try_fold(diagrams.constant(true), |all, bit| all.and(bit)).unwrap();
    assert_eq!(few.count(10), 1.0);
}

#[test]
fn rubbish_is_collected_before_room_is_denied() {
    let diagrams = Diagrams::new(Room { nodes: 1 << 11 });
    let bits: Vec<Diagram> = (0..20).map(|_| diagrams.variable(diagrams.new_variable()).unwrap()).collect();
    for round in 0..2000usize {
        let chosen =
            bits.iter().enumerate().map(|(place, bit)| (bit, (round * 7919) >> (place % 13) & 1 == 1));
        let mut cube = diagrams.constant(true);
        for (bit, value) in chosen {
            cube = cube.and(&if value { bit.clone() } else { bit.not().unwrap() }).unwrap();
        }
        assert_eq!(cube.count(20), 1.0);
    }
    assert!(!diagrams.was_full());
}

#[test]
fn one_assignment_of_thousands_of_variables_is_counted() {
    let diagrams = Diagrams::new(Room::default());
    let variables: Vec<Variable> = (0..3_000).map(|_| diagrams.new_variable()).collect();
    let values: Vec<(Variable, bool)> = variables.iter().map(|&variable| (variable, false)).collect();
    let one = diagrams.cube(&values).expect("room");
    assert_eq!(one.count(3_000), 1.0);
    let other = diagrams.cube(&values[1..]).expect("room");
    assert_eq!(other.count(3_000), 2.0);
    assert_eq!(diagrams.constant(false).count(3_000), 0.0);
}

/// Every function and every care set of three variables.
#[test]
fn a_simplified_function_is_the_same_where_it_matters_and_depends_on_no_more() {
    let diagrams = Diagrams::new(Room { nodes: 1 << 16 });
    let variables: Vec<Variable> = (0..3).map(|_| diagrams.new_variable()).collect();
    let all: Vec<Diagram> = (0..256u32)
        .map(|table| {
            let mut function = diagrams.constant(false);
            for row in (0..8u32).filter(|row| table >> row & 1 == 1) {
                let values: Vec<(Variable, bool)> =
                    variables.iter().map(|&variable| (variable, row >> variable.0 & 1 == 1)).collect();
                function = function.or(&diagrams.cube(&values).unwrap()).unwrap();
            }
            function
        })
        .collect();
    let mut n_smaller = 0;
    for function in &all {
        for care in &all {
            let simple = function.simplified(care).unwrap();
            assert!(simple.xor(function).unwrap().and(care).unwrap().is_false());
            assert!(simple.support().iter().all(|variable| function.support().contains(variable)));
            n_smaller += usize::from(simple.n_nodes() < function.n_nodes());
        }
    }
    assert!(n_smaller > 10_000, "{n_smaller}");
}

#[test]
fn picks_at_random_are_uniform_and_the_same_for_the_same_numbers() {
    let diagrams = Diagrams::new(Room { nodes: 1 << 12 });
    let variables: Vec<Variable> = (0..5).map(|_| diagrams.new_variable()).collect();
    let value = |place: usize| diagrams.variable(variables[place]).unwrap();
    // Lopsided: 16 assignments on one side of the first variable and 3 on the other, one variable never asked.
    let lone = value(1).and(&value(2)).unwrap().or(&value(1).and(&value(3)).unwrap()).unwrap();
    let function = value(0).ite(&diagrams.constant(true), &lone).unwrap();
    let n_models = function.count(5);
    assert_eq!(n_models, 22.0);
    let draws = |seed: u64| {
        let mut word = seed;
        let mut uniform = move || {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (word >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..22_000 {
            let picked = function.pick_uniformly(&variables, &mut uniform).expect("it is true somewhere");
            *counts.entry(picked).or_insert(0_u32) += 1;
        }
        counts
    };
    let counts = draws(3);
    assert_eq!(counts.len(), 22, "every assignment comes up, and no other");
    let statistic: f64 = counts.values().map(|&count| (f64::from(count) - 1000.0).powi(2) / 1000.0).sum();
    // 21 degrees of freedom, one in a thousand.
    assert!(statistic < 46.8, "{statistic}");
    assert_eq!(counts, draws(3));
    assert_eq!(diagrams.constant(false).pick_uniformly(&variables, &mut || 0.0), None);
}

#[test]
fn an_allowance_ends_what_takes_more_and_nothing_else() {
    let diagrams = Diagrams::new(Room { nodes: 1 << 16 });
    let bits: Vec<Diagram> = (0..24).map(|_| diagrams.variable(diagrams.new_variable()).unwrap()).collect();
    // Twelve pairs, one half before the other: two to the power of twelve nodes.
    let equal = || {
        let mut all = diagrams.constant(true);
        for place in 0..12 {
            all = all.and(&bits[place].equivalent(&bits[place + 12])?)?;
        }
        Ok(all)
    };
    assert_eq!(diagrams.within_allowance(100, equal), Ok(None));
    assert!(!diagrams.was_full());
    let made = diagrams.within_allowance(1 << 15, equal).unwrap().expect("allowed");
    assert_eq!(made.count(24), 4096.0);
    assert_eq!(equal(), Ok(made), "the allowance is over");
}

#[test]
fn an_allowance_is_that_of_the_thread_and_the_place_that_it_was_given_to() {
    let diagrams = Diagrams::new(Room { nodes: 1 << 16 });
    let other = Diagrams::new(Room { nodes: 1 << 16 });
    let conjunction = |diagrams: &Diagrams| -> Result<Diagram, NoRoom> {
        let variables: Vec<(Variable, bool)> = (0..64).map(|_| (diagrams.new_variable(), true)).collect();
        diagrams.cube(&variables)
    };
    let made = diagrams.within_allowance(0, || {
        let beside = std::thread::scope(|scope| scope.spawn(|| conjunction(&diagrams)).join().unwrap());
        assert!(beside.is_ok(), "another thread goes on");
        assert!(conjunction(&other).is_ok(), "so does another place");
        conjunction(&diagrams)
    });
    assert_eq!(made, Ok(None));
    assert!(conjunction(&diagrams).is_ok(), "the allowance is over");
}

#[test]
fn operations_fail_once_the_flag_that_is_heeded_is_set() {
    let diagrams = Diagrams::new(Room { nodes: 1 << 10 });
    let alarm = Arc::new(AtomicBool::new(false));
    diagrams.heed(alarm.clone());
    let (a, b) = (diagrams.new_variable(), diagrams.new_variable());
    let (a, b) = (diagrams.variable(a).unwrap(), diagrams.variable(b).unwrap());
    assert!(a.and(&b).is_ok());
    assert!(!diagrams.was_stopped());
    alarm.store(true, Ordering::Relaxed);
    assert_eq!(a.xor(&b), Err(NoRoom));
    assert!(diagrams.was_stopped() && !diagrams.was_full());
    let last = Arc::new(AtomicBool::new(false));
    diagrams.heed_instead(last.clone());
    assert!(!diagrams.was_stopped() && a.xor(&b).is_ok());
    last.store(true, Ordering::Relaxed);
    assert_eq!(a.or(&b), Err(NoRoom));
    assert!(diagrams.was_stopped());
}
