//! Typed indices: every table of a model has its own.

macro_rules! typed_id {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The index in its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            fn from(index: usize) -> $name {
                $name(u32::try_from(index).expect("a table of a model has fewer than 2^32 rows"))
            }
        }
    )*};
}

typed_id! {
    /// A process template of a [`Model`](crate::Model).
    TemplateId,
    /// A channel type of a [`Model`](crate::Model).
    ChannelTypeId,
    /// A record type of a [`Model`](crate::Model).
    RecordId,
    /// An enumeration of a [`Model`](crate::Model).
    EnumerationId,
    /// A control location of one [`Template`](crate::Template).
    LocationId,
    /// An edge of one [`Template`](crate::Template).
    EdgeId,
    /// A property of a [`Model`](crate::Model).
    PropertyId,
}
