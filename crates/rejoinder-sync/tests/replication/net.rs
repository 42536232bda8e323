//! Nodes, the links between them, and what can happen to both.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use rejoinder_identity::{ActorId, DocumentId, ProposalId, Timestamp, hash};
use rejoinder_sync::{Effect, LinkId};

use super::{
    node::{Node, State, Taken},
    random::Random,
};

/// The byte of a frame that says of which kind it is.
const KIND: usize = 1;
/// The kind of a frame that tells a position.
const POSITION: u8 = 1;

/// A frame on its way, with what its sender held when it was sent.
#[derive(Debug)]
pub(super) struct Flying {
    frame: Vec<u8>,
    /// When the frame is a position.
    sender: Option<State>,
}

/// One end of a link.
#[derive(Debug)]
pub(super) struct End {
    pub(super) node: usize,
    /// The other end.
    pub(super) other: LinkId,
    /// Frames on their way to this end.
    pub(super) arriving: VecDeque<Flying>,
    /// The other end's state when it told the position that arrived last.
    pub(super) told: Option<State>,
    pub(super) in_sync: bool,
    /// The number of times that each item arrived.
    pub(super) arrived: BTreeMap<[u8; 32], usize>,
}

/// A fetch that a world does on behalf of a node.
#[derive(Debug)]
enum Fetch {
    Records { link: LinkId, from: u64, budget: usize },
    Changes { link: LinkId, document: DocumentId, after: BTreeMap<ActorId, u64>, budget: usize },
    Proposals { link: LinkId, ids: Vec<ProposalId> },
}

/// Counts of interesting things.
pub(super) type Counts = BTreeMap<&'static str, usize>;

#[derive(Debug)]
pub(super) struct World {
    pub(super) nodes: Vec<Node>,
    pub(super) now: Timestamp,
    pub(super) random: Random,
    pub(super) ends: BTreeMap<LinkId, End>,
    fetches: Vec<(usize, Fetch)>,
    links_made: u64,
    things_made: u64,
    pub(super) host: usize,
    pub(super) epoch: u64,
    /// One arriving item in so many is dropped by its receiver; 0: none.
    pub(super) drops: usize,
    /// Fetches wait until the world says so.
    pub(super) slow_disks: bool,
    pub(super) counts: Counts,
}

impl World {
    pub(super) fn new(seed: u64, nodes: usize) -> Self {
        let mut world = Self {
            nodes: (0..nodes).map(Node::new).collect(),
            now: Timestamp::from_millis(1_000_000),
            random: Random(seed),
            ends: BTreeMap::new(),
            fetches: Vec::new(),
            links_made: 0,
            things_made: 0,
            host: 0,
            epoch: 1,
            drops: 0,
            slow_disks: false,
            counts: Counts::new(),
        };
        world.record();
        world
    }

    pub(super) fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    pub(super) fn counted(&self, what: &'static str) -> usize {
        self.counts.get(what).copied().unwrap_or(0)
    }

    // What people and hosts do.

    /// A record that says nothing.
    pub(super) fn record(&mut self) {
        let now = self.now;
        self.nodes[self.host].make_record(now, None, None);
        self.drive(self.host);
    }

    /// The host opens a document.
    pub(super) fn open(&mut self) -> DocumentId {
        let document = DocumentId(self.new_id());
        let now = self.now;
        self.nodes[self.host].make_record(now, Some(document), None);
        self.drive(self.host);
        document
    }

    pub(super) fn edit(&mut self, node: usize, document: DocumentId) {
        self.edit_of_size(node, document, 60);
    }

    pub(super) fn edit_of_size(&mut self, node: usize, document: DocumentId, size: usize) {
        let now = self.now;
        self.nodes[node].edit(now, document, size);
        self.drive(node);
    }

    pub(super) fn propose(&mut self, node: usize) {
        let bytes = self.new_id().into();
        let now = self.now;
        self.nodes[node].propose(now, bytes);
        self.drive(node);
    }

    /// The host answers one of the proposals that it has.
    pub(super) fn answer(&mut self) {
        let proposals = self.nodes[self.host].proposal_ids();
        if let Some(proposal) = self.random.pick(&proposals) {
            let now = self.now;
            self.nodes[self.host].make_record(now, None, Some(proposal));
            self.drive(self.host);
            self.count("answers");
        }
    }

