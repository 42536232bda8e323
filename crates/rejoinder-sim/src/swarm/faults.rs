//! The breaking of things, one after another and several at once. Each is mended after a while.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{sync::Notify, task::JoinSet, time::sleep};

use super::{Swarm, person};
use crate::{
    draws::Draws,
    fault::{Fault, MachineFault, Partition},
    lock::lock,
    peer::Peer,
    world::World,
};

/// Breaks things until it is told to stop. What is broken then is mended by the heal.
pub(super) async fn happen(swarm: Swarm, stop: Arc<Notify>) {
    let mut draws = swarm.draws("faults");
    let kinds: Vec<Fault> = swarm.0.profile.faults.iter().copied().collect();
    let busy = Busy::default();
    let mut going_on = JoinSet::new();
    let mut number = 0;
    loop {
        let pause = draws.pause(swarm.0.profile.between_faults);
        tokio::select! {
            biased;
            () = stop.notified() => break,
            () = sleep(pause) => {}
        }
        let Some(fault) = draws.pick(&kinds).copied() else { break };
        number += 1;
        let own = swarm.draws(&format!("fault {number}"));
        let breaking = Breaking { swarm: swarm.clone(), draws: own, busy: busy.clone(), number };
        going_on.spawn(breaking.go(fault));
    }
    // This ends all of them: no half-closed process is left beside one that the heal opens.
    going_on.shutdown().await;
}

/// The peers whose fault is still going on. They get no second one meanwhile.
#[derive(Debug, Clone, Default)]
struct Busy(Arc<Mutex<BTreeSet<String>>>);

/// A fault, and what it takes to make it.
struct Breaking {
    swarm: Swarm,
    draws: Draws,
    busy: Busy,
    number: u32,
}

impl Breaking {
    async fn go(mut self, fault: Fault) {
        match fault {
            Fault::Partition(partition) => self.partition(partition).await,
            Fault::Machine(fault) => self.machine(fault).await,
            Fault::Cloned => self.clone_a_member().await,
        }
    }

    async fn partition(&mut self, partition: Partition) {
        match partition {
            Partition::OneWay => self.pair(World::cut_one_way).await,
            Partition::TwoWay => self.pair(World::cut).await,
            Partition::Groups => self.shape("groups", in_two).await,
            Partition::Line => self.shape("line", World::line).await,
            Partition::Star => self.shape("star", World::star).await,
            Partition::Ring => self.shape("ring", World::ring).await,
            Partition::Bridge => self.shape("bridge", World::bridge).await,
            Partition::Swizzle => self.swizzle().await,
        }
    }

    fn world(&self) -> &World {
        &self.swarm.0.world
    }

    async fn last(&mut self) {
        let pause = self.draws.pause(self.swarm.0.profile.faults_last);
        sleep(pause).await;
    }

    fn shuffled(&mut self) -> Vec<Peer> {
        let mut peers = self.world().peers();
        self.draws.shuffle(&mut peers);
        peers
    }

    async fn pair(&mut self, cut: fn(&World, &Peer, &Peer)) {
        let peers = self.shuffled();
        let [one, other, ..] = &peers[..] else { return };
        cut(self.world(), one, other);
        self.last().await;
        self.world().mend(one, other);
    }

    /// Leaves the peers, in random order, only the links of a shape.
    async fn shape(&mut self, name: &str, shape: fn(&World, &str, &[&Peer])) {
        let peers = self.shuffled();
        let peers: Vec<&Peer> = peers.iter().collect();
        let name = format!("{name} {}", self.number);
        shape(self.world(), &name, &peers);
        self.last().await;
        self.world().end_partition(&name);
    }

