//! What must come about once nothing breaks any more: everybody is in, everything is the same
//! everywhere, nothing waits; and what was promised meanwhile is there.

use std::{collections::BTreeSet, time::Duration};

use rejoinder::{Backlog, Fate, RequestView, WorkspaceView};
use rejoinder_replica::{Load, Table};
use rejoinder_storage::Store;
use tokio::time::{Instant, sleep};

use super::Swarm;
use crate::peer::Peer;

/// How long it may take after the heal: a few dials that are thirty seconds apart, and two full
/// comparisons.
const REST: Duration = Duration::from_secs(180);

/// The most that a home of such a world may take: bounded queues and pools.
const DISK: usize = 16 << 20;
/// The most packets that may be under way at once.
const IN_FLIGHT: usize = 20_000;

impl Swarm {
    /// Nothing breaks any more: links as the profile has them, sound disks, everybody up.
    pub(super) async fn heal(&self) {
        self.0.world.heal();
        self.0.ledger.rest();
        for peer in self.0.world.peers() {
            peer.set_disk_full(false);
            self.usual_disk(&peer);
            if peer.died() {
                peer.crash().await;
            }
            peer.fail_syncs(0);
            peer.disk().live();
            self.start(&peer).await;
            let home = peer.home();
            home.online().await.expect("a home that is up answers");
            if self.workspace_at(&peer).await.is_none() {
                while home.join(self.0.ticket.clone()).await.is_err() {
                    sleep(Duration::from_secs(1)).await;
                }
            }
        }
        let home = self.0.host.home();
        // A disk that was failing is tried again after a while.
        let give_up = Instant::now() + REST;
        while let Err(why) = home.host(self.0.workspace).await {
            assert!(Instant::now() < give_up, "the host does not host again: {why}");
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// Waits until all is the same everywhere and nothing waits.
    pub(super) async fn comes_to_rest(&self) {
        let give_up = Instant::now() + REST;
        loop {
            sleep(Duration::from_secs(1)).await;
            let rests = self.is_at_rest().await;
            let Err(why) = rests.and_then(|()| self.is_durable()) else { return };
            assert!(Instant::now() < give_up, "{REST:?} after the heal: {why}");
        }
    }

    async fn is_at_rest(&self) -> Result<(), String> {
        let host = &self.0.host;
        let first = self.look_at(host).await.ok_or("the host shows nothing")?;
        for peer in self.0.world.peers() {
            let view = self.look_at(&peer).await.ok_or(format!("{} shows nothing", peer.name()))?;
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
            if let Some(request) = differs(&first, &view) {
                return of(&format!("shows request {request} otherwise than the host"));
            }
        }
        Ok(())
    }

    /// What was promised is there.
    pub(super) async fn holds(&self) {
        for peer in self.0.world.peers() {
            self.nothing_is_lost_at(&peer).await;
            self.proposals_are_answered(&peer).await;
            let size = peer.disk().len();
            assert!(size < DISK, "the home of {} takes {size} bytes", peer.name());
        }
        let most = self.0.world.inner.network.most_in_flight();
        assert!(most < IN_FLIGHT, "{most} packets were under way at once");
    }

    /// Whether all is durable everywhere. A disk that failed is tried again after a while only.
    fn is_durable(&self) -> Result<(), String> {
        let peers = self.0.world.peers();
        let (first, others) = peers.split_first().expect("a world has a host");
        let (ours, rotten) = (durable(first), self.rotten());
        for other in others {
            let theirs = durable(other);
            let (first, other) = (first.name(), other.name());
            for ((table, ours), (_, theirs)) in ours.iter().zip(&theirs) {
                let (lacks, more) = (ours.difference(theirs), theirs.difference(ours));
                let (lacks, more) = (lacks.count(), more.count());
                // What was written on something that is lost for good can't be shown to anybody.
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

    async fn nothing_is_lost_at(&self, peer: &Peer) {
        let workspace = self.workspace_at(peer).await.expect("it is a member");
        let mut views = Vec::new();
        for view in workspace.view().await.expect("it is up").requests {
            let request = workspace.request_opened(view.opening).await.expect("it is up");
            let request = request.expect("the log has it");
            // Of a settled request, this tells what came too late.
            let view = request.read().await.expect("its document can be read");
            self.0.ledger.seen(peer.name(), &view).unwrap_or_else(|why| panic!("{why}"));
            // What was said in time and passed over was beaten by something.
            for question in view.passed_over.keys() {
                let answered = view.projection.answers.contains_key(question);
                assert!(
                    answered,
                    "at {} all that was said to {question} was passed over",
                    peer.name()
                );
            }
            views.push(view);
        }
        for opening in self.0.ledger.openings() {
            let there = views.iter().any(|view| view.opening == opening);
            assert!(there, "{} has lost the request {opening}", peer.name());
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
        let workspace = self.workspace_at(peer).await.expect("it is a member");
        for (proposal, of) in self.0.ledger.proposals() {
            let fate = workspace.fate(proposal).await.expect("it is up");
            assert!(
                matches!(fate, Some(Fate::Granted | Fate::Refused(_))),
                "the proposal {proposal} of {of} is at {}: {fate:?}",
                peer.name()
            );
        }
    }
}

/// The first request that two peers show differently.
fn differs(one: &WorkspaceView, other: &WorkspaceView) -> Option<String> {
    let shown = |view: &RequestView| (view.opening, view.projection.to_json().to_string());
    let ones: Vec<_> = one.requests.iter().map(shown).collect();
    let others: Vec<_> = other.requests.iter().map(shown).collect();
    let differ = ones.iter().zip(&others).find(|(one, other)| one != other);
    differ.map(|(one, _)| one.0.to_string())
}

/// What of a home is durable, and must be so everywhere: by table, the rows' values.
fn durable(peer: &Peer) -> Vec<(Table, BTreeSet<Vec<u8>>)> {
    let name = peer.name();
    let (store, _) = Store::open(Box::new(peer.disk().copy()))
        .unwrap_or_else(|error| panic!("the disk of {name} is not sound: {error}"));
    let tables = [Table::Records, Table::Envelopes, Table::Frontiers, Table::Proposals];
    let rows = tables.map(|table| {
        let load = Load { table, prefix: Vec::new() };
        let rows = store.load(&load).unwrap_or_else(|error| panic!("{name}: {error}"));
        (table, rows.rows.into_iter().map(|(_, value)| value).collect())
    });
    rows.into()
}