    /// Another device becomes the host. It knows of the latest epoch, but maybe not the end of it.
    pub(super) fn take_over(&mut self, node: usize, lost: usize) {
        if self.nodes[node].epoch() != self.epoch {
            return;
        }
        let length = self.nodes[node].log_length();
        let length = length.saturating_sub(lost as u64).max(1).min(length);
        self.epoch += 1;
        let (now, epoch) = (self.now, self.epoch);
        self.nodes[node].take_over(now, epoch, length);
        self.host = node;
        self.drive(node);
        self.count("take-overs");
    }

    pub(super) fn write_one(&mut self, node: usize) -> bool {
        let now = self.now;
        let wrote = self.nodes[node].write_next(now).is_some();
        self.drive(node);
        wrote
    }

    // Links.

    pub(super) fn is_linked(&self, a: usize, b: usize) -> bool {
        self.end_between(a, b).is_some()
    }

    /// The end at `a` of a link to `b`.
    pub(super) fn end_between(&self, a: usize, b: usize) -> Option<LinkId> {
        let is_it = |end: &End| end.node == a && self.ends[&end.other].node == b;
        self.ends.iter().find(|(_, end)| is_it(end)).map(|(id, _)| *id)
    }

    pub(super) fn link(&mut self, a: usize, b: usize) {
        if self.is_linked(a, b) {
            return;
        }
        let ids = [LinkId(self.links_made), LinkId(self.links_made + 1)];
        self.links_made += 2;
        for (id, other, node) in [(ids[0], ids[1], a), (ids[1], ids[0], b)] {
            let (arriving, arrived) = (VecDeque::new(), BTreeMap::new());
            let end = End { node, other, arriving, told: None, in_sync: false, arrived };
            self.ends.insert(id, end);
        }
        let now = self.now;
        for (id, node) in ids.into_iter().zip([a, b]) {
            self.nodes[node].sync.link_up(now, id);
            self.drive(node);
        }
    }

    /// Cuts a link. Frames on their way are lost.
    pub(super) fn unlink(&mut self, a: usize, b: usize) {
        let Some(id) = self.end_between(a, b) else { return };
        let twin = self.ends[&id].other;
        for (node, id) in [(a, id), (b, twin)] {
            self.nodes[node].sync.link_down(id);
            self.ends.remove(&id);
        }
        self.drive(a);
        self.drive(b);
    }

    pub(super) fn restart(&mut self, node: usize) {
        for other in 0..self.nodes.len() {
            self.unlink(node, other);
        }
        self.fetches.retain(|(waiting, _)| *waiting != node);
        self.nodes[node].restart();
    }

    /// One frame of a random link arrives. Links overtake each other, frames of one link don't.
    pub(super) fn deliver_one(&mut self) -> bool {
        let ready: Vec<LinkId> = self
            .ends
            .iter()
            .filter(|(_, end)| !end.arriving.is_empty())
            .map(|(id, _)| *id)
            .collect();
        let Some(id) = self.random.pick(&ready) else { return false };
        self.deliver_to(id);
        true
    }

    /// The next frame arrives at this end, if there is one.
    pub(super) fn deliver_to(&mut self, id: LinkId) -> bool {
        let Some(end) = self.ends.get_mut(&id) else { return false };
        let Some(Flying { frame, sender }) = end.arriving.pop_front() else { return false };
        let node = end.node;
        match frame[KIND] {
            POSITION => {
                end.told = sender;
                self.count("positions");
            }
            2 => self.count("summary parts"),
            3 => self.count("frames of items"),
            4 => self.count("acknowledgements"),
            5 => self.count("credits"),
            kind => panic!("a frame of kind {kind}"),
        }
        let now = self.now;
        self.nodes[node].sync.receive(now, id, &frame).unwrap();
        self.drive(node);
        true
    }

    pub(super) fn fetch_one(&mut self) -> bool {
        if self.fetches.is_empty() {
            return false;
        }
        let (node, fetch) = self.fetches.remove(self.random.below(self.fetches.len()));
        self.fetch(node, fetch);
        self.drive(node);
        true
    }

