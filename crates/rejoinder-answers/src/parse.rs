//! The bytes of a change, taken apart before Automerge sees them: one uncompressed change chunk
//! and nothing behind it, its own checksum, everything bounded.

use std::ops::RangeInclusive;

use rejoinder_identity::{ActorId, ChangeHash};
use sha2::{Digest, Sha256};

use crate::{
    admission_error::AdmissionError,
    columns::{Bound, Input, booleans, deltas, numbers, texts, values},
    limits,
    op::{Action, Key, Op, Ref},
};

const MAGIC: [u8; 4] = [0x85, 0x6f, 0x4a, 0x83];
const CHANGE_CHUNK: u8 = 1;

/// A change, read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parsed<'a> {
    pub(crate) hash: ChangeHash,
    pub(crate) deps: Vec<ChangeHash>,
    /// Its own actor, then the others that it names.
    pub(crate) actors: Vec<ActorId>,
    pub(crate) seq: u64,
    pub(crate) start_op: u64,
    pub(crate) time: i64,
    pub(crate) ops: Vec<Op<'a>>,
    preds: Vec<Ref>,
}

/// The limits of a change.
#[derive(Debug, Clone)]
pub(crate) struct Size {
    bytes: usize,
    operations: RangeInclusive<usize>,
}

impl Size {
    pub(crate) const EDIT: Self =
        Self { bytes: limits::CHANGE, operations: 1..=limits::OPERATIONS };
    /// A revision that only changes words adds nothing to the structure.
    pub(crate) const SKELETON: Self =
        Self { bytes: limits::SKELETON, operations: 0..=limits::SKELETON_OPERATIONS };
}

impl<'a> Parsed<'a> {
    pub(crate) fn read(bytes: &'a [u8], size: Size) -> Result<Self, AdmissionError> {
        if bytes.len() > size.bytes {
            return Err(AdmissionError::TooLarge { bytes: bytes.len(), limit: size.bytes });
        }
        let (hash, body) = unframe(bytes)?;
        let mut input = Input::new("head", body);
        let deps = deps(&mut input)?;
        let own = actor(&mut input)?;
        let seq = input.unsigned()?;
        let start_op = input.unsigned()?;
        let time = input.signed()?;
        if !(0..limits::TIME).contains(&time) {
            return Err(AdmissionError::Time(time));
        }
        if input.unsigned()? != 0 {
            return Err(AdmissionError::HasMessage);
        }
        let actors = actors(own, &mut input)?;
        let columns = Columns::read(&mut input)?;
        let (ops, preds) = columns.ops(&size.operations, actors.len())?;
        Ok(Self { hash, deps, actors, seq, start_op, time, ops, preds })
    }

    pub(crate) fn actor(&self) -> ActorId {
        self.actors[0]
    }

    pub(crate) fn preds(&self, op: &Op<'_>) -> &[Ref] {
        &self.preds[op.preds.clone()]
    }

    /// The number of the operation after its last.
    pub(crate) fn end_op(&self) -> u64 {
        self.start_op.saturating_add(self.ops.len() as u64)
    }
}

fn unframe(bytes: &[u8]) -> Result<(ChangeHash, &[u8]), AdmissionError> {
    let refuse = |why| Err(AdmissionError::NotAChange(why));
    let mut input = Input::new("frame", bytes);
    if input.take(4)? != MAGIC {
        return refuse("it does not begin like one");
    }
    let checksum = input.take(4)?;
    let hashed = input.rest();
    if input.byte()? != CHANGE_CHUNK {
        return refuse("another kind of chunk");
    }
    let length = input.unsigned()?;
    let body = input.take(length)?;
    if !input.is_empty() {
        return refuse("something follows it");
    }
    let hash: [u8; 32] = Sha256::digest(hashed).into();
    if hash[..4] != *checksum {
        return Err(AdmissionError::Checksum);
    }
    Ok((ChangeHash(hash), body))
}