    /// Cuts some peers off one by one, and lets them back in another order.
    async fn swizzle(&mut self) {
        let mut peers = self.shuffled();
        peers.truncate(1 + self.draws.index(peers.len()));
        self.world().ground.fired.count(Partition::Swizzle);
        let name = |number: u32, peer: &Peer| format!("swizzle {number} {}", peer.name());
        for peer in &peers {
            let others = self.world().peers();
            let others: Vec<&Peer> =
                others.iter().filter(|other| other.name() != peer.name()).collect();
            self.world().partition(&name(self.number, peer), &[&[peer], &others]);
            let pause = self.draws.pause(Duration::from_secs(1));
            sleep(pause).await;
        }
        self.last().await;
        self.draws.shuffle(&mut peers);
        for peer in &peers {
            self.world().end_partition(&name(self.number, peer));
            let pause = self.draws.pause(Duration::from_secs(1));
            sleep(pause).await;
        }
    }

    /// Breaks one machine. It is spared other such faults meanwhile.
    async fn machine(&mut self, fault: MachineFault) {
        let peers = self.shuffled();
        let swarm = self.swarm.clone();
        let rotten = self.swarm.rotten();
        // Data that one disk has lost must still be on another.
        let loses = matches!(fault, MachineFault::BitFlip | MachineFault::Restored);
        let may_be = |peer: &Peer| {
            if fault == MachineFault::HostCrash {
                swarm.hosts(peer)
            } else if loses && let Some(rotten) = &rotten {
                peer.name() == rotten
            } else {
                !matches!(fault, MachineFault::Crash | MachineFault::Restored) || !swarm.hosts(peer)
            }
        };
        let peer = peers.into_iter().find(may_be);
        let Some(peer) = peer.filter(|peer| peer.try_home().is_some()) else { return };
        let busy = self.busy.clone();
        if !lock(&busy.0).insert(peer.name().to_owned()) {
            return;
        }
        self.happen_to(&peer, fault).await;
        lock(&busy.0).remove(peer.name());
    }

    async fn happen_to(&mut self, peer: &Peer, fault: MachineFault) {
        let fired = self.world().ground.fired.clone();
        match fault {
            MachineFault::FailedSync => peer.fail_syncs(self.draws.between(1, 3) as u32),
            MachineFault::ClockJump => {
                let millis = self.draws.below(2 * 86_400_000) as i64 - 86_400_000;
                peer.jump_clock(millis);
                fired.count(fault);
            }
            MachineFault::DiskFull => {
                fired.count(fault);
                peer.set_disk_full(true);
                self.last().await;
                peer.set_disk_full(false);
            }
            MachineFault::SlowDisk => {
                fired.count(fault);
                peer.set_disk_latency(self.draws.pause(Duration::from_secs(3)));
                self.last().await;
                self.swarm.usual_disk(peer);
            }
            MachineFault::FailedRead => self.fail_reads(peer).await,
            MachineFault::StalledDisk => {
                fired.count(fault);
                peer.stall_disk(self.draws.pause(Duration::from_secs(20)));
                self.last().await;
            }
            MachineFault::Moved => {
                fired.count(fault);
                peer.move_away();
                self.last().await;
                // Some hosts come back to where they are looked for. Others stay, and give their
                // new address on a ticket after the heal.
                if self.draws.chance(500) {
                    peer.move_back();
                }
            }
            MachineFault::Offline => {
                let (Some(life), Some(home)) = (peer.life(), peer.try_home()) else { return };
                fired.count(fault);
                let _crashed = life.within(home.offline()).await;
                self.last().await;
                let _crashed = life.within(home.online()).await;
            }
            MachineFault::CrashInWrite => {
                peer.die_in(self.draws.between(1, 12) as u32);
                for _ in 0..400 {
                    sleep(Duration::from_millis(5)).await;
                    if peer.died() {
                        break;
                    }
                }
                self.crash_for_a_while(peer).await;
            }
            MachineFault::Reopened => {
                fired.count(fault);
                self.swarm.crashed(peer);
                peer.close().await;
                self.last().await;
                self.swarm.start(peer).await;
            }
            MachineFault::Restored => {
                let (snapshot, saves) = (peer.snapshot(), self.swarm.0.ledger.saves());
                // The machine moves meanwhile, so its restored disk does not know the last
                // addresses.
                let moves = self.swarm.0.profile.faults.contains(&MachineFault::Moved.into());
                for _ in 0..if moves { 3 } else { 1 } {
                    if moves {
                        fired.count(MachineFault::Moved);
                        peer.move_away();
                    }
                    self.last().await;
                }
                peer.crash().await;
                fired.count(fault);
                self.swarm.crashed(peer);
                peer.restore(snapshot);
                self.swarm.0.ledger.set_back(peer.name(), saves);
                self.swarm.start(peer).await;
            }
            MachineFault::BitFlip => {
                fired.count(fault);
                peer.crash().await;
                self.swarm.crashed(peer);
                self.swarm.0.ledger.rots(peer.name());
                for _ in 0..self.draws.between(1, 8) {
                    peer.flip_bit();
                }
                self.last().await;
                self.swarm.start(peer).await;
            }
            MachineFault::Crash | MachineFault::HostCrash => {
                fired.count(fault);
                self.crash_for_a_while(peer).await;
            }
        }
    }

