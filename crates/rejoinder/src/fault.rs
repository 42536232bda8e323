//! A fault in this program: a panic is caught where the node runs, and is said to all who have a
//! handle. What a panic printed about itself stays where it was printed.

use std::{
    any::Any,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{Arc, OnceLock},
    task::Poll,
};

use crate::error::Closed;

/// The fault that ended a home which nobody closed. The node sets it before it releases those who
/// wait.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fault(Arc<OnceLock<Arc<str>>>);

impl Fault {
    /// The first fault counts: others may follow from it.
    pub(crate) fn set(&self, why: &str) {
        let _first = self.0.set(why.into());
    }

    /// The reason why the home is closed, if it is.
    pub(crate) fn closed(&self) -> Closed {
        self.0.get().map_or(Closed::Ended, |why| Closed::Failed(Arc::clone(why)))
    }
}

/// Runs a future to its end; a panic in it ends it, and comes back as what it said. Whoever calls
/// it must not trust what the future has changed until then.
pub(crate) async fn caught<T>(future: impl Future<Output = T>) -> Result<T, String> {
    let mut future = pin!(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(done)) => Poll::Ready(Ok(done)),
        Err(panic) => Poll::Ready(Err(said(&*panic))),
    })
    .await
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic that says nothing").to_owned()
}
