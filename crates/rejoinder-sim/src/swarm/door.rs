//! How devices come in: which ticket a person has, who waits for a person's word, and who must ask
//! for another ticket.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use rejoinder::{
    Event, Hint, HomeEvent, Host, Invite, NotDone, PeerId, Refused, Role, Ticket, WorkspaceId,
};

use super::{Space, Swarm, profile::Door};
use crate::{draws::Draws, fault::Deed, lock::lock, peer::Peer, world::World};

/// A home that knows nothing of the workspaces, and whose address some tickets have.
pub(super) const STRANGER: &str = "stranger";

/// Those who wait at the doors.
#[derive(Debug, Default)]
pub(super) struct Doors {
    /// Devices that wait for a person's word.
    waiting: BTreeMap<WorkspaceId, BTreeSet<PeerId>>,
    /// Peers that were told no.
    refused: BTreeSet<(String, WorkspaceId)>,
}

impl Doors {
    fn event(&mut self, world: &World, peer: &str, event: &HomeEvent) {
        if let HomeEvent::Plain(Event::ApprovalNeeded { workspace, device, .. }) = event {
            self.waiting.entry(*workspace).or_default().insert(*device);
        }
        if let HomeEvent::Plain(Event::JoinRefused { workspace, .. }) = event {
            world.ground.fired.count(Deed::JoinRefused);
            self.refused.insert((peer.to_owned(), *workspace));
        }
    }
}

/// The tickets of a workspace.
pub(super) async fn ticket(door: Door, host: &Host, stranger: Option<&Peer>) -> Ticket {
    let seats = if door == Door::Seats { 1 } else { 32 };
    let approve = matches!(door, Door::Approval { .. });
    let mut ticket = host.ticket(invite(seats, approve)).await.expect("a host may invite");
    if let Some(stranger) = stranger {
        let home = stranger.home();
        let addresses = home.addresses().await.expect("a home that is up says where it is");
        ticket.hints.push(Hint { device: home.me(), addresses });
    }
    ticket
}

fn invite(seats: u16, approve: bool) -> Invite {
    let valid_for = Duration::from_secs(86_400 * 365 * 30);
    Invite { seats, valid_for, role: Role::Collaborator, approve }
}

impl Swarm {
    pub(super) fn at_the_door(&self, peer: &str, event: &HomeEvent) {
        lock(&self.0.doors).event(&self.0.world, peer, event);
        if let HomeEvent::Plain(Event::JoinRefused { why, .. }) = event {
            match self.0.profile.door {
                // Nobody says no there, and there are seats enough.
                Door::Open | Door::Stranger => {
                    self.0.world.fail(format!("{peer} was not let in: {why}"));
                }
                Door::Approval { .. } | Door::Seats => {}
            }
        }
    }

    /// The ticket that a person has; another one when that did not do.
    pub(super) async fn ticket(&self, peer: &Peer, space: &Space) -> Option<Ticket> {
        let refused = (peer.name().to_owned(), space.workspace);
        if !lock(&self.0.doors).refused.contains(&refused) {
            return Some(space.ticket.clone());
        }
        let ticket = self.new_ticket(space).await?;
        lock(&self.0.doors).refused.remove(&refused);
        Some(ticket)
    }

    /// A ticket as the host gives it now, to one whom it knows.
    pub(super) async fn new_ticket(&self, space: &Space) -> Option<Ticket> {
        let host = self.hosted(space).await?;
        let life = space.host.life()?;
        let ticket = life.within(host.ticket(invite(32, false))).await?.ok()?;
        if ticket.hints.len() > 1 {
            self.0.world.ground.fired.count(Deed::SeveralHints);
        }
        Some(ticket)
    }

    pub(super) async fn hosted(&self, space: &Space) -> Option<Host> {
        let (life, home) = (space.host.life()?, space.host.try_home()?);
        life.within(home.host(space.workspace)).await?.ok()
    }

    pub(super) fn was_refused(&self, peer: &Peer, space: &Space) -> bool {
        lock(&self.0.doors).refused.contains(&(peer.name().to_owned(), space.workspace))
    }

    /// A person at the host says yes or no to one who waits.
    pub(super) async fn answer_the_door(
        &self,
        space: &Space,
        host: &Host,
        draws: &mut Draws,
    ) -> Result<(), NotDone> {
        let waits = lock(&self.0.doors).waiting.entry(space.workspace).or_default().pop_first();
        let Some(device) = waits else { return Ok(()) };
        let yes = draws.chance(800);
        match host.approve(device, yes).await {
            Ok(()) => {
                let fault = if yes { Deed::Approved } else { Deed::NotApproved };
                self.0.world.ground.fired.count(fault);
                Ok(())
            }
            // It was answered already, or waits no more.
            Err(NotDone::Refused(Refused::NobodyWaits(_))) => Ok(()),
            // Its disk refuses writes, say: the device waits still, and nobody is asked again.
            Err(other) => {
                self.waits_still(space, device);
                Err(other)
            }
        }
    }

    fn waits_still(&self, space: &Space, device: PeerId) {
        lock(&self.0.doors).waiting.entry(space.workspace).or_default().insert(device);
    }

    /// Nobody stays outside: whoever waits is let in, whoever was told no gets another ticket.
    pub(super) async fn let_all_in(&self) {
        for space in &self.0.spaces {
            let Some(host) = self.hosted(space).await else { continue };
            let waiting =
                std::mem::take(lock(&self.0.doors).waiting.entry(space.workspace).or_default());
            for device in waiting {
                match host.approve(device, true).await {
                    // Who does not wait any more needs no word.
                    Ok(()) | Err(NotDone::Refused(Refused::NobodyWaits(_))) => {}
                    Err(_) => self.waits_still(space, device),
                }
            }
            for peer in self.members() {
                if self.was_refused(&peer, space)
                    && let Some(ticket) = self.ticket(&peer, space).await
                {
                    // It is asked again a second later.
                    let _asked = peer.home().join(ticket).await;
                }
            }
        }
    }
}
