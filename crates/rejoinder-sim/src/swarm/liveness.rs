//! The conditions that come about once nothing breaks any more: everybody is in, everything is the
//! same everywhere, nothing waits, and everything promised meanwhile is there.

use std::{collections::BTreeSet, time::Duration};

use rejoinder::{Fate, Hint, RequestView, Ticket, WorkspaceView, environment::Backlog};
use rejoinder_replica::{Load, Table};
use rejoinder_storage::Store;
use tokio::time::{Instant, sleep, timeout};

use super::{
    Space, Swarm, form,
    tokens::{self, Mark},
};
use crate::{fault::Deed, lock::lock, peer::Peer};

/// The time that it may take after the heal: a few dials, thirty seconds apart, and two full
/// comparisons.
pub(super) const REST: Duration = Duration::from_secs(180);

/// The number of settled requests that stay in a replica's memory.
const IN_MEMORY: usize = 64;
/// The most bytes that a home in such a world may take, as its queues and pools are bounded.
const DISK: usize = 16 << 20;
/// The most packets that may be under way at once.
const IN_FLIGHT: usize = 20_000;

impl Swarm {
    /// Ends all faults: links are as in the profile, disks are sound, everybody is up.
    pub(super) async fn heal(&self) {
        self.0.world.heal();
        for peer in self.0.world.peers() {
            peer.set_disk_full(false);
            peer.set_disk_unreadable(false);
            self.usual_disk(&peer);
            if peer.died() {
                peer.crash().await;
                self.crashed(&peer);
            }
            peer.fail_syncs(0);
            peer.disk().live();
            self.start(&peer).await;
            peer.home().online().await.expect("a home that is up answers");
        }
        for space in &self.0.spaces {
            let home = space.host.home();
            // A disk that was failing is only tried again after a while.
            let give_up = Instant::now() + REST;
            while let Err(why) = home.host(space.workspace).await {
                assert!(Instant::now() < give_up, "the host does not host again: {why}");
                sleep(Duration::from_secs(1)).await;
            }
            for peer in self.members() {
                if self.workspace_at(&peer, space).await.is_none() {
                    self.is_told_where(&peer, space).await;
                }
            }
        }
    }

