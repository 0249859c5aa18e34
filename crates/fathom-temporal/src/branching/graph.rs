//! Sets of states, and the graph with its steps in both directions.

/// A set of numbers below a bound, one bit each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateSet {
    words: Vec<u64>,
    n_states: usize,
}

impl StateSet {
    /// No state of so many.
    pub fn none(n_states: usize) -> StateSet {
        StateSet { words: vec![0; n_states.div_ceil(64)], n_states }
    }

    /// All states of so many.
    pub fn all(n_states: usize) -> StateSet {
        StateSet::none(n_states).complement()
    }

    /// The states whose bits are set in a list of words, of so many.
    pub(crate) fn of_words(mut words: Vec<u64>, n_states: usize) -> StateSet {
        words.resize(n_states.div_ceil(64), 0);
        StateSet { words, n_states }
    }

    /// Whether a state is in the set.
    #[inline]
    pub fn contains(&self, state: u32) -> bool {
        self.words[state as usize / 64] >> (state % 64) & 1 == 1
    }

    /// Adds a state; says whether it is new.
    #[inline]
    pub fn insert(&mut self, state: u32) -> bool {
        let word = &mut self.words[state as usize / 64];
        let bit = 1 << (state % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Takes a state out.
    #[inline]
    pub fn remove(&mut self, state: u32) {
        self.words[state as usize / 64] &= !(1 << (state % 64));
    }

    /// The states that are not in the set.
    #[must_use]
    pub fn complement(&self) -> StateSet {
        let mut words: Vec<u64> = self.words.iter().map(|word| !word).collect();
        if let (Some(last), rest @ 1..) = (words.last_mut(), self.n_states % 64) {
            *last &= (1 << rest) - 1;
        }
        StateSet { words, n_states: self.n_states }
    }

    /// The states in both.
    #[must_use]
    pub fn and(&self, other: &StateSet) -> StateSet {
        self.merge(other, |left, right| left & right)
    }

    /// The states in one or both.
    #[must_use]
    pub fn or(&self, other: &StateSet) -> StateSet {
        self.merge(other, |left, right| left | right)
    }

    fn merge(&self, other: &StateSet, rule: impl Fn(u64, u64) -> u64) -> StateSet {
        let words = self.words.iter().zip(&other.words).map(|(&left, &right)| rule(left, right)).collect();
        StateSet { words, n_states: self.n_states }
    }

    /// How many states are in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no state is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The states of the set in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    index as u32 * 64 + bit
                })
            })
        })
    }
}

/// The states that can be reached and their steps, every state with at least one.
#[derive(Debug)]
pub struct Graph<'a> {
    first_steps: &'a [u32],
    targets: &'a [u32],
    /// Where the states before each state start, and one past the last.
    first_before: Vec<u32>,
    /// The states from which steps come, those of each target together; a state as often as it has such steps.
    before: Vec<u32>,
}

impl<'a> Graph<'a> {
    /// A graph given by the targets of the steps of each state, one after the other, and where those of each state start.
    ///
    /// # Panics
    ///
    /// When the lists do not fit each other.
    pub fn new(first_steps: &'a [u32], targets: &'a [u32]) -> Graph<'a> {
        assert_eq!(first_steps.last().copied(), Some(targets.len() as u32), "one entry past the last state");
        let n_states = first_steps.len() - 1;
        let mut first_before = vec![0u32; n_states + 1];
        for &target in targets {
            first_before[target as usize + 1] += 1;
        }
        for state in 0..n_states {
            first_before[state + 1] += first_before[state];
        }
        let mut next = first_before.clone();
        let mut before = vec![0; targets.len()];
        for state in 0..n_states {
            for &target in &targets[first_steps[state] as usize..first_steps[state + 1] as usize] {
                let place = &mut next[target as usize];
                before[*place as usize] = state as u32;
                *place += 1;
            }
        }
        Graph { first_steps, targets, first_before, before }
    }

    /// Number of states.
    pub fn n_states(&self) -> usize {
        self.first_steps.len() - 1
    }

    /// The position of the first step of a state among all steps.
    pub fn first_step(&self, state: u32) -> u32 {
        self.first_steps[state as usize]
    }

    /// The states that the steps of a state lead to, in the order of the steps.
    #[inline]
    pub fn successors(&self, state: u32) -> &'a [u32] {
        &self.targets
            [self.first_steps[state as usize] as usize..self.first_steps[state as usize + 1] as usize]
    }

    /// The states with a step to a state, as often as they have one.
    #[inline]
    pub fn predecessors(&self, state: u32) -> &[u32] {
        &self.before
            [self.first_before[state as usize] as usize..self.first_before[state as usize + 1] as usize]
    }

    /// The states with a step into a set.
    pub fn before(&self, set: &StateSet) -> StateSet {
        let mut result = StateSet::none(self.n_states());
        for state in set.iter() {
            for &previous in self.predecessors(state) {
                result.insert(previous);
            }
        }
        result
    }

    /// The states from which a path leads into `goal`, on which all states before the goal are in `through`.
    pub fn reaching(&self, through: &StateSet, goal: &StateSet) -> StateSet {
        let mut result = goal.clone();
        let mut waiting: Vec<u32> = goal.iter().collect();
        while let Some(state) = waiting.pop() {
            for &previous in self.predecessors(state) {
                if through.contains(previous) && result.insert(previous) {
                    waiting.push(previous);
                }
            }
        }
        result
    }

    /// The states from which an infinite path stays in a set.
    ///
    /// States that have no step into what is left are taken out until none is: each step is looked at once.
    pub fn staying(&self, set: &StateSet) -> StateSet {
        let mut result = set.clone();
        let mut n_left: Vec<u32> = vec![0; self.n_states()];
        let mut leaving = Vec::new();
        for state in set.iter() {
            n_left[state as usize] =
                self.successors(state).iter().filter(|&&next| set.contains(next)).count() as u32;
            if n_left[state as usize] == 0 {
                leaving.push(state);
            }
        }
        while let Some(state) = leaving.pop() {
            result.remove(state);
            for &previous in self.predecessors(state) {
                if result.contains(previous) {
                    n_left[previous as usize] -= 1;
                    if n_left[previous as usize] == 0 {
                        leaving.push(previous);
                    }
                }
            }
        }
        result
    }
}
