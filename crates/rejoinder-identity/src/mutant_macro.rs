//! The macro `mutant!`: whether a known fault was brought back, at the place where it acts.
//!
//! In a normal build it is `false`, so what depends on it is checked by the compiler and then gone,
//! with its name. In a build with `--cfg rejoinder_mutants` it asks the module `mutant`. What needs a
//! field or a function of its own stays behind that cfg.

/// Whether the known fault of this name was brought back.
#[cfg(not(rejoinder_mutants))]
#[macro_export]
macro_rules! mutant {
    ($name:literal) => {
        false
    };
}

/// Whether the known fault of this name was brought back.
#[cfg(rejoinder_mutants)]
#[macro_export]
macro_rules! mutant {
    ($name:literal) => {
        $crate::mutant::is($name)
    };
}