fn deps(input: &mut Input<'_>) -> Result<Vec<ChangeHash>, AdmissionError> {
    let count = input.unsigned()?;
    if count > limits::DEPS as u64 {
        return Err(AdmissionError::TooMany { what: "dependencies", limit: limits::DEPS });
    }
    let mut deps = Vec::new();
    for _ in 0..count {
        let hash = input.take(32)?.try_into().map_err(|_| input.malformed())?;
        deps.push(ChangeHash(hash));
    }
    if !deps.is_sorted_by(|before, after| before < after) {
        return Err(AdmissionError::NotCanonical("dependencies"));
    }
    Ok(deps)
}

fn actor(input: &mut Input<'_>) -> Result<ActorId, AdmissionError> {
    let length = input.unsigned()?;
    let bytes = input.take(length)?;
    bytes.try_into().map(ActorId).map_err(|_| AdmissionError::Malformed("actor"))
}

fn actors(own: ActorId, input: &mut Input<'_>) -> Result<Vec<ActorId>, AdmissionError> {
    let count = input.unsigned()?;
    let mut actors = vec![own];
    // Nothing is allocated by that number, which may be a lie: there are no more of them than
    // bytes.
    for _ in 0..count {
        let actor = actor(input)?;
        let sorted = actors.len() == 1 || actors.last() < Some(&actor);
        if !sorted || actor == own {
            return Err(AdmissionError::NotCanonical("actors"));
        }
        actors.push(actor);
    }
    Ok(actors)
}

/// The columns that a change of ours can have, by Automerge's numbers for them.
#[derive(Debug, Default)]
struct Columns<'a> {
    object_actor: &'a [u8],
    object_counter: &'a [u8],
    key_actor: &'a [u8],
    key_counter: &'a [u8],
    key_text: &'a [u8],
    insert: &'a [u8],
    action: &'a [u8],
    value_meta: &'a [u8],
    value_raw: &'a [u8],
    pred_count: &'a [u8],
    pred_actor: &'a [u8],
    pred_counter: &'a [u8],
}

impl<'a> Columns<'a> {
    fn read(input: &mut Input<'a>) -> Result<Self, AdmissionError> {
        let count = input.unsigned()?;
        let mut lengths = Vec::new();
        let mut last = None;
        for _ in 0..count {
            let column = input.unsigned()?;
            if last >= Some(column) {
                return Err(AdmissionError::NotCanonical("columns"));
            }
            last = Some(column);
            lengths.push((column, input.unsigned()?));
        }
        let mut columns = Self::default();
        for (column, length) in lengths {
            let bytes = input.take(length)?;
            let place = columns.place(column)?;
            if bytes.is_empty() {
                return Err(AdmissionError::NotCanonical("columns"));
            }
            *place = bytes;
        }
        if input.is_empty() { Ok(columns) } else { Err(AdmissionError::ExtraBytes) }
    }

