//! A world drawn from a seed: the number of peers, the quality of their links, their actions and
//! the faults.
//!
//! While things break, the swarm checks what must never happen. Then everything heals, and it
//! checks what must come about in the end.

mod agent;
mod calls;
mod door;
mod faults;
mod form;
mod ledger;
mod liveness;
mod person;
mod profile;
mod tokens;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use rejoinder::{Event, Fate, HomeEvent, NotDone, Refused, Ticket, WorkspaceId, WorkspaceView};
use tokio::{
    sync::Notify,
    task::JoinSet,
    time::{Instant, sleep},
};

use self::{
    calls::Calls,
    door::Doors,
    ledger::Ledger,
    profile::{Door, Profile},
};
use crate::{
    draws::Draws,
    failure::Failure,
    fault::{Deed, Happening, Mishap},
    lock::lock,
    peer::{Life, Peer},
    world::World,
};

/// The report on a world in which everything held.
#[derive(Debug, Clone)]
pub struct Report {
    /// Its seed.
    pub seed: u64,
    /// The number of peers at the end.
    pub peers: usize,
    /// The virtual time that it took.
    pub simulated: Duration,
    /// The time from the heal until all peers were the same.
    pub healed_in: Duration,
    /// The counts of each fault, mishap and deed.
    pub faults: BTreeMap<Happening, u64>,
    /// The counts of what people and the agent have done.
    pub done: BTreeMap<&'static str, u64>,
    /// The hash of its packets and events.
    pub trace_hash: u64,
    /// The number of packets that were sent.
    pub packets: u64,
}

/// The state that everybody in a swarm shares.
#[derive(Debug, Clone)]
pub(crate) struct Swarm(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    world: World,
    profile: Profile,
    ledger: Ledger,
    spaces: Vec<Space>,
    doors: Mutex<Doors>,
    calls: Calls,
    /// The time in which people and the agent act. It ends with the heal: nobody begins anything
    /// new then.
    day: Life,
    everybody: Mutex<JoinSet<()>>,
}

/// A workspace. The first is the agent's; the host of the second is a member of the first.
#[derive(Debug)]
pub(crate) struct Space {
    number: usize,
    workspace: WorkspaceId,
    ticket: Ticket,
    host: Peer,
}

/// Runs the world of a seed.
///
/// # Errors
///
/// A promise was broken.
pub fn swarm(seed: u64) -> Result<Report, Failure> {
    swarm_in(&World::new(seed))
}

/// Works like [`swarm`], in a world that can be inspected afterwards.
///
/// # Errors
///
/// A promise was broken.
pub fn swarm_in(world: &World) -> Result<Report, Failure> {
    world.try_run(live)
}

async fn live(world: &World) -> Report {
    let profile = Profile::draw(world);
    world.note(&format!("{profile:?}"));
    world.set_links(profile.usual_link());
    let swarm = Swarm::begin(world, profile).await;
    for space in 0..swarm.0.spaces.len() {
        swarm.spawn(agent::work(swarm.clone(), space));
    }
    for number in 0..swarm.0.profile.people {
        swarm.spawn(swarm.clone().arrive(number));
    }
    swarm.spawn(swarm.clone().watch_calls());
    let stop = Arc::new(Notify::new());
    let breaking = tokio::spawn(faults::happen(swarm.clone(), Arc::clone(&stop)));
    sleep(swarm.0.profile.breaks_for).await;

    stop.notify_one();
    breaking.await.expect("what breaks things does not break");
    swarm.0.day.end();
    let healed = Instant::now();
    swarm.heal().await;
    swarm.all_is_answered().await;
    swarm.comes_to_rest().await;
    let healed_in = healed.elapsed();
    swarm.holds().await;
    Report {
        seed: world.seed(),
        peers: world.peers().len(),
        simulated: world.elapsed(),
        healed_in,
        faults: world.faults(),
        done: swarm.0.ledger.done(),
        trace_hash: world.trace_hash(),
        packets: world.packets(),
    }
}

impl Swarm {
    /// Has the hosts make their workspaces while nothing is broken yet.
    async fn begin(world: &World, profile: Profile) -> Self {
        let agent = world.peer("agent").await;
        let stranger = match profile.door {
            Door::Stranger => Some(world.peer(door::STRANGER).await),
            Door::Open | Door::Approval { .. } | Door::Seats => None,
        };
        let mut hosts = vec![agent];
        if profile.second {
            hosts.push(world.peer("p0").await);
            world.ground.fired.count(Deed::SecondWorkspace);
        }
        if stranger.is_some() {
            world.ground.fired.count(Deed::StrangersHint);
        }
        let mut spaces = Vec::new();
        for (number, peer) in hosts.into_iter().enumerate() {
            let host = peer.home().create_workspace("swarm").await.expect("a sound disk");
            let ticket = door::ticket(profile.door, &host, stranger.as_ref()).await;
            spaces.push(Space { number, workspace: host.workspace().id(), ticket, host: peer });
        }
        let shared = Shared {
            world: world.clone(),
            profile,
            ledger: Ledger::default(),
            spaces,
            doors: Mutex::default(),
            calls: Calls::default(),
            day: Life::default(),
            everybody: Mutex::default(),
        };
        let swarm = Self(Arc::new(shared));
        for peer in world.peers() {
            swarm.lay_links(&peer);
            swarm.usual_disk(&peer);
        }
        let observer = Arc::downgrade(&swarm.0);
        world.observe(move |peer, event| {
            let Some(shared) = observer.upgrade() else { return };
            let swarm = Self(shared);
            if let Err(why) = swarm.0.ledger.event(peer, event) {
                swarm.0.world.fail(why);
            }
            swarm.at_the_door(peer, event);
            swarm.0.calls.event(peer, event);
            if late(event) {
                swarm.0.world.ground.fired.count(Deed::LateProposal);
            }
        });
        swarm
    }

