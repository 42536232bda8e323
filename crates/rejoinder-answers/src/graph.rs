//! The graph of a document's changes: the causes of each, and the characters it brought. It answers
//! a question that Automerge does not: is this among the causes of that change?

use std::collections::{BTreeMap, BTreeSet};

use rejoinder_identity::{ActorId, ChangeHash, PeerId};

/// An operation: its number, and its actor by its place in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OpId {
    pub(crate) counter: u64,
    pub(crate) actor: usize,
}

/// A change: its actor's place in the graph, and its number from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Dot {
    pub(crate) actor: usize,
    pub(crate) seq: u32,
}

/// For each actor by its place, how many of its changes are in some past.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Clock(Vec<u32>);

/// Characters that one change put in one text: operations that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Inserted {
    pub(crate) first: u64,
    pub(crate) end: u64,
    /// The question, by its place in the structure.
    pub(crate) question: usize,
}

/// The changes of a document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Graph {
    actors: Vec<Actor>,
    places: BTreeMap<ActorId, usize>,
    changes: BTreeMap<ChangeHash, Dot>,
    heads: BTreeSet<ChangeHash>,
}

#[derive(Debug, Clone)]
struct Actor {
    id: ActorId,
    author: PeerId,
    changes: Vec<Node>,
    /// By their first operation.
    inserted: Vec<Inserted>,
}

#[derive(Debug, Clone)]
struct Node {
    hash: ChangeHash,
    first_op: u64,
    end_op: u64,
    deps: Vec<Dot>,
    /// Its past with itself; kept at every 16th change, so that no walk is long.
    clock: Option<Clock>,
}

/// A guess: a walk visits about this many changes for each head.
const CLOCK_EVERY: usize = 16;

/// A change that is about to be added.
#[derive(Debug)]
pub(crate) struct NewChange<'a> {
    pub(crate) actor: ActorId,
    pub(crate) author: PeerId,
    pub(crate) hash: ChangeHash,
    pub(crate) first_op: u64,
    pub(crate) end_op: u64,
    pub(crate) deps: &'a [ChangeHash],
    pub(crate) inserted: Vec<Inserted>,
}

impl Clock {
    pub(crate) fn covers(&self, place: Dot) -> bool {
        self.0.get(place.actor).is_some_and(|seq| *seq >= place.seq)
    }

    /// The number of changes.
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|seq| *seq as usize).sum()
    }

    fn include(&mut self, place: Dot) {
        if self.0.len() <= place.actor {
            self.0.resize(place.actor + 1, 0);
        }
        self.0[place.actor] = self.0[place.actor].max(place.seq);
    }

    fn merge(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }
}

impl Graph {
    /// The number of changes.
    pub(crate) fn len(&self) -> usize {
        self.changes.len()
    }

    pub(crate) fn contains(&self, hash: &ChangeHash) -> bool {
        self.changes.contains_key(hash)
    }

    pub(crate) fn heads(&self) -> &BTreeSet<ChangeHash> {
        &self.heads
    }

    pub(crate) fn actor(&self, id: &ActorId) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// The place that the next new actor gets.
    pub(crate) fn next_actor(&self) -> usize {
        self.actors.len()
    }

    pub(crate) fn actor_id(&self, actor: usize) -> ActorId {
        self.actors[actor].id
    }

    pub(crate) fn author(&self, actor: usize) -> PeerId {
        self.actors[actor].author
    }

    /// The number of an actor's last change, 0 when it has none.
    pub(crate) fn last_seq(&self, id: &ActorId) -> u64 {
        self.actor(id).map_or(0, |actor| self.actors[actor].changes.len() as u64)
    }

    /// The hash of a change, by its actor and number.
    pub(crate) fn hash(&self, place: Dot) -> ChangeHash {
        self.actors[place.actor].changes[place.seq as usize - 1].hash
    }

    /// The change that made an operation.
    pub(crate) fn change_of(&self, op: OpId) -> Option<Dot> {
        let changes = &self.actors.get(op.actor)?.changes;
        let index = changes.partition_point(|change| change.end_op <= op.counter);
        let change = changes.get(index)?;
        let seq = u32::try_from(index + 1).ok()?;
        (change.first_op <= op.counter).then_some(Dot { actor: op.actor, seq })
    }

