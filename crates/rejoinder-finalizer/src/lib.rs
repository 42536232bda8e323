//! finalizer