    /// Makes reads fail for a while, at a home that was just opened and has nothing in memory.
    async fn fail_reads(&mut self, peer: &Peer) {
        self.swarm.crashed(peer);
        peer.close().await;
        self.swarm.start(peer).await;
        peer.set_disk_unreadable(true);
        self.last().await;
        peer.set_disk_unreadable(false);
    }

    async fn crash_for_a_while(&mut self, peer: &Peer) {
        peer.crash().await;
        self.swarm.crashed(peer);
        self.last().await;
        self.swarm.start(peer).await;
    }

    /// Copies a member's home to another machine, where a person answers too.
    async fn clone_a_member(&mut self) {
        let peers = self.shuffled();
        let member = |peer: &&Peer| peer.name() != super::door::STRANGER && !self.swarm.hosts(peer);
        let Some(peer) = peers.iter().find(member) else { return };
        // Others link with two runs of a device at once; a third copy waits until one has ended.
        let family = family(peer.name());
        let has_twin =
            peers.iter().any(|other| is_copy(other) && self::family(other.name()) == family);
        let rots = self.swarm.rotten().is_some_and(|rotten| rotten == family);
        if has_twin || rots || peer.try_home().is_none() {
            return;
        }
        let name = format!("{}{COPY}{}", peer.name(), self.number);
        let twin = self.world().clone_home(peer, &name);
        self.world().ground.fired.count(Fault::Cloned);
        self.swarm.lay_links(&twin);
        self.swarm.usual_disk(&twin);
        self.swarm.start(&twin).await;
        self.swarm.spawn(person::live(self.swarm.clone(), twin));
    }
}

/// The letter in the name of a copy, between the original's name and a number.
const COPY: char = 'x';

/// Returns the name of the original whose home this peer has, or has a copy of.
fn family(name: &str) -> &str {
    name.split(COPY).next().unwrap_or(name)
}

fn is_copy(peer: &Peer) -> bool {
    peer.name().contains(COPY)
}

/// Cuts the first of the shuffled peers off from the others.
fn in_two(world: &World, name: &str, peers: &[&Peer]) {
    let first = lock(&world.ground.draws).index(peers.len());
    let (one, other) = peers.split_at(first);
    world.partition(name, &[one, other]);
}

impl Swarm {
    /// True if a home was copied: others take its machines for one device.
    pub(super) fn has_copies(&self) -> bool {
        self.0.world.peers().iter().any(is_copy)
    }

    /// Returns the peer whose disk rots. There is only one: data that is on no sound disk is lost.
    pub(super) fn rotten(&self) -> Option<String> {
        let rots = self.0.profile.faults.contains(&MachineFault::BitFlip.into());
        // The first person may be a host.
        let others = self.0.profile.people - 1;
        rots.then(|| format!("p{}", 1 + self.draws("rotten").index(others)))
    }

    /// Notes that a peer's process has ended.
    pub(super) fn crashed(&self, peer: &Peer) {
        self.0.ledger.crashed(peer.name());
        self.0.calls.crashed(peer.name());
    }

    /// Opens a home again, repeatedly: its disk may still be failing.
    pub(super) async fn start(&self, peer: &Peer) {
        while peer.start().await.is_err() {
            sleep(Duration::from_millis(500)).await;
        }
    }
}
