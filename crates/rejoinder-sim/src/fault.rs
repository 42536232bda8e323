//! The faults of a world, and everything else that is counted in it: see [`Happening`].

mod deed;
mod fired;
mod made;
mod mishap;

pub(crate) use self::fired::Fired;
pub use self::{
    deed::Deed,
    fired::Happening,
    made::{Fault, MachineFault, Partition},
    mishap::Mishap,
};

/// Defines an enum whose variants each have a name in reports.
macro_rules! named {
    (
        $(#[doc = $about:literal])+ $kind:ident {
            $($(#[doc = $doc:literal])+ $name:ident = $word:literal,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $kind { $($(#[doc = $doc])+ $name,)+ }

        impl $kind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Returns the kind's name in reports.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)+ }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}
use named;
