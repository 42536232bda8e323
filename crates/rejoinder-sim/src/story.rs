//! The beginning of most stories.

use std::time::Duration;

use rejoinder::{Host, Invite, Workspace};

use crate::{peer::Peer, world::World};

impl World {
    /// Makes new devices with these names, which have joined a host's workspace.
    ///
    /// # Panics
    ///
    /// Panics if there is a peer with one of these names already, or the host is gone.
    pub async fn people<const N: usize>(
        &self,
        host: &Host,
        names: [&str; N],
    ) -> [(Peer, Workspace); N] {
        let seats = u16::try_from(N).expect("a world has fewer than 256 peers");
        let valid_for = Duration::from_secs(86_400);
        let invite = Invite { seats, valid_for, ..Invite::default() };
        let ticket = host.ticket(invite).await.expect("a host that is up gives tickets");
        let mut people = Vec::new();
        for name in names {
            let peer = self.peer(name).await;
            let joins = peer.home().join(ticket.clone()).await;
            people.push((peer, joins.expect("a join is saved on a sound disk")));
        }
        for (_, workspace) in &people {
            workspace.joined().await.expect("a peer that is up hears that it was let in");
        }
        people.try_into().expect("there are as many people as names")
    }
}
