//! The end of a node. When it is closed, others get what is here, then a goodbye; the disk gets its
//! last write. When a fault ends it, all who wait are told that, and the replica, which may be half
//! way through something, is not asked for anything any more.

use rejoinder_quic::CloseCode;
use tokio::time::timeout;

use super::Node;
use crate::{events::HomeEvent, limits};

impl Node {
    pub(super) fn close(&mut self) {
        self.closing.get_or_insert(self.clock.now().after(limits::CLOSE));
    }

    /// True if the end was asked for and need not be put off any longer.
    pub(super) fn may_end(&self) -> bool {
        self.closing.is_some_and(|until| {
            until <= self.clock.now() || (self.disk.is_idle() && self.is_handed_over())
        })
    }

    /// True if every linked member has the log, and some have what was written here.
    fn is_handed_over(&self) -> bool {
        let workspaces = self.replica.workspaces();
        workspaces.iter().all(|workspace| {
            self.replica.delivered(workspace)
                && (self.replica.synced(workspace) || !self.has_link_in(workspace))
        })
    }

    fn has_link_in(&self, workspace: &rejoinder_identity::WorkspaceId) -> bool {
        let linked = self.network.links.peers();
        !linked.is_empty()
            && self.replica.workspace(workspace).is_some_and(|view| {
                view.members.iter().any(|member| linked.contains(&member.device))
            })
    }

    pub(super) async fn end(mut self) {
        self.go_offline();
        self.let_go().await;
    }

    /// A fault ends it: what it was about to say of the thing that it failed at is not said.
    pub(super) async fn fail(mut self, why: &str) {
        tracing::error!(%why, "a fault in rejoinder; this home closes");
        // First why, then the end of it: whoever loses the one who would have answered looks.
        self.fault.set(why);
        self.subscribers.tell_last(HomeEvent::Failed { why: why.to_owned() });
        self.replies.clear();
        self.looks.clear();
        self.calls.close();
        while self.calls.try_recv().is_ok() {}
        self.let_go().await;
    }

    async fn let_go(self) {
        self.network.endpoint.close(CloseCode::Goodbye, "").await;
        if timeout(limits::LAST_WRITE, self.disk.close()).await.is_err() {
            tracing::error!("the last write has not ended; what was not called saved may be lost");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use rejoinder_quic::CloseCode;

    use crate::environment::Directory;
    use crate::{Closed, Events, Home, HomeEvent, NotDone, Options, node};

    async fn opened(directory: &Path) -> node::Opened {
        node::open(Options::new(), Box::new(Directory::new(directory))).await.unwrap()
    }

    /// The last event of each listener is the fault.
    async fn is_told_last(mut events: Events, why: &str) {
        let mut last = None;
        while let Some(event) = events.next().await {
            last = Some(event);
        }
        assert!(matches!(last, Some(HomeEvent::Failed { why: said }) if said == why));
        assert_eq!(events.closed(), Closed::Failed(why.into()));
    }

    /// Whatever is done with a home that failed is answered so.
    async fn has_failed(home: &Home, why: &str) {
        let failed = Closed::Failed(why.into());
        let mut states = home.watch_workspaces();
        while states.next().await.is_some() {}
        assert_eq!(states.closed(), failed);
        assert_eq!(home.workspaces().await.unwrap_err(), failed);
        assert_eq!(home.links().await.unwrap_err(), failed);
        let refused = home.rename("another").await;
        assert!(matches!(&refused, Err(NotDone::Closed(closed)) if *closed == failed));
    }

    #[tokio::test]
    async fn a_panic_is_said_to_all_who_wait_and_the_home_is_free_again() {
        let directory = tempfile::tempdir().unwrap();
        let opened = opened(directory.path()).await;
        let handle = opened.handle.clone();
        let home = Home::start(opened);
        let host = home.create_workspace("kept").await.unwrap();
        let events = home.events().unwrap();
        let waits = tokio::spawn({
            let handle = handle.clone();
            async move { handle.until(|_| None::<()>).await }
        });
        let mut turns = host.workspace().requests();
        assert_eq!(turns.next().await.map(|requests| requests.len()), Some(0));

        let panicked = handle.read(|_| -> () { panic!("by a {}", "test") }).await;

        let failed = Closed::Failed("by a test".into());
        assert_eq!(panicked, Err(failed.clone()), "who met it");
        assert_eq!(waits.await.unwrap(), Err(failed.clone()), "who waited beside it");
        while turns.next().await.is_some() {}
        assert_eq!(turns.closed(), failed, "who watched");
        is_told_last(events, "by a test").await;
        has_failed(&home, "by a test").await;
        home.close().await;
        let again = Home::open(directory.path()).await.unwrap();
        assert_eq!(again.workspaces().await.unwrap().len(), 1);
        again.close().await;
    }

    #[tokio::test]
    async fn a_panic_of_a_task_is_one_of_the_node() {
        let directory = tempfile::tempdir().unwrap();
        let mut opened = opened(directory.path()).await;
        let (break_it, broken) = tokio::sync::oneshot::channel::<()>();
        opened.node.network.tasks.spawn(async move {
            let _told = broken.await;
            panic!("a reader")
        });
        let home = Home::start(opened);
        let events = home.events().unwrap();
        break_it.send(()).unwrap();
        is_told_last(events, "a reader").await;
        has_failed(&home, "a reader").await;
    }

    #[tokio::test]
    async fn a_home_that_nobody_can_reach_any_more_says_so() {
        let directory = tempfile::tempdir().unwrap();
        let opened = opened(directory.path()).await;
        let endpoint = Arc::clone(&opened.node.network.endpoint);
        let home = Home::start(opened);
        let events = home.events().unwrap();
        // As when its socket is gone.
        endpoint.close(CloseCode::Dropped, "").await;
        is_told_last(events, "nothing comes from the socket any more").await;
        has_failed(&home, "nothing comes from the socket any more").await;
    }
}