    fn place(&mut self, column: u64) -> Result<&mut &'a [u8], AdmissionError> {
        Ok(match column {
            1 => &mut self.object_actor,
            2 => &mut self.object_counter,
            17 => &mut self.key_actor,
            19 => &mut self.key_counter,
            21 => &mut self.key_text,
            52 => &mut self.insert,
            66 => &mut self.action,
            86 => &mut self.value_meta,
            87 => &mut self.value_raw,
            112 => &mut self.pred_count,
            113 => &mut self.pred_actor,
            115 => &mut self.pred_counter,
            148 | 165 => return Err(AdmissionError::NotAllowed("formats text")),
            _ => return Err(AdmissionError::Malformed("columns")),
        })
    }

    fn ops(
        &self,
        count: &RangeInclusive<usize>,
        actors: usize,
    ) -> Result<(Vec<Op<'a>>, Vec<Ref>), AdmissionError> {
        let bound = Bound { what: "operations", rows: *count.end() };
        let actions = numbers(Input::new("actions", self.action), bound)?;
        if actions.len() < *count.start() {
            return Err(AdmissionError::NoOperations);
        }
        let rows = Rows { bound, count: actions.len() };
        let objects = rows.refs("objects", self.object_actor, self.object_counter, numbers)?;
        let elements = rows.refs("elements", self.key_actor, self.key_counter, deltas)?;
        let keys = rows.filled(texts(Input::new("keys", self.key_text), bound)?, None, "keys")?;
        let inserts = booleans(Input::new("inserts", self.insert), bound)?;
        let inserts = rows.filled(inserts, false, "inserts")?;
        let (meta, raw) =
            (Input::new("values", self.value_meta), Input::new("values", self.value_raw));
        let values = values(meta, raw, bound)?;
        if values.len() != rows.count {
            return Err(AdmissionError::Malformed("values"));
        }
        let counts = numbers(Input::new("predecessors", self.pred_count), bound)?;
        let counts = rows.filled(counts, None, "predecessors")?;
        let preds = self.preds(&counts)?;

        let known = |reference: Ref| {
            if reference.actor < actors { Ok(reference) } else { Err(AdmissionError::UnknownActor) }
        };
        for pred in &preds {
            known(*pred)?;
        }
        let mut ops = Vec::with_capacity(rows.count);
        let mut first_pred = 0;
        for (row, action) in actions.into_iter().enumerate() {
            let malformed = AdmissionError::Malformed("actions");
            let action = action.and_then(Action::read).ok_or(malformed)?;
            let object = match objects[row] {
                (None, None) => None,
                (Some(actor), Some(counter)) => Some(known(Ref { counter, actor })?),
                _ => return Err(AdmissionError::Malformed("objects")),
            };
            let key = match (keys[row], elements[row]) {
                (Some(key), (None, None)) => Key::Map(key),
                (None, (None, Some(0))) => Key::Head,
                (None, (Some(actor), Some(counter))) => {
                    Key::Element(known(Ref { counter, actor })?)
                }
                _ => return Err(AdmissionError::Malformed("keys")),
            };
            let preds_end = first_pred
                + usize::try_from(counts[row].unwrap_or(0))
                    .expect("the sum of the counts is bounded");
            let preds = first_pred..preds_end;
            first_pred = preds_end;
            ops.push(Op { object, key, insert: inserts[row], action, value: values[row], preds });
        }
        Ok((ops, preds))
    }

    fn preds(&self, counts: &[Option<u64>]) -> Result<Vec<Ref>, AdmissionError> {
        let bound = Bound { what: "predecessors", rows: limits::PREDS };
        let mut sum = 0u64;
        for count in counts.iter().flatten() {
            sum = sum.saturating_add(*count);
        }
        if sum > bound.rows as u64 {
            return Err(AdmissionError::TooMany { what: bound.what, limit: bound.rows });
        }
        let actors = numbers(Input::new(bound.what, self.pred_actor), bound)?;
        let counters = deltas(Input::new(bound.what, self.pred_counter), bound)?;
        if actors.len() as u64 != sum || counters.len() as u64 != sum {
            return Err(AdmissionError::Malformed(bound.what));
        }
        actors
            .into_iter()
            .zip(counters)
            .map(|pair| match pair {
                (Some(actor), Some(counter)) => Ok(Ref { counter, actor: index(actor) }),
                _ => Err(AdmissionError::Malformed(bound.what)),
            })
            .collect()
    }
}

/// A place in a table; one that is beyond every table when the number is too large for any.
fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// As many rows as there are actions; a column that is left out is all default.
struct Rows {
    bound: Bound,
    count: usize,
}

/// An actor and a counter, as far as a row has them.
type Reference = (Option<usize>, Option<u64>);
type Decode = fn(Input<'_>, Bound) -> Result<Vec<Option<u64>>, AdmissionError>;

impl Rows {
    fn filled<T: Clone>(
        &self,
        mut column: Vec<T>,
        default: T,
        what: &'static str,
    ) -> Result<Vec<T>, AdmissionError> {
        if column.is_empty() {
            column.resize(self.count, default);
        }
        if column.len() == self.count { Ok(column) } else { Err(AdmissionError::Malformed(what)) }
    }

    fn refs(
        &self,
        what: &'static str,
        actors: &[u8],
        counters: &[u8],
        decode_counters: Decode,
    ) -> Result<Vec<Reference>, AdmissionError> {
        let actors = numbers(Input::new(what, actors), self.bound)?;
        let actors = self.filled(actors, None, what)?;
        let counters = decode_counters(Input::new(what, counters), self.bound)?;
        let counters = self.filled(counters, None, what)?;
        Ok(actors.into_iter().map(|actor| actor.map(index)).zip(counters).collect())
    }
}
