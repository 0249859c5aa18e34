//! From goal to goal: tests by one search after the other.
//!
//! Each search starts where the test at hand ends and looks for the nearest goal that no test has reached so far; whatever else is reached on
//! the way counts too. When nothing more can be reached from there, another test starts at an initial state; when nothing can be
//! reached from there either, and the search saw everything, the goals that are left are infeasible. A pruned search cannot say that, so a
//! complete one gets its turn before anything is given up.
//!
//! Against the source, which searches for all traps at once ([`all_at_once`](crate::all_at_once())): tests are longer than the shortest, but each search is small,
//! no matter how many goals there are, and every goal has an answer of its own.

use fathom_hunt::{Refine, Sizes};
use fathom_model::{Stop, System};
use fathom_search::{Monitor, Progress};

use crate::engine::{Guide, SearchLimits, Searched, TestEngine, search};
use crate::goal_set::GoalSet;
use crate::graph_tour::tour_of;
use crate::history::Tracker;
use crate::observed::{Followed, Observed, Target};

/// How to generate tests.
#[derive(Clone, Debug)]
pub struct GenerateOptions {
    /// How goals are looked for.
    pub engine: TestEngine,
    /// Which steps are tried first.
    pub guide: Guide,
    /// Few long tests or many short ones.
    pub shape: Shape,
    /// Most states of each search.
    pub max_states: Option<u64>,
    /// Most bytes of each search.
    pub max_bytes: Option<u64>,
    /// Most steps from where a search starts.
    pub max_depth: Option<u32>,
    /// For pruned searches: how tables grow.
    pub sizes: Sizes,
    /// The seed of pruned searches and of the order of steps that look alike.
    pub seed: u64,
    /// Threads of pruned searches.
    pub threads: usize,
}

impl Default for GenerateOptions {
    fn default() -> GenerateOptions {
        GenerateOptions {
            engine: TestEngine::BreadthFirst,
            guide: Guide::None,
            shape: Shape::Long,
            max_states: None,
            max_bytes: None,
            max_depth: None,
            sizes: SIZES,
            seed: 0,
            threads: 1,
        }
    }
}

/// Tables of pruned searches from 16 bytes to one megabyte, four at each magnitude.
pub const SIZES: Sizes =
    Sizes::Growing { first: 16, small_step: 1, per_magnitude: 4, threshold: 16, factor: 2.0, last: 1 << 20 };

/// What tests look like.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Shape {
    /// A test goes on as long as anything new can be reached.
    #[default]
    Long,
    /// A test ends where it reaches something new.
    Short,
    /// Tests take every step of every state, with as few steps as possible (see [`tour`](crate::tour())); then as long ones, if goals are left.
    Tour,
}

/// One test: a trace of the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// Index of the initial state.
    pub initial: u32,
    /// Index of the step taken in each state.
    pub choices: Vec<u32>,
    /// The goals that it is the first to reach, and after how many steps.
    pub reached: Vec<(usize, u32)>,
}

/// What is known of a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GoalAnswer {
    /// A test reaches it.
    Covered {
        /// The first test that does.
        test: usize,
        /// After how many steps.
        step: usize,
    },
    /// Nothing reaches it: everything was looked at.
    Infeasible,
    /// No test reaches it, and more is not known: why the last search for it ended.
    NotFound(Stop),
}

/// What generation did.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct TestStatistics {
    /// Number of searches.
    pub searches: u64,
    /// States stored by all of them.
    pub states: u64,
    /// Steps executed by all of them.
    pub transitions: u64,
    /// Bytes of the largest store.
    pub store_bytes: u64,
}

/// Tests, and what is known of each goal.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The tests.
    pub tests: Vec<Test>,
    /// The answer for each goal.
    pub answers: Vec<GoalAnswer>,
    /// What it cost.
    pub statistics: TestStatistics,
}

impl Generated {
    /// Number of steps of all tests.
    pub fn n_steps(&self) -> usize {
        self.tests.iter().map(|test| test.choices.len()).sum()
    }

    /// Number of goals that tests reach.
    pub fn n_covered(&self) -> usize {
        self.answers.iter().filter(|answer| matches!(answer, GoalAnswer::Covered { .. })).count()
    }
}

impl TestStatistics {
    /// Adds what other searches cost.
    pub fn add(&mut self, other: &TestStatistics) {
        self.searches += other.searches;
        self.states += other.states;
        self.transitions += other.transitions;
        self.store_bytes = self.store_bytes.max(other.store_bytes);
    }

    pub(crate) fn count(&mut self, searched: &Searched) {
        self.searches += 1;
        self.states += searched.statistics.states;
        self.transitions += searched.statistics.transitions;
        self.store_bytes = self.store_bytes.max(searched.statistics.store_bytes);
    }
}

