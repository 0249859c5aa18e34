//! What collections are made of: values in one piece, shared until they are changed.
//!
//! A copy of a state shares all of its collections with the state, and most steps change one or two. So a collection is shared
//! as it is read and copied, its first change makes a piece of its own, and further changes are made in there: a step that takes a message out of a
//! set and puts two others in asks for memory once.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// Values in one piece.
#[derive(Debug)]
pub(super) enum Slice<T> {
    /// Perhaps by others, too.
    Shared(Arc<[T]>),
    /// With room for more, until it is copied.
    Own(Vec<T>),
}

/// Room for values to come, when a shared piece is changed for the first time.
const ROOM: usize = 3;

impl<T: Clone> Slice<T> {
    /// The values, to be changed. All that others share stays as it is.
    pub(super) fn edit(&mut self) -> &mut Vec<T> {
        if let Slice::Shared(values) = self {
            let mut own = Vec::with_capacity(values.len() + ROOM);
            own.extend_from_slice(values);
            *self = Slice::Own(own);
        }
        match self {
            Slice::Own(values) => values,
            Slice::Shared(_) => unreachable!("shared values have just been copied"),
        }
    }

    /// The values, of which single ones are to be changed.
    pub(super) fn edit_each(&mut self) -> &mut [T] {
        match self {
            Slice::Shared(values) => Arc::make_mut(values),
            Slice::Own(values) => values,
        }
    }
}

impl<T> Slice<T> {
    /// No values.
    pub(super) const fn new() -> Slice<T> {
        Slice::Own(Vec::new())
    }
}

impl<T: Clone> Clone for Slice<T> {
    fn clone(&self) -> Slice<T> {
        match self {
            Slice::Shared(values) => Slice::Shared(values.clone()),
            Slice::Own(values) if values.is_empty() => Slice::new(),
            // What is copied once may be copied again.
            Slice::Own(values) => Slice::Shared(Arc::from(values.as_slice())),
        }
    }
}

impl<T> Deref for Slice<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Slice::Shared(values) => values,
            Slice::Own(values) => values,
        }
    }
}

impl<T> FromIterator<T> for Slice<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Slice<T> {
        Slice::Shared(values.into_iter().collect())
    }
}

impl<T> From<Vec<T>> for Slice<T> {
    fn from(values: Vec<T>) -> Slice<T> {
        Slice::Own(values)
    }
}

impl<T: PartialEq> PartialEq for Slice<T> {
    fn eq(&self, other: &Slice<T>) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Slice<T> {}

impl<T: PartialOrd> PartialOrd for Slice<T> {
    fn partial_cmp(&self, other: &Slice<T>) -> Option<std::cmp::Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: Ord> Ord for Slice<T> {
    fn cmp(&self, other: &Slice<T>) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: Hash> Hash for Slice<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}
