//! The ways in: the ticket that a person has, the devices that wait for approval, and the people
//! who must ask for another ticket.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use rejoinder::{
    Event, Hint, HomeEvent, Host, Invite, NotDone, PeerId, Refused, Role, Ticket, WorkspaceId,
};

use super::{Space, Swarm, profile::Door};
use crate::{draws::Draws, fault::Deed, lock::lock, peer::Peer, world::World};

/// A home that knows nothing of the workspaces, but whose address is on some tickets.
pub(super) const STRANGER: &str = "stranger";

/// The devices that wait to be let in.
#[derive(Debug, Default)]
pub(super) struct Doors {
    /// The devices that wait for a person's approval.
    waiting: BTreeMap<WorkspaceId, BTreeSet<PeerId>>,
    /// The peers that were refused.
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

/// Makes the ticket of a workspace.
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
                // Nobody refuses a device there, and there are enough seats.
                Door::Open | Door::Stranger => {
                    self.0.world.fail(format!("{peer} was not let in: {why}"));
                }
                Door::Approval { .. } | Door::Seats => {}
            }
        }
    }

    /// Returns the ticket that a person has, or a new one if that was refused.
    pub(super) async fn ticket(&self, peer: &Peer, space: &Space) -> Option<Ticket> {
        let refused = (peer.name().to_owned(), space.workspace);
        if !lock(&self.0.doors).refused.contains(&refused) {
            return Some(space.ticket.clone());
        }
        let ticket = self.new_ticket(space).await?;
        lock(&self.0.doors).refused.remove(&refused);
        Some(ticket)
    }

    /// Makes a ticket at the host, which names the members that it knows now.
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

    /// Has a person at the host approve or refuse a device that waits.
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
            // The device was answered already, or no longer waits.
            Err(NotDone::Refused(Refused::NobodyWaits(_))) => Ok(()),
            // The disk may refuse writes, for example. The device still waits, and there will be no
            // new event for it.
            Err(other) => {
                self.waits_still(space, device);
                Err(other)
            }
        }
    }

    fn waits_still(&self, space: &Space, device: PeerId) {
        lock(&self.0.doors).waiting.entry(space.workspace).or_default().insert(device);
    }

    /// Lets everybody in: devices that wait are approved, and those that were refused get another
    /// ticket.
    pub(super) async fn let_all_in(&self) {
        for space in &self.0.spaces {
            let Some(host) = self.hosted(space).await else { continue };
            let waiting =
                std::mem::take(lock(&self.0.doors).waiting.entry(space.workspace).or_default());
            for device in waiting {
                match host.approve(device, true).await {
                    // A device that no longer waits needs no answer.
                    Ok(()) | Err(NotDone::Refused(Refused::NobodyWaits(_))) => {}
                    Err(_) => self.waits_still(space, device),
                }
            }
            for peer in self.members() {
                if self.was_refused(&peer, space)
                    && let Some(ticket) = self.ticket(&peer, space).await
                {
                    // If this fails, it is tried again a second later.
                    let _asked = peer.home().join(ticket).await;
                }
            }
        }
    }
}