/// Generates tests: see the module header.
pub fn generate<S: System<Scratch: 'static> + Sync>(
    system: &S,
    tracker: &Tracker<'_, S::Label>,
    options: &GenerateOptions,
    monitor: &mut dyn Monitor,
) -> Generated
where
    S::Region: Send + Sync + 'static,
    S::Label: 'static,
{
    let n_goals = tracker.goals().len();
    let mut generation = Generation {
        system,
        tracker,
        options,
        covered: GoalSet::empty(n_goals),
        place: None,
        generated: Generated {
            tests: Vec::new(),
            answers: vec![GoalAnswer::NotFound(Stop::Exhausted); n_goals],
            statistics: TestStatistics::default(),
        },
    };
    if options.shape == Shape::Tour
        && let Err(stop) = generation.go_round(monitor)
    {
        generation.give_up(stop);
        return generation.generated;
    }
    generation.run(monitor);
    generation.generated
}

/// Generation under way.
struct Generation<'a, S: System> {
    system: &'a S,
    tracker: &'a Tracker<'a, S::Label>,
    options: &'a GenerateOptions,
    covered: GoalSet,
    /// Where the test at hand ends; none when the next one starts at an initial state.
    place: Option<(Vec<u8>, S::Region, Vec<u16>)>,
    generated: Generated,
}

impl<S: System<Scratch: 'static> + Sync> Generation<'_, S>
where
    S::Region: Send + Sync + 'static,
    S::Label: 'static,
{
    fn run(&mut self, monitor: &mut dyn Monitor) {
        let n_goals = self.tracker.goals().len();
        while self.covered.len() < n_goals {
            let searched = self.look(self.options.engine, self.options.guide, monitor);
            if self.take(&searched) {
                continue;
            }
            if is_final(searched.stop) {
                return self.give_up(searched.stop);
            }
            if self.place.take().is_some() {
                continue;
            }
            if searched.stop == Stop::Exhausted && self.options.engine.is_complete() {
                return self.rule_out();
            }
            if self.options.engine == TestEngine::BreadthFirst {
                return self.give_up(searched.stop);
            }
            // A second opinion, from an engine that can prove something and that knows no detours.
            let searched = self.look(TestEngine::BreadthFirst, Guide::None, monitor);
            if self.take(&searched) {
                continue;
            }
            return match searched.stop {
                Stop::Exhausted => self.rule_out(),
                stop => self.give_up(stop),
            };
        }
    }

    /// Takes every step of every state.
    fn go_round(&mut self, monitor: &mut dyn Monitor) -> Result<(), Stop> {
        let traces = tour_of(self.system, self.options.max_states, monitor)?;
        self.generated.statistics.searches += 1;
        let n_goals = self.tracker.goals().len();
        let target = Target::Next(GoalSet::full(n_goals));
        let observed = Observed::new(self.system, self.tracker, target, Guide::None, 0);
        for trace in &traces {
            let followed = observed.follow(trace).expect("a tour can be followed");
            self.add(followed);
            self.place = None;
        }
        Ok(())
    }

    fn look(&mut self, engine: TestEngine, guide: Guide, monitor: &mut dyn Monitor) -> Searched {
        let target = Target::Next(self.covered.clone());
        let mut observed = Observed::new(self.system, self.tracker, target, guide, self.options.seed);
        if let Some((state, region, history)) = &self.place {
            observed = observed.starting_at(state.clone(), region.clone(), history.clone());
        }
        let limits = SearchLimits {
            max_states: self.options.max_states,
            max_bytes: self.options.max_bytes,
            max_depth: self.options.max_depth,
            seed: self.options.seed,
            threads: self.options.threads,
            sizes: self.options.sizes,
            refine: Refine::Never,
        };
        let mut searched =
            search(&observed, engine, &limits, &mut |progress: &Progress| monitor.poll(progress));
        self.generated.statistics.count(&searched);
        if let Some(trace) = searched.trace.take() {
            let followed = observed.follow(&trace).expect("a trace of a search can be followed");
            self.add(followed);
            searched.stop = Stop::Found;
        }
        searched
    }

    /// Whether a search found something; a short test ends there.
    fn take(&mut self, searched: &Searched) -> bool {
        if searched.stop == Stop::Found && self.options.shape == Shape::Short {
            self.place = None;
        }
        searched.stop == Stop::Found
    }

    fn add(&mut self, followed: Followed<S::Region>) {
        let tests = &mut self.generated.tests;
        if self.place.is_none() {
            tests.push(Test { initial: followed.initial, choices: Vec::new(), reached: Vec::new() });
        }
        let number = tests.len() - 1;
        let test = &mut tests[number];
        let before = test.choices.len();
        for (after, goal) in followed.reached {
            if self.covered.add(goal) {
                let step = before + after;
                test.reached.push((step, goal));
                self.generated.answers[goal as usize] = GoalAnswer::Covered { test: number, step };
            }
        }
        test.choices.extend(followed.choices);
        self.place = Some((followed.state, followed.region, followed.history));
    }

    fn rule_out(&mut self) {
        self.answer_missing(GoalAnswer::Infeasible);
    }

    fn give_up(&mut self, stop: Stop) {
        self.answer_missing(GoalAnswer::NotFound(stop));
    }

    fn answer_missing(&mut self, answer: GoalAnswer) {
        for (goal, place) in self.generated.answers.iter_mut().enumerate() {
            if !self.covered.has(goal as u32) {
                *place = answer;
            }
        }
    }
}

/// Whether nothing more may be done, whatever is left.
pub(crate) fn is_final(stop: Stop) -> bool {
    matches!(stop, Stop::Time | Stop::Cancelled)
}