    fn fetch(&mut self, node: usize, fetch: Fetch) {
        let (now, node) = (self.now, &mut self.nodes[node]);
        match fetch {
            Fetch::Records { link, from, budget } => node.fetch_records(now, link, from, budget),
            Fetch::Changes { link, document, after, budget } => {
                node.fetch_changes(now, link, document, &after, budget);
            }
            Fetch::Proposals { link, ids } => node.fetch_proposals(now, link, &ids),
        }
    }

    pub(super) fn pass(&mut self, time: Duration) {
        self.now = self.now.after(time);
        let now = self.now;
        for node in 0..self.nodes.len() {
            let due = self.nodes[node].sync.poll_timeout().is_some_and(|due| due <= now);
            if due {
                self.nodes[node].sync.timeout(now);
                self.drive(node);
                let again = self.nodes[node].sync.poll_timeout();
                assert!(again.is_none_or(|due| due > now), "a timer that stays due: a busy loop");
            }
        }
    }

    /// Everything on its way arrives, is fetched and is written. Returns how many steps it took.
    pub(super) fn run_until_quiet(&mut self) -> usize {
        let mut steps = 0;
        loop {
            let wrote = (0..self.nodes.len()).any(|node| self.write_one(node));
            if !(self.deliver_one() || self.fetch_one() || wrote) {
                return steps;
            }
            steps += 1;
            assert!(steps < 200_000, "it never becomes quiet");
        }
    }

    /// So much time passes, and everything happens on the way.
    pub(super) fn run(&mut self, time: Duration) {
        let end = self.now.after(time);
        self.run_until_quiet();
        loop {
            let due = self.nodes.iter().filter_map(|node| node.sync.poll_timeout()).min();
            let Some(due) = due.filter(|due| *due <= end) else { break };
            self.pass(due.since(self.now));
            self.run_until_quiet();
        }
        self.now = end;
        self.check_quiet();
    }

    /// Drives a node's machine until it wants nothing.
    pub(super) fn drive(&mut self, node: usize) {
        while let Some(effect) = self.nodes[node].sync.poll_effect() {
            self.carry_out(node, effect);
        }
    }

    fn carry_out(&mut self, node: usize, effect: Effect) {
        match effect {
            Effect::Send(link, frame) => {
                let Some(end) = self.ends.get(&link) else { return };
                let other = end.other;
                let sender = (frame[KIND] == POSITION).then(|| self.nodes[node].state());
                let arriving = &mut self.ends.get_mut(&other).unwrap().arriving;
                arriving.push_back(Flying { frame, sender });
            }
            Effect::Arrived { link, kind, bytes } => {
                if let Some(end) = self.ends.get_mut(&link) {
                    *end.arrived.entry(hash("test-item", &[&bytes]).0).or_default() += 1;
                }
                let dropped = self.drops > 0 && self.random.one_in(self.drops);
                let taken = if dropped {
                    Taken::Dropped
                } else {
                    self.nodes[node].take(self.now, link, kind, &bytes)
                };
                self.count(match taken {
                    Taken::Admitted => "admitted",
                    Taken::Known => "seen again",
                    Taken::Parked => "parked",
                    Taken::Refused => "refused",
                    Taken::Dropped => "dropped",
                });
            }
            Effect::WantRecords { link, from, budget } => {
                self.want(node, Fetch::Records { link, from, budget });
            }
            Effect::WantEnvelopes { link, document, after, budget } => {
                self.want(node, Fetch::Changes { link, document, after, budget });
            }
            Effect::WantProposals { link, ids } => self.want(node, Fetch::Proposals { link, ids }),
            Effect::Carried { link, carried } => self.check_carried(node, link, &carried),
            Effect::InSync(link, yes) => self.check_in_sync(node, link, yes),
            Effect::Unheard(_) => {}
        }
    }

    fn want(&mut self, node: usize, fetch: Fetch) {
        if self.slow_disks {
            self.fetches.push((node, fetch));
            self.count("slow fetches");
        } else {
            self.fetch(node, fetch);
        }
    }

    fn new_id(&mut self) -> [u8; 32] {
        self.things_made += 1;
        hash("test-id", &[&self.things_made.to_le_bytes()]).0
    }
}
