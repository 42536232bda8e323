//! Cuts between peers, and the shapes that cuts leave.

use crate::{fault::Partition, network::Pairs, peer::Peer, world::World};

impl World {
    /// Cuts two peers off from each other, until [`mend`](Self::mend) or [`heal`](Self::heal).
    pub fn cut(&self, one: &Peer, other: &Peer) {
        let name = format!("{}-{}", one.name(), other.name());
        self.cut_as(Partition::TwoWay, &name, both([(one, other)]));
    }

    /// Cuts the way from one peer to the other. The way back stays.
    pub fn cut_one_way(&self, from: &Peer, to: &Peer) {
        let name = format!("{}>{}", from.name(), to.name());
        self.cut_as(Partition::OneWay, &name, Pairs::from([(from.ip(), to.ip())]));
    }

    /// Mends the cuts between two peers, in either direction and in both.
    pub fn mend(&self, one: &Peer, other: &Peer) {
        let (one, other) = (one.name(), other.name());
        for name in [
            format!("{one}-{other}"),
            format!("{other}-{one}"),
            format!("{one}>{other}"),
            format!("{other}>{one}"),
        ] {
            self.ground.network.mend(&name);
        }
    }

    /// Splits peers into groups that don't reach each other. Peers in no group reach all. This
    /// replaces an earlier partition of the same name.
    pub fn partition(&self, name: &str, groups: &[&[&Peer]]) {
        let mut cut = Vec::new();
        for (place, group) in groups.iter().enumerate() {
            for other in &groups[place + 1..] {
                cut.extend(group.iter().flat_map(|one| other.iter().map(move |two| (*one, *two))));
            }
        }
        self.cut_as(Partition::Groups, name, both(cut));
    }

    /// Ends the partition, or the shape, with that name.
    pub fn end_partition(&self, name: &str) {
        self.note(&format!("{name} is over"));
        self.ground.network.mend(name);
    }

    /// Puts the peers in a row: each reaches only its neighbours.
    pub fn line(&self, name: &str, peers: &[&Peer]) {
        self.shape(Partition::Line, name, peers, |one, other, _| one + 1 == other);
    }

    /// Puts the peers in a circle: each reaches only its neighbours.
    pub fn ring(&self, name: &str, peers: &[&Peer]) {
        let ring = |one, other, count| one + 1 == other || (one == 0 && other + 1 == count);
        self.shape(Partition::Ring, name, peers, ring);
    }

    /// Leaves each peer only the first.
    pub fn star(&self, name: &str, peers: &[&Peer]) {
        self.shape(Partition::Star, name, peers, |one, _, _| one == 0);
    }

    /// Lets the first peer reach all others, in two halves that don't reach each other.
    pub fn bridge(&self, name: &str, peers: &[&Peer]) {
        let half = |place: usize, count: usize| place <= count / 2;
        let bridge = |one, other, count| one == 0 || half(one, count) == half(other, count);
        self.shape(Partition::Bridge, name, peers, bridge);
    }

    /// Cuts every pair that a shape does not link. `linked` gets the places of two peers, the lower
    /// one first, and the number of peers.
    fn shape(
        &self,
        partition: Partition,
        name: &str,
        peers: &[&Peer],
        linked: impl Fn(usize, usize, usize) -> bool,
    ) {
        let mut cut = Vec::new();
        for (one, peer) in peers.iter().enumerate() {
            for (other, second) in peers.iter().enumerate().skip(one + 1) {
                if !linked(one, other, peers.len()) {
                    cut.push((*peer, *second));
                }
            }
        }
        self.cut_as(partition, name, both(cut));
    }

    fn cut_as(&self, partition: Partition, name: &str, pairs: Pairs) {
        self.note(&format!("{partition}: {name}, {} ways cut", pairs.len()));
        self.ground.fired.count(partition);
        self.ground.network.cut(name, pairs);
    }

    /// Ends all cuts: every peer reaches every other one.
    pub fn heal(&self) {
        self.note("healed");
        self.ground.network.heal();
    }
}

fn both<'a>(pairs: impl IntoIterator<Item = (&'a Peer, &'a Peer)>) -> Pairs {
    let ways = |(one, other): (&Peer, &Peer)| [(one.ip(), other.ip()), (other.ip(), one.ip())];
    pairs.into_iter().flat_map(ways).collect()
}