    /// Gives a peer that can't find a host another ticket, if the host has moved.
    async fn is_told_where(&self, peer: &Peer, space: &Space) {
        let moved = space.host.address() != space.host.ip();
        let ticket = if moved { self.ticket_from_here(space).await } else { space.ticket.clone() };
        while peer.home().join(ticket.clone()).await.is_err() {
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// Returns a ticket with the host's present address. A machine hears of its new address a
    /// little late, and a ticket made before that has the old one.
    async fn ticket_from_here(&self, space: &Space) -> Ticket {
        let here = space.host.address();
        let names_it = |hint: &Hint| hint.addresses.iter().any(|address| address.ip() == here);
        let give_up = Instant::now() + REST;
        loop {
            let ticket = self.new_ticket(space).await;
            match ticket {
                Some(ticket) if ticket.hints.iter().any(names_it) => return ticket,
                Some(_) | None => {}
            }
            let host = space.host.name();
            assert!(
                Instant::now() < give_up,
                "{host} gives no ticket that names its address {here}"
            );
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// Gives another ticket to peers that are still outside, and whose tickets have addresses that
    /// the host has left.
    async fn are_told_where(&self) {
        for space in self.0.spaces.iter().filter(|space| space.host.address() != space.host.ip()) {
            for peer in self.members() {
                let Some(workspace) = self.workspace_at(&peer, space).await else { continue };
                let links = peer.home().links().await.expect("a home that is up answers");
                // Two copies of a home count as one device. So each half of a team may be linked
                // with a copy of everybody in the other half, and nobody in this half with the
                // host.
                let host = space.host.home().me();
                let parted = self.has_copies() && !links.iter().any(|link| link.peer == host);
                let alone = links.is_empty() || parted;
                let inside = workspace.view().await.is_ok_and(|view| view.member);
                if !inside || alone {
                    self.is_told_where(&peer, space).await;
                }
            }
        }
    }

    /// Waits until everything is the same everywhere and nothing waits.
    pub(super) async fn comes_to_rest(&self) {
        let give_up = Instant::now() + REST;
        self.are_told_where().await;
        loop {
            sleep(Duration::from_secs(1)).await;
            self.let_all_in().await;
            let mut rests = self.is_durable();
            for space in &self.0.spaces {
                rests = match rests {
                    Ok(()) => self.is_at_rest(space).await,
                    Err(why) => Err(why),
                };
            }
            let Err(why) = rests else { return };
            assert!(Instant::now() < give_up, "{REST:?} after the heal: {why}");
        }
    }

    async fn is_at_rest(&self, space: &Space) -> Result<(), String> {
        let first = self.look_at(&space.host, space).await.ok_or("the host shows nothing")?;
        for peer in self.members() {
            let view = self.look_at(&peer, space).await;
            let view = view.ok_or(format!("{} shows nothing", peer.name()))?;
            let of = |what: &str| Err(format!("{}: {what}", peer.name()));
            if !view.member {
                return of("has not been let in");
            }
            if view.log_length != first.log_length {
                let (here, there) = (view.log_length, first.log_length);
                return of(&format!("has {here} records, the host {there}"));
            }
            if view.uncarried > 0 {
                return of(&format!("{} edits are not carried", view.uncarried));
            }
            if !view.waiting.is_empty() {
                return of(&format!("proposals wait: {:?}", view.waiting));
            }
            let backlog = peer.home().backlog().await.map_err(|closed| closed.to_string())?;
            if backlog != Backlog::default() {
                return of(&format!("something waits still: {backlog:?}"));
            }
            let links = peer.home().links().await.map_err(|closed| closed.to_string())?;
            if links.iter().any(|link| link.queued > 0) {
                return of("bytes wait for a link");
            }
            let workspace = self.workspace_at(&peer, space).await.ok_or("it was there")?;
            let synced = timeout(Duration::from_millis(1), workspace.synced()).await.is_ok();
            if !synced {
                return of("is not in sync");
            }
            let told = lock(&self.0.world.ground.told).in_sync(peer.name(), &space.workspace);
            if !told {
                return of("was not told that it is in sync");
            }
            if let Some(request) = differs(&first, &view) {
                return of(&format!("shows request {request} otherwise than the host"));
            }
        }
        self.are_known_to_be_where_they_are(space).await
    }

    /// Checks that the addresses on the host's tickets are the present ones. A home that was copied
    /// has two machines, and either address will do.
    async fn are_known_to_be_where_they_are(&self, space: &Space) -> Result<(), String> {
        let ticket = self.new_ticket(space).await.ok_or("the host gives no ticket")?;
        for hint in ticket.hints {
            let home = |peer: &Peer| peer.try_home().filter(|home| home.me() == hint.device);
            let machines: Vec<Peer> =
                self.members().into_iter().filter(|peer| home(peer).is_some()).collect();
            let known = |peer: &Peer| hint.addresses.iter().any(|at| at.ip() == peer.address());
            if !machines.iter().any(known) {
                let names: Vec<&str> = machines.iter().map(Peer::name).collect();
                return Err(format!("the host takes {names:?} to be at {:?}", hint.addresses));
            }
        }
        Ok(())
    }

    /// Checks that everything promised is there.
    pub(super) async fn holds(&self) {
        for space in &self.0.spaces {
            let host = self.hosted(space).await.expect("it hosts");
            let untold = host.untold().await.expect("it is up");
            let view = host.workspace().view().await.expect("it is up");
            self.0.ledger.untold(&view, &untold).unwrap_or_else(|why| panic!("{why}"));
        }
        for peer in self.members() {
            for space in &self.0.spaces {
                self.nothing_is_lost_at(&peer, space).await;
            }
            self.proposals_are_answered(&peer).await;
            let size = peer.disk().len();
            assert!(size < DISK, "the home of {} takes {size} bytes", peer.name());
        }
        let most = self.0.world.ground.network.most_in_flight();
        assert!(most < IN_FLIGHT, "{most} packets were under way at once");
    }

    /// Checks that all disks hold the same. A disk that failed is only tried again after a while.
    fn is_durable(&self) -> Result<(), String> {
        let peers = self.members();
        let (first, others) = peers.split_first().expect("a world has a host");
        let (ours, rotten) = (durable(first), self.rotten());
        for other in others {
            let theirs = durable(other);
            let (first, other) = (first.name(), other.name());
            for ((table, ours), (_, theirs)) in ours.iter().zip(&theirs) {
                let (lacks, more) = (ours.difference(theirs), theirs.difference(ours));
                let (lacks, more) = (lacks.count(), more.count());
                // A change that builds on a lost one can't be shown to anybody, so only its author
                // may have it.
                let orphans = *table == Table::Envelopes && rotten.as_deref() == Some(other);
                if lacks > 0 || (more > 0 && !orphans) {
                    return Err(format!(
                        "{table:?} on the disks of {first} and {other} differ: {other} lacks {lacks} \
                         and has {more} more"
                    ));
                }
            }
        }
        Ok(())
    }

    async fn nothing_is_lost_at(&self, peer: &Peer, space: &Space) {
        let workspace = self.workspace_at(peer, space).await.expect("it is a member");
        let mut views = Vec::new();
        for view in workspace.view().await.expect("it is up").requests {
            let request = workspace.request_opened(view.opening).await.expect("it is up");
            let request = request.expect("the log has it");
            // Only this read reports answers to a settled request that came too late.
            let view = request.read().await.expect("its document can be read");
            self.0.ledger.seen(peer.name(), &view).unwrap_or_else(|why| panic!("{why}"));
            // An answer that was given in time is passed over only if another one beat it.
            for question in view.passed_over.keys().filter(|question| question.0 != form::SHIFTS) {
                let answered = view.projection.answers.contains_key(question);
                assert!(
                    answered,
                    "at {} all that was said to {question} was passed over",
                    peer.name()
                );
            }
            views.push(view);
        }
        for opening in self.0.ledger.openings(space.workspace) {
            let there = views.iter().any(|view| view.opening == opening);
            assert!(there, "{} has lost the request {opening}", peer.name());
        }
        let settled = |view: &&RequestView| view.status != rejoinder::RequestStatus::Open;
        if views.iter().filter(settled).count() > IN_MEMORY {
            self.0.world.ground.fired.count(Deed::ManySettled);
        }
        for (token, opening) in self.0.ledger.all_given() {
            let Some(view) = views.iter().find(|view| view.opening == opening) else { continue };
            let shown = tokens::shown(view);
            assert!(
                shown.iter().any(|shown| shown.mark == Mark::Token(token)),
                "request {} was asked with the answer {token}, and {} does not show it: {:?} {}",
                view.id,
                peer.name(),
                view.status,
                view.projection.to_json(),
            );
        }
        for (token, edit) in self.0.ledger.must_be_shown() {
            // A truncated turn takes its requests with it.
            let Some(view) = views.iter().find(|view| view.opening == edit.opening) else {
                continue;
            };
            assert!(
                self.0.ledger.tokens(view).contains(&token),
                "{} wrote {token} to {} of request {}, was told that it is saved, and {} does not \
                 show it: {:?} {} {:?}",
                edit.peer,
                edit.question,
                view.id,
                peer.name(),
                view.status,
                view.projection.to_json(),
                view.not_included,
            );
        }
    }

    async fn proposals_are_answered(&self, peer: &Peer) {
        for (proposal, of) in self.0.ledger.proposals() {
            let mut fate = None;
            for space in &self.0.spaces {
                let workspace = self.workspace_at(peer, space).await.expect("it is a member");
                fate = fate.or(workspace.fate(proposal).await.expect("it is up"));
            }
            assert!(
                matches!(fate, Some(Fate::Granted | Fate::Refused(_))),
                "the proposal {proposal} of {of} is at {}: {fate:?}",
                peer.name()
            );
        }
    }
}

/// Returns the first request that two peers show differently.
fn differs(one: &WorkspaceView, other: &WorkspaceView) -> Option<String> {
    let shown = |view: &RequestView| (view.opening, view.projection.to_json().to_string());
    let ones: Vec<_> = one.requests.iter().map(shown).collect();
    let others: Vec<_> = other.requests.iter().map(shown).collect();
    let differ = ones.iter().zip(&others).find(|(one, other)| one != other);
    differ.map(|(one, _)| one.0.to_string())
}

/// Returns the durable rows that must be the same everywhere: their values, by table.
fn durable(peer: &Peer) -> Vec<(Table, BTreeSet<Vec<u8>>)> {
    let name = peer.name();
    let (store, _) = Store::open(Box::new(peer.disk().copy()))
        .unwrap_or_else(|error| panic!("the disk of {name} is not sound: {error}"));
    let tables = [Table::Records, Table::Envelopes, Table::VersionVectors, Table::Proposals];
    let rows = tables.map(|table| {
        let load = Load { table, prefix: Vec::new() };
        let rows = store.load(&load).unwrap_or_else(|error| panic!("{name}: {error}"));
        (table, rows.rows.into_iter().map(|(_, value)| value).collect())
    });
    rows.into()
}
