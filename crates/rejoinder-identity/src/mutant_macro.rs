//! The macro `mutant!`: asks, at the place where a known fault acts, whether it was brought back.
//!
//! In a normal build it is `false`, so what depends on it is checked by the compiler and then gone,
//! with its name. In a build with `--cfg rejoinder_mutants` it asks the module `mutant`. What needs a
//! field or a function of its own stays behind that cfg.

/// Says whether the known fault of this name was brought back.
#[cfg(not(rejoinder_mutants))]
#[macro_export]
macro_rules! mutant {
    ($name:literal) => {
        false
    };
}

/// Says whether the known fault of this name was brought back.
#[cfg(rejoinder_mutants)]
#[macro_export]
macro_rules! mutant {
    ($name:literal) => {
        $crate::mutant::is($name)
    };
}
