//! Patterns and tables on small models in Promela.

use fathom_core::model::{NoRegion, Question};
use fathom_core::search::NoMonitor;
use fathom_core::{CheckOptions, check};

use crate::model_tests::{distances, model, successors};
use crate::{
    Heuristic, Kind, LocalRow, LocalTable, LocalTableHeuristic, Match, ModelHeuristic, Over,
    PatternHeuristic, PatternRow, PatternTable,
};

fn philosophers(n: usize) -> String {
    format!(
        "bit taken[{n}];
         active [{n}] proctype phil() {{ do
           :: atomic {{ !taken[_pid]; taken[_pid] = 1 }};
              atomic {{ !taken[(_pid + 1) % {n}]; taken[(_pid + 1) % {n}] = 1 }};
              eat: taken[_pid] = 0; taken[(_pid + 1) % {n}] = 0
         od }}"
    )
}

fn table(n: usize) -> PatternTable {
    let (model, _) = model(&philosophers(n), None);
    let deadlock = model.properties.iter().position(|property| property.name == "deadlock").unwrap();
    let options = CheckOptions { properties: vec![deadlock.into()], ..CheckOptions::default() };
    let report = check(&model, &options, &mut NoMonitor);
    let trace = report.verdicts[0].trace.clone().unwrap();
    PatternTable::of_trace(&model, &Question::Deadlock, &trace, &[]).unwrap()
}

#[test]
fn the_error_of_two_philosophers_guides_five() {
    let table = table(2);
    assert_eq!(table.rows.len(), 2);
    assert!(
        table.rows.iter().all(|row| row.template == "phil" && row.process.is_none() && row.from != row.to)
    );
    let (large, _) = model(&philosophers(5), None);
    let pattern = PatternHeuristic::new(&large, &table).unwrap();
    let deadlock = large.properties.iter().position(|property| property.name == "deadlock").unwrap();
    let all = distances(&large, deadlock.into());
    // From anywhere near the start, the moves that match lead to the deadlock.
    let (start, _) = all.iter().find(|(_, distance)| **distance == Some(5)).unwrap();
    let mut state = start.clone();
    for _ in 0..5 {
        let next = successors(&large, &state);
        let estimate = |next: &Vec<u8>| pattern.estimate_step(&state, next, &NoRegion);
        state = next.iter().min_by_key(|next| estimate(next)).unwrap().clone();
    }
    assert_eq!(all[&state], Some(0));
    assert_eq!(pattern.largest(), 5);
    assert_eq!(pattern.estimate(&state, &NoRegion), 5);
}

#[test]
fn the_last_row_is_nearest_and_variables_count() {
    let text = "byte x; active proctype p() { a: x = 1; b: x = 2; c: x = 3; d: skip }";
    let (model, _) = model(text, Some("x == 3"));
    let states = {
        let mut all = vec![crate::model_tests::initial(&model)];
        while let Some(next) = successors(&model, all.last().unwrap()).into_iter().next() {
            all.push(next);
        }
        all
    };
    let row = |from: u32, to: u32, x: i64| PatternRow {
        template: "p".to_owned(),
        process: None,
        from,
        to,
        variables: vec![("x".to_owned(), x)],
        text: String::new(),
    };
    let location = |state: &Vec<u8>| u32::from(state[state.len() - 1]);
    let (a, b, c) = (location(&states[0]), location(&states[1]), location(&states[2]));
    let rows = vec![row(a, b, 1), row(b, c, 2), row(b, c, 7)];
    let table = PatternTable { rows, matching: Match::First };
    let step = |table: &PatternTable, at: usize| {
        let pattern = PatternHeuristic::new(&model, table).unwrap();
        pattern.estimate_step(&states[at], &states[at + 1], &NoRegion)
    };
    assert_eq!([step(&table, 0), step(&table, 1)], [3, 2]);
    // Only the places match: farther than any full match.
    let wrong = PatternTable { rows: vec![row(a, b, 9)], ..table.clone() };
    assert_eq!(step(&wrong, 0), 2);
    assert_eq!(step(&wrong, 1), 3);
    let mut twice = table.clone();
    twice.rows.push(row(b, c, 2));
    assert_eq!(step(&twice, 1), 3);
    twice.matching = Match::Closest;
    assert_eq!(step(&twice, 1), 1);
    let unknown =
        PatternTable { rows: vec![PatternRow { template: "q".to_owned(), ..row(a, b, 1) }], ..table };
    assert_eq!(PatternHeuristic::new(&model, &unknown).unwrap_err().name, "q");
}

#[test]
fn a_local_table_is_the_control_distance_and_can_be_combined() {
    let text = "active [2] proctype p() { byte i; do :: i < 2 -> i++ :: i == 2 -> break od; cs: skip; skip }";
    let (model, property) = model(text, Some("p[0]@cs && p[1]@cs"));
    let table = ModelHeuristic::new(&model, &[property], Kind::Local).unwrap().to_local_table();
    assert_eq!((table.rows.len(), table.over), (1, Over::Sum));
    let all = distances(&model, property);
    let estimates = |over| {
        let table = LocalTable { over, ..table.clone() };
        let heuristic = LocalTableHeuristic::new(&model, &table).unwrap();
        all.keys().map(|state| heuristic.estimate(state, &NoRegion)).collect::<Vec<u32>>()
    };
    let (min, max, sum) = (estimates(Over::Min), estimates(Over::Max), estimates(Over::Sum));
    assert!(min.iter().zip(&max).zip(&sum).all(|((min, max), sum)| min <= max && max <= sum));
    assert!(min != max && max != sum);
    let goal = all.iter().position(|(_, distance)| *distance == Some(0)).unwrap();
    assert_eq!(sum[goal], 0);
    let row = LocalRow { template: "p".to_owned(), distances: vec![(99, 1)] };
    let bad = LocalTable { rows: vec![row], over: Over::Min };
    assert_eq!(LocalTableHeuristic::new(&model, &bad).unwrap_err().name, "99");
}
