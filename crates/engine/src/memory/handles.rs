//! What a memory is used for, each use with its operations. The use cases implement them.

use super::Memory;

/// Defines the handles by one row each: what it does, its type, and the method of [`Memory`] that
/// returns it.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident $method:ident;)+) => {
        $($(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<'m> {
            pub(super) memory: &'m Memory,
        })+

        impl Memory {
            $($(#[$doc])*
            pub fn $method(&self) -> $name<'_> {
                $name { memory: self }
            })+
        }
    };
}

handles! {
    /// Finds, ranks and shows what is remembered.
    Reading reading;
    /// Adds entries and notes, changes them and takes them out of service.
    Writing writing;
    /// Learns from what is said at an agent, and counts what it used.
    Learning learning;
    /// Shares with other stores, people and servers.
    Sharing sharing;
    /// Chooses, installs and judges models of search.
    Modeling modeling;
    /// Keeps stores in order: settings, review, encryption, backups, dreams.
    Tending tending;
}