    /// Starts a life beside all others.
    fn spawn(&self, life: impl Future<Output = ()> + Send + 'static) {
        lock(&self.0.everybody).spawn(life);
    }

    /// Waits, and returns true while the day lasts.
    async fn pause(&self, pause: Duration) -> bool {
        self.0.day.within(sleep(pause)).await.is_some()
    }

    /// Returns all who are to be members.
    fn members(&self) -> Vec<Peer> {
        let mut peers = self.0.world.peers();
        peers.retain(|peer| peer.name() != door::STRANGER);
        peers
    }

    /// True if a peer is a host: anything that only its disk has is lost with that.
    fn hosts(&self, peer: &Peer) -> bool {
        self.0.spaces.iter().any(|space| space.host.name() == peer.name())
    }

    fn draws(&self, purpose: &str) -> Draws {
        Draws::new(self.0.world.seed(), purpose)
    }

    /// Has a person arrive, at the start or later, join, and answer.
    async fn arrive(self, number: usize) {
        let name = format!("p{number}");
        let mut draws = self.draws(&format!("arrival {name}"));
        let there = self.0.world.peers().into_iter().find(|peer| peer.name() == name);
        if draws.chance(self.0.profile.late_joins) && there.is_none() {
            if !self.pause(draws.pause(self.0.profile.breaks_for / 3)).await {
                return;
            }
            self.0.world.ground.fired.count(Deed::LateJoin);
        }
        let peer = match there {
            Some(peer) => peer,
            None => {
                let peer = self.0.world.peer(&name).await;
                self.lay_links(&peer);
                self.usual_disk(&peer);
                peer
            }
        };
        if draws.chance(self.0.profile.wrong_clocks) {
            let years = i64::try_from(draws.below(40)).unwrap_or(0) - 20;
            peer.jump_clock(years * 365 * 86_400_000);
            self.0.world.ground.fired.count(Mishap::WrongClock);
        }
        person::live(self, peer).await;
    }

    /// Gives each link of a peer, in each direction, its own properties.
    fn lay_links(&self, peer: &Peer) {
        let mut draws = self.draws(&format!("links of {}", peer.name()));
        for other in self.0.world.peers() {
            if other.name() != peer.name() {
                self.0.world.set_link(peer, &other, self.0.profile.draw_link(&mut draws));
                self.0.world.set_link(&other, peer, self.0.profile.draw_link(&mut draws));
            }
        }
    }

    /// Gives a peer's disk its usual latency.
    fn usual_disk(&self, peer: &Peer) {
        let mut draws = self.draws(&format!("disk of {}", peer.name()));
        peer.set_disk_latency(self.0.profile.draw_disk(&mut draws));
    }

    /// Returns a peer's present view of the workspace; `None` while it is down or has no such
    /// workspace.
    async fn look_at(&self, peer: &Peer, space: &Space) -> Option<WorkspaceView> {
        let life = peer.life()?;
        let workspace = self.workspace_at(peer, space).await?;
        let view = life.within(workspace.view()).await?.ok()?;
        self.looked(peer, space, &view);
        for request in &view.requests {
            if let Err(why) = self.0.ledger.seen(peer.name(), request) {
                self.0.world.fail(why);
            }
        }
        Some(view)
    }

    /// Checks a view that somebody at a peer has seen.
    fn looked(&self, peer: &Peer, space: &Space, view: &WorkspaceView) {
        self.0.world.ground.seen(peer.name(), view);
        if view.uncarried == 0 {
            self.0.ledger.all_carried(peer.name(), space.workspace);
        }
        if let Err(why) = self.0.ledger.waits_in_vain(peer.name(), view) {
            self.0.world.fail(why);
        }
    }

    async fn workspace_at(&self, peer: &Peer, space: &Space) -> Option<rejoinder::Workspace> {
        let (life, home) = (peer.life()?, peer.try_home()?);
        life.within(home.workspace(space.workspace)).await?.ok()?
    }

    fn count(&self, what: &'static str) {
        self.0.ledger.count(what);
    }
}

/// True if a proposal came after the decision.
fn late(event: &HomeEvent) -> bool {
    let HomeEvent::Plain(Event::Fate { fate: Fate::Refused(refusal), .. }) = event else {
        return false;
    };
    refusal.code() == "already-decided"
}

/// True if an honest caller may be refused in this way.
fn may_be(refused: &NotDone) -> bool {
    match refused {
        NotDone::Closed(_) => true,
        NotDone::Refused(refused) => !matches!(refused, Refused::NoWorkspace),
    }
}
