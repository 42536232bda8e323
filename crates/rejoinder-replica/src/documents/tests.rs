use ahp_types::state::ChatInputAnswerValue;
use rejoinder_identity::{Incarnation, QuestionId};
use serde_json::json;

use super::*;
use crate::{
    desk::{Desk, NOW, key},
    store::RowOp,
};

fn writer(device: u8) -> Writer {
    let run = Incarnation([device; 16]);
    Writer { device: key(device).public(), incarnation: run, now: NOW }
}

fn draft(text: &str) -> Edit {
    let value = json!({ "kind": "text", "value": text });
    let value: ChatInputAnswerValue = serde_json::from_value(value).unwrap();
    Edit::Draft { question: QuestionId("notes".into()), value }
}

/// The documents of a log, and the document of its only request.
fn open(desk: &mut Desk) -> (Documents, DocumentId) {
    let opening = desk.raise("r1");
    let request = desk.log.state().request(&opening).unwrap();
    let mut documents = Documents::default();
    assert_eq!(documents.raise(request, desk.key.public(), false), Raised::Ready);
    (documents, request.document())
}

fn edit(documents: &mut Documents, document: DocumentId, by: u8, text: &str) -> (Vec<Kept>, Batch) {
    let mut batch = Batch::default();
    let kept = documents.edit(document, (&key(by), &writer(by)), (&draft(text), None), &mut batch);
    (kept.unwrap(), batch)
}

/// The rows of a batch, as the disk gives them back.
fn rows(batch: &Batch) -> Loaded {
    let put = batch.changes.iter().filter_map(|op| match op {
        RowOp::Put(Table::Envelopes, key, value) => Some((key.clone(), value.clone())),
        RowOp::Put(..) | RowOp::Delete(..) => None,
    });
    Loaded { rows: put.collect(), damaged: Vec::new() }
}

fn read(desk: &Desk, documents: &mut Documents, document: DocumentId, loaded: Loaded) -> Filled {
    let opening = documents.opening(&document).unwrap();
    let request = desk.log.state().request(&opening).unwrap();
    documents.loaded(key(9).public(), request, desk.key.public(), loaded).unwrap().0
}

#[test]
fn what_one_writes_another_takes_in_and_reads_again() {
    let mut desk = Desk::new();
    let (mut ours, document) = open(&mut desk);
    let mut theirs = Documents::default();
    theirs.restore(document, ours.opening(&document).unwrap());
    assert!(theirs.want(document, ours.opening(&document).unwrap()), "the disk is asked");
    assert!(!theirs.want(document, ours.opening(&document).unwrap()), "once");
    let filled = read(&desk, &mut theirs, document, Loaded::default());
    assert!(filled.authors.is_empty());

    let (kept, batch) = edit(&mut ours, document, 9, "soon");
    assert_eq!(ours.unacknowledged(), kept.len() as u64);
    let mut copied = Batch::default();
    for one in &kept {
        let envelope = Verified::<Envelope>::from_bytes(&one.bytes).unwrap();
        let admitted = theirs.admit(&envelope, &mut copied).unwrap().unwrap();
        assert_eq!((admitted.tip(), &admitted.admitted), (one.tip(), &one.admitted));
        let again = theirs.admit(&envelope, &mut Batch::default()).unwrap();
        assert!(matches!(again, Err(NotAdmitted::Known)));
    }
    assert_eq!(copied, batch, "both write the same rows");
    assert_eq!(theirs.unacknowledged(), 0, "it is another's");
    assert_eq!(theirs.rows(&document).unwrap(), ours.rows(&document).unwrap());

    let mut again = Documents::default();
    again.restore(document, ours.opening(&document).unwrap());
    read(&desk, &mut again, document, rows(&batch));
    assert_eq!(again.rows(&document), ours.rows(&document));
}

