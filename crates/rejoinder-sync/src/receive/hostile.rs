//! Peers that say anything: nothing they send panics or is believed.

use proptest::prelude::*;
use rejoinder_identity::{
    ActorId, ChangeHash, DocumentId, Hash, ProposalId, RecordId, Timestamp, Tip,
};

use crate::{
    Effect, Item, ItemKind, LinkId, Misbehaved, Sync,
    key::{Key, Line},
    limits,
    list::{Bytes, List},
    log::LogPosition,
    message::{Heard, Items, LogSummary, Message, Position, Stored, Summary},
};

const LINK: LinkId = LinkId(7);
const NOW: Timestamp = Timestamp::from_millis(5);

/// A replica that holds a little, with one link.
fn victim() -> Sync {
    let mut sync = Sync::new([1; 32]);
    sync.link_up(NOW, LINK);
    for number in 0..3 {
        let bytes = vec![number; 40].into();
        sync.add_record(NOW, 1, RecordId([number; 32]), &bytes, None);
        let tip = Tip { seq: u64::from(number) + 1, hash: ChangeHash([number; 32]) };
        sync.add_envelope(NOW, DocumentId([1; 32]), ActorId([1; 16]), tip, &bytes, None);
        sync.add_proposal(NOW, ProposalId([number; 32]), &bytes, None);
    }
    drain(&mut sync);
    sync
}

fn drain(sync: &mut Sync) -> Vec<Effect> {
    std::iter::from_fn(|| sync.poll_effect()).collect()
}

fn receive(sync: &mut Sync, message: &Message<'_>) -> Result<(), Misbehaved> {
    sync.receive(NOW, LINK, &message.to_frame())
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        (0..5u8).prop_map(|id| Key::Proposal(ProposalId([id; 32]))),
        (0..3u8, 0..3u8).prop_map(|(document, actor)| {
            Key::Envelopes(DocumentId([document; 32]), ActorId([actor; 16]))
        }),
    ]
}

fn seq() -> impl Strategy<Value = u64> {
    prop_oneof![0..6u64, Just(u64::MAX), Just(u64::MAX - 1)]
}

fn line() -> impl Strategy<Value = Line> {
    (key(), seq(), 0..4u8, seq()).prop_map(|(key, seq, hash, unstored)| match key {
        Key::Proposal(id) => Line::Proposal { id, stored: unstored == 0 },
        Key::Envelopes(document, actor) => {
            let tip = Tip { seq, hash: ChangeHash([hash; 32]) };
            Line::Envelopes { document, actor, tip, unstored }
        }
    })
}

fn log_position() -> impl Strategy<Value = LogPosition> {
    (seq(), seq(), 0..4u8).prop_map(|(epoch, length, head)| LogPosition {
        epoch,
        length,
        head: RecordId([head; 32]),
    })
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    let position =
        (log_position(), any::<bool>(), any::<bool>()).prop_map(|(log, all_stored, compare)| {
            Message::Position(Position { log, digest: Hash([0; 32]), all_stored, compare })
                .to_frame()
        });
    let log = (log_position(), seq(), proptest::collection::vec((seq(), 0..4u8), 0..4)).prop_map(
        |(position, stored, trail)| {
            let trail = trail.into_iter().map(|(place, id)| (place, RecordId([id; 32])));
            LogSummary { position, stored, trail: List(trail.collect()) }
        },
    );
    let ends = (proptest::option::of(key()), proptest::option::of(key()));
    let lines = proptest::collection::vec(line(), 0..6);
    let summary = (any::<bool>(), proptest::option::of(log), ends, lines, any::<bool>()).prop_map(
        |(answer, log, (from, until), mut lines, sorted)| {
            if sorted {
                lines.sort_by_key(Line::key);
                lines.dedup_by_key(|line| line.key());
            }
            Message::Summary(Summary { answer, log, from, until, lines: List(lines) }).to_frame()
        },
    );
    let items = proptest::collection::vec((0..6u8, proptest::collection::vec(0..4u8, 0..9)), 0..5)
        .prop_map(|items| {
            let items = items.iter().map(|(kind, bytes)| (*kind, Bytes(bytes))).collect();
            Message::Items(Items(List(items))).to_frame()
        });
    let stored =
        (seq(), proptest::option::of(0..4u8), proptest::collection::vec((0..3u8, seq()), 0..4))
            .prop_map(|(length, head, envelopes)| {
                let envelopes = envelopes
                    .into_iter()
                    .map(|(actor, seq)| (DocumentId([1; 32]), ActorId([actor; 16]), seq));
                Message::Stored(Stored {
                    log: (length, head.map(|head| RecordId([head; 32]))),
                    envelopes: List(envelopes.collect()),
                    proposals: List(vec![ProposalId([1; 32]), ProposalId([99; 32])]),
                })
                .to_frame()
            });
    let heard = seq().prop_map(|bytes| Message::Heard(Heard { bytes }).to_frame());
    let noise = proptest::collection::vec(any::<u8>(), 0..80);
    let cut = (0..5u8, proptest::collection::vec(any::<u8>(), 0..80))
        .prop_map(|(kind, body)| [&[1, kind][..], &body].concat());
    prop_oneof![
        1 => position,
        3 => summary,
        1 => items,
        1 => stored,
        1 => heard,
        1 => noise,
        1 => cut,
    ]
}

