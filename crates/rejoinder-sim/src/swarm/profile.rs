//! The profile of a swarm. Each seed draws its own, so that an error that many kinds of faults
//! would hide shows in a world with only a few.

use std::{collections::BTreeSet, time::Duration};

use crate::{
    draws::Draws,
    fault::{Fault, MachineFault},
    network::LinkQuality,
    world::World,
};

/// The profile of a swarm.
#[derive(Debug)]
pub(super) struct Profile {
    /// The number of people, not counting the host.
    pub(super) people: usize,
    /// The time during which faults happen.
    pub(super) breaks_for: Duration,
    /// The time that people think before they act.
    pub(super) thinking: Duration,
    /// The time that the agent works between two steps.
    pub(super) working: Duration,
    /// The time between two faults.
    pub(super) between_faults: Duration,
    /// The time that a fault lasts.
    pub(super) faults_last: Duration,
    /// The kinds of faults that happen.
    pub(super) faults: BTreeSet<Fault>,
    /// The people of a thousand that come late.
    pub(super) late_joins: u32,
    /// The clocks of a thousand that are wrong.
    pub(super) wrong_clocks: u32,
    /// True if one of the people hosts a second workspace.
    pub(super) second: bool,
    /// The way in which devices are let in.
    pub(super) door: Door,
    /// True if the agent asks many short requests.
    pub(super) busy: bool,
    /// True if there is a text at its limit.
    pub(super) long_texts: bool,
    /// True if people change an answer hundreds of times.
    pub(super) long_history: bool,
    loss: u32,
    twice: u32,
    late: u32,
    latency: u64,
    slow_links: u32,
    disks: u64,
}

/// The way in which devices are let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Door {
    /// The ticket is enough.
    Open,
    /// The ticket is enough, and also names a stranger.
    Stranger,
    /// A person approves the devices that have a ticket.
    Approval {
        /// True if somebody asks over and over.
        insistent: bool,
    },
    /// The ticket is good for one device. The others get new ones.
    Seats,
}

impl Profile {
    pub(super) fn draw(world: &World) -> Self {
        let mut draws = Draws::new(world.seed(), "profile");
        let mut faults = BTreeSet::new();
        while faults.is_empty() {
            faults = in_order_of_draw().filter(|_| draws.chance(500)).collect();
        }
        let millis = |draws: &mut Draws, low, high| Duration::from_millis(draws.between(low, high));
        let often = |draws: &mut Draws, most| {
            let some = draws.chance(600);
            let often = draws.between(1, most) as u32;
            if some { often } else { 0 }
        };
        Self {
            people: draws.between(2, 6) as usize,
            breaks_for: millis(&mut draws, 120_000, 150_000),
            thinking: millis(&mut draws, 300, 3_000),
            working: millis(&mut draws, 800, 5_000),
            between_faults: millis(&mut draws, 1_500, 10_000),
            faults_last: millis(&mut draws, 1_000, 25_000),
            faults,
            late_joins: often(&mut draws, 600),
            wrong_clocks: often(&mut draws, 600),
            loss: often(&mut draws, 60),
            twice: often(&mut draws, 30),
            late: often(&mut draws, 20),
            latency: draws.between(1, 150),
            slow_links: often(&mut draws, 300),
            disks: draws.between(0, 40),
            second: draws.chance(250),
            door: match draws.below(10) {
                4..6 => Door::Stranger,
                0..4 => Door::Open,
                6..9 => Door::Approval { insistent: draws.chance(300) },
                _ => Door::Seats,
            },
            busy: draws.chance(80),
            long_texts: draws.chance(60),
            long_history: draws.chance(100),
        }
    }

    /// Returns the link of pairs for which none was drawn.
    pub(super) fn usual_link(&self) -> LinkQuality {
        self.link(Duration::from_millis(self.latency), None)
    }

    /// Draws the latency of one peer's disk.
    pub(super) fn draw_disk(&self, draws: &mut Draws) -> Duration {
        Duration::from_millis(draws.between(0, self.disks))
    }

    /// Draws the link of one pair, in one direction.
    pub(super) fn draw_link(&self, draws: &mut Draws) -> LinkQuality {
        let latency = Duration::from_millis(draws.between(1, self.latency * 2));
        let bandwidth = draws.between(8_000, 80_000) as u32;
        let slow = draws.chance(self.slow_links);
        self.link(latency, slow.then_some(bandwidth))
    }

    fn link(&self, latency: Duration, bandwidth: Option<u32>) -> LinkQuality {
        LinkQuality {
            latency,
            jitter: latency / 10,
            loss: self.loss,
            twice: self.twice,
            late: self.late,
            bandwidth,
            in_order: true,
        }
    }
}

/// Returns every fault, in the order in which a profile draws them. A seed can only be replayed
/// while this order stays: a new fault comes after the others of its kind.
fn in_order_of_draw() -> impl Iterator<Item = Fault> {
    let mut faults: Vec<Fault> = Fault::all().collect();
    let place = |of| faults.iter().position(|fault| *fault == Fault::Machine(of));
    // `Moved` was drawn before `BitFlip` when the seeds in the tests were found.
    if let (Some(first), Some(last)) = (place(MachineFault::BitFlip), place(MachineFault::Moved)) {
        faults[first..=last].rotate_right(1);
    }
    faults.into_iter()
}
