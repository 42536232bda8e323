//! Streams of state: the present one first, then each that a reader is in time for. Whoever comes
//! late or reads slowly misses only what was over already, never how things stand.

use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_core::{Stream, ready};
use rejoinder_replica::Replica;

use crate::{
    error::Closed,
    handle::{Handle, Topic},
    notifier::Notifier,
};

type Read<T> = Arc<dyn Fn(&Replica) -> Option<T> + Send + Sync>;

/// A state that is being read, with the count of changes that it is not older than.
type Reading<T> = Pin<Box<dyn Future<Output = Option<(u64, T)>> + Send>>;

/// A stream of states. It ends when the home is closed or the thing is no more.
pub struct States<T> {
    source: Arc<Source<T>>,
    seen: Option<u64>,
    reading: Option<Reading<T>>,
}

struct Source<T> {
    handle: Handle,
    /// None when the home was closed already.
    notifier: Option<Arc<Notifier>>,
    read: Read<T>,
}

impl<T: Send + 'static> States<T> {
    pub(crate) fn new(
        handle: &Handle,
        topic: Topic,
        read: impl Fn(&Replica) -> Option<T> + Send + Sync + 'static,
    ) -> Self {
        let notifier = handle.watch(topic).ok();
        let source = Source { handle: handle.clone(), notifier, read: Arc::new(read) };
        Self { source: Arc::new(source), seen: None, reading: None }
    }

    /// The state that comes next; the present one the first time. Cancel-safe.
    pub async fn next(&mut self) -> Option<T> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// The reason why there is no state any more.
    pub fn closed(&self) -> Closed {
        self.source.handle.closed()
    }

    /// The first state that `look` finds something in.
    pub(crate) async fn find<F>(
        &mut self,
        mut look: impl FnMut(T) -> Option<F>,
    ) -> Result<F, Closed> {
        while let Some(state) = self.next().await {
            if let Some(found) = look(state) {
                return Ok(found);
            }
        }
        Err(self.closed())
    }
}

impl<T: Send + 'static> Source<T> {
    async fn next(self: Arc<Self>, seen: Option<u64>) -> Option<(u64, T)> {
        let notifier = self.notifier.as_ref()?;
        if let Some(seen) = seen {
            tokio::select! {
                biased;
                () = notifier.beyond(seen) => {}
                () = self.handle.gone() => return None,
            }
        }
        // Before the state is read: what changes after that is seen the next time.
        let count = notifier.count();
        let read = Arc::clone(&self.read);
        let state = self.handle.read(move |replica| read(replica)).await.ok()??;
        Some((count, state))
    }
}

impl<T: Send + 'static> Stream for States<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let this = &mut *self;
        let reading =
            this.reading.get_or_insert_with(|| Box::pin(Arc::clone(&this.source).next(this.seen)));
        let next = ready!(reading.as_mut().poll(context));
        this.reading = None;
        Poll::Ready(next.map(|(count, state)| {
            this.seen = Some(count);
            state
        }))
    }
}

impl<T> fmt::Debug for States<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("States").field("seen", &self.seen).finish_non_exhaustive()
    }
}
