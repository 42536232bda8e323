//! How a node ends when it is closed: others get what is here, then a goodbye; the disk gets its
//! last write.

use rejoinder_quic::CloseCode;
use tokio::time::timeout;

use super::Node;
use crate::limits;

impl Node {
    pub(super) fn close(&mut self) {
        self.closing.get_or_insert(self.clock.now().after(limits::CLOSE));
    }

    /// Whether the end was asked for and need not be put off any longer.
    pub(super) fn may_end(&self) -> bool {
        self.closing.is_some_and(|until| {
            until <= self.clock.now() || (self.disk.is_idle() && self.is_handed_over())
        })
    }

    /// Whether every linked member has the log, and some have what was written here.
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
        self.network.endpoint.close(CloseCode::Goodbye, "").await;
        if timeout(limits::LAST_WRITE, self.disk.close()).await.is_err() {
            tracing::error!("the last write has not ended; what was not called saved may be lost");
        }
    }
}
