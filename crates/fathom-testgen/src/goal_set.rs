//! Sets of goals: one bit each.

/// A set of goals, by number.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct GoalSet {
    bytes: Vec<u8>,
}

impl GoalSet {
    /// The empty set, with room for so many goals.
    pub fn empty(n_goals: usize) -> GoalSet {
        GoalSet { bytes: vec![0; n_goals.div_ceil(8)] }
    }

    /// The set of the first so many goals.
    pub fn full(n_goals: usize) -> GoalSet {
        let mut set = GoalSet::empty(n_goals);
        (0..n_goals as u32).for_each(|goal| {
            set.add(goal);
        });
        set
    }

    /// The set with these bits.
    pub fn from_bytes(bytes: &[u8]) -> GoalSet {
        GoalSet { bytes: bytes.to_vec() }
    }

    /// The bits.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether a goal is in the set.
    #[inline]
    pub fn has(&self, goal: u32) -> bool {
        self.bytes[goal as usize / 8] & (1 << (goal % 8)) != 0
    }

    /// Adds a goal. Gives whether it is new.
    pub fn add(&mut self, goal: u32) -> bool {
        let is_new = !self.has(goal);
        self.bytes[goal as usize / 8] |= 1 << (goal % 8);
        is_new
    }

    /// Takes a goal out.
    pub fn remove(&mut self, goal: u32) {
        self.bytes[goal as usize / 8] &= !(1 << (goal % 8));
    }

    /// Number of goals in the set.
    pub fn len(&self) -> usize {
        self.bytes.iter().map(|byte| byte.count_ones() as usize).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.iter().all(|&byte| byte == 0)
    }

    /// The goals, from the first to the last.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.bytes.len() as u32 * 8).filter(|&goal| self.has(goal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_there_until_it_is_removed() {
        let mut set = GoalSet::empty(20);
        assert!(set.add(19) && set.add(3) && !set.add(3));
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 19]);
        set.remove(3);
        assert_eq!((set.len(), set.has(3), set.is_empty()), (1, false, false));
        assert_eq!(GoalSet::full(9).len(), 9);
    }
}