    pub(crate) fn is_in(&self, clock: &Clock, op: OpId) -> bool {
        self.change_of(op).is_some_and(|place| clock.covers(place))
    }

    /// The question in whose text an operation put a character.
    pub(crate) fn text_of(&self, element: OpId) -> Option<usize> {
        let inserted = &self.actors.get(element.actor)?.inserted;
        find_inserted(inserted, element.counter)
    }

    /// One more than the largest number of an operation in those changes.
    pub(crate) fn end_op(&self, hashes: &[ChangeHash]) -> u64 {
        let end = |hash| {
            let place: &Dot = self.changes.get(hash)?;
            Some(self.actors[place.actor].changes[place.seq as usize - 1].end_op)
        };
        hashes.iter().filter_map(end).max().unwrap_or(1)
    }

    /// Whether that is the past of everything here.
    pub(crate) fn is_all(&self, clock: &Clock) -> bool {
        clock.count() == self.changes.len()
    }

    /// The past of those changes, they themselves in it. Unknown ones are left out.
    pub(crate) fn past(&self, hashes: &[ChangeHash]) -> Clock {
        if hashes.len() >= self.heads.len() && self.heads.iter().all(|head| hashes.contains(head)) {
            return Clock(self.actors.iter().map(|actor| length(&actor.changes)).collect());
        }
        self.walk(hashes.iter().filter_map(|hash| self.changes.get(hash).copied()).collect())
    }

    fn walk(&self, mut waiting: Vec<Dot>) -> Clock {
        // All of what the kept clocks cover is done with; the rest is walked one by one.
        let mut done = Clock::default();
        let mut visited = BTreeSet::new();
        while let Some(place) = waiting.pop() {
            if done.covers(place) || !visited.insert(place) {
                continue;
            }
            let change = &self.actors[place.actor].changes[place.seq as usize - 1];
            match &change.clock {
                Some(known) => done.merge(known),
                None => waiting.extend(&change.deps),
            }
        }
        visited.into_iter().for_each(|place| done.include(place));
        done
    }

    /// Adds a change whose dependencies are all here and whose number follows.
    pub(crate) fn add(&mut self, change: NewChange<'_>) {
        let actor = match self.actor(&change.actor) {
            Some(actor) => actor,
            None => self.add_actor(change.actor, change.author),
        };
        let mut deps: Vec<Dot> =
            change.deps.iter().filter_map(|hash| self.changes.get(hash).copied()).collect();
        deps.sort_unstable();
        let place = Dot { actor, seq: length(&self.actors[actor].changes) + 1 };
        let clock = (self.changes.len() + 1).is_multiple_of(CLOCK_EVERY).then(|| {
            let mut clock = self.past(change.deps);
            clock.include(place);
            clock
        });
        for dep in change.deps {
            self.heads.remove(dep);
        }
        self.heads.insert(change.hash);
        self.changes.insert(change.hash, place);
        let node = Node {
            hash: change.hash,
            first_op: change.first_op,
            end_op: change.end_op,
            deps,
            clock,
        };
        self.actors[actor].changes.push(node);
        self.actors[actor].inserted.extend(change.inserted);
    }

    fn add_actor(&mut self, id: ActorId, author: PeerId) -> usize {
        let actor = self.actors.len();
        self.places.insert(id, actor);
        self.actors.push(Actor { id, author, changes: Vec::new(), inserted: Vec::new() });
        actor
    }
}

/// The question in whose text the operation with that number put a character.
pub(crate) fn find_inserted(inserted: &[Inserted], counter: u64) -> Option<usize> {
    let index = inserted.partition_point(|run| run.end <= counter);
    inserted.get(index).filter(|run| run.first <= counter).map(|run| run.question)
}

fn length(changes: &[Node]) -> u32 {
    u32::try_from(changes.len()).expect("an actor's changes are bounded")
}