#[test]
fn what_lay_behind_a_damaged_row_comes_when_that_has_come() {
    let mut desk = Desk::new();
    let (mut ours, document) = open(&mut desk);
    let (first, mut batch) = edit(&mut ours, document, 9, "one");
    let (second, more) = edit(&mut ours, document, 9, "one two");
    batch.changes.extend(more.changes);
    let mut loaded = rows(&batch);
    let written = loaded.rows.len();
    let lost = loaded.rows.remove(0).0;
    loaded.damaged.push(lost);

    let me = key(9).public();
    let mut damaged = Documents::default();
    damaged.restore(document, ours.opening(&document).unwrap());
    let said = ours.warm(&document).unwrap().document().version_vector().clone();
    for tip in said.iter() {
        damaged.restore_own(document, *tip.0, tip.1.seq);
    }
    let filled = read(&desk, &mut damaged, document, loaded);
    let left_over = BTreeMap::new();
    let said = Said { to_peers: &said, left_over: &left_over };
    let repaired = damaged.repair(me, document, filled, &said).unwrap();
    assert_eq!((repaired.damaged, repaired.own_missing), (1, written as u64));
    assert!(repaired.held.is_empty(), "everything follows the first");
    let other = second[0].admitted.hash;
    assert_eq!(damaged.unpark(me, document, Some(other)).1, 0, "none waits for that");

    let envelope = Verified::<Envelope>::from_bytes(&first[0].bytes).unwrap();
    damaged.admit(&envelope, &mut Batch::default()).unwrap().unwrap();
    let (unparked, tried) = damaged.unpark(me, document, Some(first[0].admitted.hash));
    let kept = unparked.iter().filter(|one| matches!(one, Unparked::Kept(..))).count();
    assert_eq!((kept, unparked.len(), tried), (written - 1, written - 1, written as u64 - 1));
    let last = second.last().unwrap().tip();
    let actor = second.last().unwrap().admitted.actor;
    let held = damaged.warm(&document).unwrap().document().version_vector().clone();
    assert_eq!(held.get(&actor), Some(&last));
}

#[test]
fn a_document_leaves_memory_only_when_all_of_it_is_on_the_disk() {
    let mut desk = Desk::new();
    let (mut documents, document) = open(&mut desk);
    let (kept, _) = edit(&mut documents, document, 9, "soon");
    documents.drop_from_memory(&document);
    assert_eq!(documents.whereabouts(&document), Whereabouts::InMemory);
    documents.stored(&document, kept.len());
    documents.drop_from_memory(&document);
    assert_eq!(documents.whereabouts(&document), Whereabouts::OnDisk);
    let command = Waiting::Wanted { link: LinkId(1), after: BTreeMap::new(), budget: 1 };
    assert_eq!(documents.wait(&document, command), Some(true));
    assert!(!documents.turn_away(&document, LinkId(2)), "it is being read");
    let loading = documents.load_failed(&document).unwrap();
    assert_eq!((loading.waiting.len(), loading.turned_away.len()), (1, 1));
    assert!(documents.load_failed(&document).is_none(), "nobody waits any more");
}

#[test]
fn settled_ones_leave_memory_in_the_order_of_their_use() {
    let mut desk = Desk::new();
    let mut documents = Documents::default();
    let mut ids = Vec::new();
    for number in 0..limits::SETTLED_IN_MEMORY {
        let opening = desk.raise(&format!("r{number}"));
        let request = desk.log.state().request(&opening).unwrap();
        documents.raise(request, desk.key.public(), false);
        ids.push(request.document());
    }
    ids.iter().for_each(|id| documents.retire(*id));
    // The first was looked at again, so the second is the one used longest ago.
    documents.retire(ids[0]);
    documents.retire(DocumentId([9; 32]));
    let cold: Vec<_> =
        ids.iter().filter(|id| documents.whereabouts(id) == Whereabouts::OnDisk).collect();
    assert_eq!(cold, [&ids[1]]);
}

#[test]
fn what_is_void_is_forgotten_with_what_waited_for_it() {
    let mut desk = Desk::new();
    let (mut documents, document) = open(&mut desk);
    let opening = documents.opening(&document).unwrap();
    documents.drop_from_memory(&document);
    documents.turn_away(&document, LinkId(1));
    let (forgotten, loading) = documents.forget(&opening).unwrap();
    assert_eq!((forgotten, loading.unwrap().turned_away.len()), (document, 1));
    assert_eq!(documents.whereabouts(&document), Whereabouts::Nowhere);
    assert!(documents.forget(&opening).is_none());
}
