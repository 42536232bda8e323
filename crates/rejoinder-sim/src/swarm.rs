//! A world drawn from a seed: how many peers, how good their links, what they do and what breaks.
//!
//! While things break, what must never happen is checked; then everything heals, and what must
//! come about in the end is.

mod agent;
mod faults;
mod form;
mod ledger;
mod liveness;
mod person;
mod profile;
mod tokens;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use rejoinder::{HomeEvent, Invite, NotDone, Refused, Role, Ticket, WorkspaceId};
use tokio::{
    sync::Notify,
    task::JoinSet,
    time::{Instant, sleep},
};

use self::{ledger::Ledger, profile::Profile};
use crate::{draws::Draws, failure::Failure, fault::Fault, peer::Peer, world::World};

/// What a world was like in which everything held.
#[derive(Debug, Clone)]
pub struct Report {
    /// Its seed.
    pub seed: u64,
    /// How many peers it had in the end.
    pub peers: usize,
    /// How much virtual time it took.
    pub simulated: Duration,
    /// How long it took until all was the same after the heal.
    pub healed_in: Duration,
    /// How often each kind of fault happened.
    pub faults: BTreeMap<Fault, u64>,
    /// How often what was done by people and the agent.
    pub done: BTreeMap<&'static str, u64>,
    /// The hash of its packets and events.
    pub trace_hash: u64,
    /// How many packets were sent.
    pub packets: u64,
}

/// What everybody in a swarm shares.
#[derive(Debug, Clone)]
pub(crate) struct Swarm(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    world: World,
    profile: Profile,
    ledger: Ledger,
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

/// As [`swarm`], in a world that may be looked at afterwards.
///
/// # Errors
///
/// A promise was broken.
pub fn swarm_in(world: &World) -> Result<Report, Failure> {
    world.try_run(live)
}

async fn live(world: &World) -> Report {
    let profile = Profile::draw(world.seed());
    world.note(&format!("{profile:?}"));
    world.set_links(profile.usual_link());
    let swarm = Swarm::begin(world, profile).await;
    let mut everybody = JoinSet::new();
    everybody.spawn(agent::work(swarm.clone()));
    for number in 0..swarm.0.profile.people {
        everybody.spawn(swarm.clone().arrive(number));
    }
    let stop = Arc::new(Notify::new());
    let breaking = tokio::spawn(faults::happen(swarm.clone(), Arc::clone(&stop)));
    sleep(swarm.0.profile.breaks_for).await;

    stop.notify_one();
    breaking.await.expect("what breaks things does not break");
    everybody.shutdown().await;
    let healed = Instant::now();
    swarm.heal().await;
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
    /// The host makes its workspace while nothing is broken yet.
    async fn begin(world: &World, profile: Profile) -> Self {
        let agent = world.peer("agent").await;
        let host = agent.home().create_workspace("swarm").await.expect("a sound disk");
        let valid_for = Duration::from_secs(86_400 * 365 * 30);
        let invite = Invite { seats: 32, valid_for, role: Role::Collaborator, approve: false };
        let ticket = host.ticket(invite).await.expect("a host may invite");
        let workspace = host.workspace().id();
        let ledger = Ledger::default();
        let world = world.clone();
        let shared = Shared { world, profile, ledger, workspace, ticket, host: agent };
        let swarm = Self(Arc::new(shared));
        swarm.usual_disk(&swarm.0.host);
        let (ledger, observed) = (swarm.0.ledger.clone(), swarm.0.world.clone());
        swarm.0.world.observe(move |peer, event| {
            if let Err(why) = ledger.event(peer, event) {
                observed.fail(why);
            }
            if late(event) {
                observed.inner.fired.count(Fault::LateProposal);
            }
        });
        swarm
    }

    fn draws(&self, purpose: &str) -> Draws {
        Draws::new(self.0.world.seed(), purpose)
    }

    /// A person comes, at once or in the middle of it, joins, and answers.
    async fn arrive(self, number: usize) {
        let name = format!("p{number}");
        let mut draws = self.draws(&format!("arrival {name}"));
        if draws.chance(self.0.profile.late_joins) {
            sleep(draws.pause(self.0.profile.breaks_for / 3)).await;
            self.0.world.inner.fired.count(Fault::LateJoin);
        }
        let peer = self.0.world.peer(&name).await;
        self.lay_links(&peer);
        self.usual_disk(&peer);
        if draws.chance(self.0.profile.wrong_clocks) {
            let years = i64::try_from(draws.below(40)).unwrap_or(0) - 20;
            peer.jump_clock(years * 365 * 86_400_000);
            self.0.world.inner.fired.count(Fault::WrongClock);
        }
        person::live(self, peer).await;
    }

    /// Gives each link of a peer, in each direction, a character of its own.
    fn lay_links(&self, peer: &Peer) {
        let mut draws = self.draws(&format!("links of {}", peer.name()));
        for other in self.0.world.peers() {
            if other.name() != peer.name() {
                self.0.world.set_link(peer, &other, self.0.profile.draw_link(&mut draws));
                self.0.world.set_link(&other, peer, self.0.profile.draw_link(&mut draws));
            }
        }
    }

    /// Lets a peer's disk be as fast as it is.
    fn usual_disk(&self, peer: &Peer) {
        let mut draws = self.draws(&format!("disk of {}", peer.name()));
        peer.set_disk_latency(self.0.profile.draw_disk(&mut draws));
    }

    /// What a peer shows of the workspace now; none while it is down or knows nothing of it.
    async fn look_at(&self, peer: &Peer) -> Option<rejoinder::WorkspaceView> {
        let life = peer.life()?;
        let workspace = self.workspace_at(peer).await?;
        let view = life.within(workspace.view()).await?.ok()?;
        self.0.world.seen(peer, &view);
        if view.uncarried == 0 {
            self.0.ledger.all_carried(peer.name());
        }
        for request in &view.requests {
            if let Err(why) = self.0.ledger.seen(peer.name(), request) {
                self.0.world.fail(why);
            }
        }
        Some(view)
    }

    async fn workspace_at(&self, peer: &Peer) -> Option<rejoinder::Workspace> {
        let (life, home) = (peer.life()?, peer.try_home()?);
        life.within(home.workspace(self.0.workspace)).await?.ok()?
    }

    fn count(&self, what: &'static str) {
        self.0.ledger.count(what);
    }
}

/// Whether a proposal came after the decision.
fn late(event: &HomeEvent) -> bool {
    let HomeEvent::Fate { fate: rejoinder::Fate::Refused(refusal), .. } = event else {
        return false;
    };
    refusal.code() == "already-decided"
}

/// Whether the caller may have been told no in an orderly way.
fn may_be(refused: &NotDone) -> bool {
    match refused {
        NotDone::Closed(_) => true,
        NotDone::Refused(refused) => !matches!(refused, Refused::NoWorkspace),
    }
}
