//! A link, and its effect on the packets that pass.

use std::time::Duration;

use tokio::time::Instant;

use crate::{draws::Draws, fault::Mishap};

/// The properties of a link, in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkQuality {
    /// The time that a packet takes to arrive.
    pub latency: Duration,
    /// The largest extra time, drawn for each packet.
    pub jitter: Duration,
    /// The packets of a thousand that are lost.
    pub loss: u32,
    /// The packets of a thousand that come twice.
    pub twice: u32,
    /// The packets of a thousand that come late, behind others.
    pub late: u32,
    /// The bytes per second; `None` means no limit.
    pub bandwidth: Option<u32>,
    /// True if packets that are not late keep their order.
    pub in_order: bool,
}

impl Default for LinkQuality {
    /// Returns a good link: 20 ms, in order, no loss.
    fn default() -> Self {
        Self {
            latency: Duration::from_millis(20),
            jitter: Duration::from_millis(2),
            loss: 0,
            twice: 0,
            late: 0,
            bandwidth: None,
            in_order: true,
        }
    }
}

/// A link, and the load on it.
#[derive(Debug)]
pub(super) struct BusyLink {
    link: LinkQuality,
    /// The time at which the last waiting byte will have left.
    free: Option<Instant>,
    /// The time at which the last packet in order arrives.
    last: Option<Instant>,
}

/// The fate of a packet: its arrivals, if any, and the mishap that it met.
pub(super) struct Delivery {
    pub(super) arrivals: [Option<Instant>; 2],
    pub(super) mishap: Option<Mishap>,
}

/// The longest time that a packet waits to enter a slow link.
const QUEUE: Duration = Duration::from_millis(500);

impl BusyLink {
    pub(super) fn new(link: LinkQuality) -> Self {
        Self { link, free: None, last: None }
    }

    pub(super) fn draw(&mut self, draws: &mut Draws, now: Instant, len: usize) -> Delivery {
        let link = self.link;
        let jitter = u64::try_from(link.jitter.as_micros()).unwrap_or(u64::MAX - 1);
        let jitter = Duration::from_micros(draws.between(0, jitter));
        let (lost, twice, late) =
            (draws.chance(link.loss), draws.chance(link.twice), draws.chance(link.late));
        let delay = Duration::from_millis(draws.between(20, 400));
        let nothing = [None, None];
        let Some(sent) = self.pass(now, len) else {
            return Delivery { arrivals: nothing, mishap: Some(Mishap::Congested) };
        };
        if lost {
            return Delivery { arrivals: nothing, mishap: Some(Mishap::Lost) };
        }
        let mut at = sent + link.latency + jitter;
        if late {
            let arrivals = [Some(at + delay), None];
            return Delivery { arrivals, mishap: Some(Mishap::Reordered) };
        }
        if link.in_order {
            at = self.last.map_or(at, |last| at.max(last));
            self.last = Some(at);
        }
        let mishap = twice.then_some(Mishap::Duplicated);
        Delivery { arrivals: [Some(at), twice.then(|| at + delay)], mishap }
    }

    /// Returns the time at which a packet has left; `None` if the queue is full.
    fn pass(&mut self, now: Instant, len: usize) -> Option<Instant> {
        let Some(bandwidth) = self.link.bandwidth else { return Some(now) };
        let start = self.free.map_or(now, |free| free.max(now));
        if start - now > QUEUE {
            return None;
        }
        let takes = Duration::from_micros(len as u64 * 1_000_000 / u64::from(bandwidth.max(1)));
        self.free = Some(start + takes);
        self.free
    }
}
