//! What a node is: several things at once, each with a mark of its own.
//!
//! The color of a node says the gravest of them; the line around it and its text say the others, so that nothing that a node is
//! hides another. Both forms of pictures, all languages and the legend take the marks from here.

/// Something that a node may be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// Something is wrong here, or in a step from here.
    Unsafe,
    /// Nothing can move, and a run may not end.
    Deadlock,
    /// What is asked to be reached is reached.
    Goal,
    /// A run may end.
    Accepting,
    /// Runs start here.
    Initial,
    /// Not every step from here is drawn.
    Open,
}

impl Role {
    /// All, in the order in which they choose the color.
    pub const ALL: [Role; 6] =
        [Role::Unsafe, Role::Deadlock, Role::Goal, Role::Accepting, Role::Initial, Role::Open];

    /// The color of a node, by its name; none for those that only change the line.
    pub fn fill(self) -> Option<&'static str> {
        match self {
            Role::Unsafe => Some("lightpink"),
            Role::Deadlock => Some("orange"),
            Role::Goal => Some("lightblue"),
            Role::Accepting => Some("palegreen"),
            Role::Initial | Role::Open => None,
        }
    }

    /// What the legend says.
    pub fn meaning(self) -> &'static str {
        match self {
            Role::Unsafe => "pink: something is wrong",
            Role::Deadlock => "orange: deadlock",
            Role::Goal => "blue: what is to be reached",
            Role::Accepting => "green, double line: may end",
            Role::Initial => "thick line: start",
            Role::Open => "dashed line: not all steps drawn",
        }
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Roles {
    /// By place in [`Role::ALL`].
    bits: u8,
}

impl Roles {
    /// Whether it is this.
    pub fn has(self, role: Role) -> bool {
        self.bits & bit(role) != 0
    }

    /// Makes it this, or not.
    pub fn set(&mut self, role: Role, is_so: bool) {
        match is_so {
            true => self.bits |= bit(role),
            false => self.bits &= !bit(role),
        }
    }

    /// Makes it this.
    pub fn add(&mut self, role: Role) {
        self.set(role, true);
    }

    /// Everything that it is, in the order of [`Role::ALL`].
    pub fn all(self) -> impl Iterator<Item = Role> {
        Role::ALL.into_iter().filter(move |&role| self.has(role))
    }

    /// The color, by its name; none where nothing asks for one.
    pub fn fill(self) -> Option<&'static str> {
        self.all().find_map(Role::fill)
    }
}

fn bit(role: Role) -> u8 {
    1 << role as u8
}

/// What a legend has to explain: what some node is. Nothing where nodes are at most a start.
pub fn explained(graphs: &[super::Graph]) -> Vec<Role> {
    let is_used =
        |role: &Role| graphs.iter().flat_map(|graph| &graph.nodes).any(|node| node.roles.has(*role));
    let used: Vec<Role> = Role::ALL.into_iter().filter(is_used).collect();
    if used == [Role::Initial] { Vec::new() } else { used }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_chooses_the_color_and_the_others_stay() {
        let mut roles = Roles::default();
        assert_eq!(roles.fill(), None);
        for role in [Role::Open, Role::Initial] {
            roles.add(role);
            assert_eq!(roles.fill(), None);
        }
        for role in [Role::Accepting, Role::Goal, Role::Deadlock, Role::Unsafe] {
            roles.add(role);
            assert_eq!(roles.fill(), role.fill());
        }
        assert_eq!(roles.all().collect::<Vec<_>>(), Role::ALL);
        roles.set(Role::Unsafe, false);
        assert_eq!(roles.fill(), Role::Deadlock.fill());
    }

    #[test]
    fn no_two_are_colored_alike() {
        let mut fills: Vec<_> = Role::ALL.into_iter().filter_map(Role::fill).collect();
        let n_fills = fills.len();
        fills.sort_unstable();
        fills.dedup();
        assert_eq!(fills.len(), n_fills);
    }
}