/// One thing that happens to the victim.
#[derive(Debug, Clone)]
enum Step {
    Frame(Vec<u8>),
    Answer,
    Change(u8),
    Cut(u64),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => message().prop_map(Step::Frame),
        2 => Just(Step::Answer),
        1 => (0..4u8).prop_map(Step::Change),
        1 => (0..3u64).prop_map(Step::Cut),
        1 => (0..40_000u64).prop_map(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_panics_and_little_is_said(steps in proptest::collection::vec(step(), 1..40)) {
        let mut sync = victim();
        let mut now = NOW;
        let (mut frames, mut wanted) = (0, Vec::new());
        for step in steps {
            match step {
                Step::Frame(frame) => {
                    if sync.receive(now, LINK, &frame).is_err() {
                        sync.link_down(LINK);
                        drain(&mut sync);
                        sync.link_up(now, LINK);
                    }
                    frames += 1;
                }
                Step::Answer => for effect in wanted.drain(..) {
                    answer(&mut sync, now, effect);
                },
                Step::Change(number) => {
                    let tip = Tip { seq: u64::from(number) + 4, hash: ChangeHash([9; 32]) };
                    let bytes = vec![number; 40].into();
                    let (document, actor) = (DocumentId([1; 32]), ActorId([number; 16]));
                    sync.add_envelope(now, document, actor, tip, &bytes, Some(LINK));
                    sync.stored(now, Item::Envelope { document, actor, seq: tip.seq });
                    sync.drop_proposal(now, &ProposalId([number; 32]));
                }
                Step::Cut(length) => sync.truncate_log(now, length),
                Step::Wait(millis) => {
                    now = now.after(std::time::Duration::from_millis(millis));
                    sync.timeout(now);
                }
            }
            if sync.poll_timeout().is_some_and(|due| due <= now) {
                sync.timeout(now);
            }
            let mut sent = 0;
            for effect in std::iter::from_fn(|| sync.poll_effect()).take(1000) {
                match effect {
                    Effect::Send(..) => sent += 1,
                    want @ (Effect::WantRecords { .. }
                    | Effect::WantEnvelopes { .. }
                    | Effect::WantProposals { .. }) => wanted.push(want),
                    Effect::Arrived { .. }
                    | Effect::Carried { .. }
                    | Effect::InSync(..)
                    | Effect::Unheard(_) => {}
                }
            }
            prop_assert!(sent < 10, "{sent} frames for {frames}");
            sync.timeout(now);
            prop_assert!(sync.poll_timeout().is_none_or(|due| due > now), "a busy loop");
        }
    }
}

fn answer(sync: &mut Sync, now: Timestamp, effect: Effect) {
    let bytes: std::sync::Arc<[u8]> = vec![1; 40].into();
    match effect {
        Effect::WantRecords { link, from, .. } => {
            sync.send_records(now, link, from, vec![bytes; 2])
        }
        Effect::WantEnvelopes { link, document, after, .. } => {
            let fetched = after.into_iter().map(|(actor, after)| crate::Fetched {
                actor,
                seq: after + 1,
                bytes: bytes.clone(),
            });
            sync.send_envelopes(now, link, document, fetched.collect());
        }
        Effect::WantProposals { link, ids } => {
            let known = ids.into_iter().map(|id| (id, bytes.clone())).collect();
            sync.send_proposals(now, link, known);
        }
        Effect::Send(..)
        | Effect::Arrived { .. }
        | Effect::Carried { .. }
        | Effect::InSync(..)
        | Effect::Unheard(_) => {}
    }
}

#[test]
fn each_rule_that_is_broken_has_a_name() {
    let id = |byte| Key::Proposal(ProposalId([byte; 32]));
    let line = |byte| Line::Proposal { id: ProposalId([byte; 32]), stored: true };
    let summary = |from, until, lines| {
        let lines = List(lines);
        Message::Summary(Summary { answer: false, log: None, from, until, lines })
    };
    for out_of_order in [
        summary(None, None, vec![line(2), line(1)]),
        summary(None, None, vec![line(2), line(2)]),
        summary(None, Some(id(1)), vec![line(1)]),
        summary(Some(id(3)), None, vec![line(4)]),
    ] {
        let result = receive(&mut victim(), &out_of_order);
        assert_eq!(result, Err(Misbehaved::SummaryOutOfOrder));
    }
    let mut sync = victim();
    receive(&mut sync, &summary(None, Some(id(3)), vec![line(2)])).unwrap();
    // The second part begins where the first ended, but ends where it begins.
    let stands_still = summary(Some(id(3)), Some(id(3)), vec![]);
    assert_eq!(receive(&mut sync, &stands_still), Err(Misbehaved::SummaryOutOfOrder));

    let heard = Message::Heard(Heard { bytes: 1 << 40 });
    assert_eq!(receive(&mut victim(), &heard), Err(Misbehaved::HeardTooMuch));

    for (kind, limit) in [
        (ItemKind::Envelope, limits::ENVELOPE),
        (ItemKind::Proposal, limits::PROPOSAL),
        (ItemKind::Record, limits::RECORD),
        (ItemKind::AddressCard, limits::CARD),
    ] {
        let item = |size| vec![0; size];
        let (fits, too_large) = (item(limit), item(limit + 1));
        let items = |bytes| Message::Items(Items(List(vec![(kind as u8, Bytes(bytes))])));
        assert_eq!(receive(&mut victim(), &items(&fits)), Ok(()));
        let result = receive(&mut victim(), &items(&too_large));
        assert_eq!(result, Err(Misbehaved::ItemTooLarge { kind, bytes: limit + 1 }));
    }
}

/// A peer that asks again and again gets a summary once in a while.
#[test]
fn asking_all_the_time_is_answered_now_and_then() {
    let mut sync = victim();
    let log = LogPosition { epoch: 0, length: 0, head: RecordId::NONE };
    let (digest, all_stored) = (Hash([0; 32]), true);
    let position = Message::Position(Position { log, digest, all_stored, compare: true });
    let lines = || List(Vec::new());
    let summary = Message::Summary(Summary {
        answer: false,
        log: None,
        from: None,
        until: None,
        lines: lines(),
    });
    let (mut summaries, mut now) = (0, NOW);
    for _ in 0..1000 {
        now = now.after(std::time::Duration::from_millis(20));
        sync.timeout(now);
        for message in [&position, &summary] {
            sync.receive(now, LINK, &message.to_frame()).unwrap();
        }
        for effect in drain(&mut sync) {
            if let Effect::Send(_, frame) = effect
                && let Ok(Some(Message::Summary(_))) = Message::from_frame(&frame)
            {
                summaries += 1;
            }
        }
    }
    assert!((2..=6).contains(&summaries), "{summaries} in 20 seconds");
}

/// Frames of a link that is down change nothing, and neither do answers for it.
#[test]
fn frames_of_a_dead_link_are_ignored() {
    let mut sync = victim();
    sync.link_down(LINK);
    assert_eq!(sync.receive(NOW, LINK, b"nonsense"), Ok(()));
    sync.send_records(NOW, LINK, 0, vec![vec![1].into()]);
    sync.send_envelopes(NOW, LINK, DocumentId([1; 32]), Vec::new());
    sync.send_proposals(NOW, LINK, Vec::new());
    sync.seen_again(NOW, LINK, Item::Record { length: 1 });
    assert_eq!(drain(&mut sync), []);
    assert_eq!(sync.poll_timeout(), None);
}
