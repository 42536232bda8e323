//! redb asserts things that are always true of an intact file. A damaged one makes it panic. That
//! must not end the process, which can still say what is wrong.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::error::{Failure, What};

/// Does some work on a file that may be damaged.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(damaged(&*panic).into()))
}

fn damaged(panic: &(dyn Any + Send)) -> What {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    What::Damaged(format!("redb stopped: {message}"))
}
