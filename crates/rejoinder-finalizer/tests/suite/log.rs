//! The chain: what is checked, and what a newer epoch makes of it.

use ahp_types::state::ChatInputResponseKind::Decline;
use rejoinder_finalizer::{
    Body, EpochCertificate, EpochStarted, Log, LogChange, LogError, Record, Refusal, Status,
    Verdict, refusal::HostCannot,
};
use rejoinder_identity::{Incarnation, RecordId, SecretKey, Verified, WorkspaceId};

use crate::world::{Outcome, REQUEST, World, completion, key, start};

/// A record as the host could sign it: what the finalizer would never write.
pub fn forge(log: &Log, by: &SecretKey, change: impl FnOnce(&mut Record)) -> Verified<Record> {
    let position = log.position();
    let mut record = Record {
        workspace: log.workspace(),
        epoch: position.epoch,
        seq: position.length,
        prev: position.head,
        at: Default::default(),
        body: Body::Unknown { kind: 900, bytes: vec![1, 2, 3] },
    };
    change(&mut record);
    Verified::sign(by, record)
}

fn certificate(log: &Log, epoch: u64, head: RecordId) -> EpochCertificate {
    EpochCertificate {
        workspace: log.workspace(),
        epoch,
        host: key("host").public(),
        head,
        incarnation: Incarnation([epoch as u8; 16]),
    }
}

fn started(root: &SecretKey, certificate: EpochCertificate) -> Body {
    let certificate = Verified::sign(root, certificate).bytes().to_vec();
    Body::EpochStarted(EpochStarted { certificate, name: "Host".into() })
}

#[test]
fn anyone_can_check_it_from_the_workspaces_id_alone() {
    let (world, _) = World::asked();
    assert_eq!(world.refolded().state(), world.log.state());
    assert_eq!(world.refolded().position(), world.log.position());
}

#[test]
fn every_flipped_bit_is_noticed() {
    let (world, _) = World::asked();
    let mut log = Log::new(world.log.workspace());
    for seq in 0..4 {
        let bytes = world.log.bytes(seq).unwrap();
        for place in 0..bytes.len() {
            let mut flipped = bytes.to_vec();
            flipped[place] ^= 1 << (place % 8);
            assert!(log.check(&flipped).unwrap_err().is_misbehaviour(), "{seq}, byte {place}");
        }
        log.append(log.check(bytes).unwrap()).unwrap();
    }
}

#[test]
fn what_is_known_missing_or_foreign_is_told_apart() {
    let (world, _) = World::asked();
    let log = &world.log;
    assert_eq!(log.check(log.bytes(3).unwrap()).unwrap_err(), LogError::Known);
    let empty = Log::new(log.workspace());
    let ahead = empty.check(log.bytes(3).unwrap()).unwrap_err();
    assert_eq!(ahead, LogError::Gap { next: 0 });
    let other = Log::new(WorkspaceId([1; 32]));
    assert_eq!(other.check(log.bytes(0).unwrap()).unwrap_err(), LogError::Elsewhere);
    assert!(log.check(b"junk").unwrap_err().is_misbehaviour());
    let length = log.position().length;
    let gap = forge(log, &key("host"), |record| record.seq = length + 1);
    assert_eq!(log.check(gap.bytes()).unwrap_err(), LogError::Gap { next: length });
    let late = forge(log, &key("host"), |record| record.epoch = 0);
    assert_eq!(log.check(late.bytes()).unwrap_err(), LogError::Void);
    let next_epoch = forge(log, &key("host"), |record| record.epoch = 2);
    let error = log.check(next_epoch.bytes()).unwrap_err();
    assert_eq!(error, LogError::Diverged { seq: length });
}

#[test]
fn only_the_host_of_the_epoch_writes() {
    let (world, _) = World::asked();
    let forged = forge(&world.log, &key("ana"), |_| {});
    let error = world.log.check(forged.bytes()).unwrap_err();
    assert_eq!(error, LogError::NotHost { signer: key("ana").public() });
}

#[test]
fn two_records_for_one_place_are_a_fork_and_neither_replaces_the_other() {
    let (world, _) = World::asked();
    let log = &world.log;
    let fork = forge(log, &key("host"), |record| record.seq = 5);
    assert_eq!(log.check(fork.bytes()).unwrap_err(), LogError::Fork { seq: 5 });
    let elsewhere = forge(log, &key("host"), |record| record.prev = RecordId::NONE);
    let seq = log.position().length;
    assert_eq!(log.check(elsewhere.bytes()).unwrap_err(), LogError::Fork { seq });
}

#[test]
fn a_certificate_must_be_the_root_keys_and_fit_its_record() {
    let (world, _) = World::asked();
    let log = &world.log;
    let head = log.position().head;
    let good = certificate(log, 2, head);
    let check = |root: &str, certificate: &EpochCertificate, epoch: u64, host: &str| {
        let body = started(&key(root), certificate.clone());
        let record = forge(log, &key(host), |record| {
            record.epoch = epoch;
            record.body = body;
        });
        log.check(record.bytes()).map(|_| ())
    };
    assert_eq!(check("root", &good, 2, "host"), Ok(()));
    for (root, certificate, epoch, host) in [
        ("ana", good.clone(), 2, "host"),
        ("root", good.clone(), 3, "host"),
        ("root", good.clone(), 2, "ana"),
        ("root", EpochCertificate { head: RecordId::NONE, ..good.clone() }, 2, "host"),
        ("root", EpochCertificate { workspace: WorkspaceId([1; 32]), ..good.clone() }, 2, "host"),
    ] {
        let error = check(root, &certificate, epoch, host).unwrap_err();
        assert!(matches!(error, LogError::Certificate(_)), "{error:?}");
    }
    let same = certificate(log, 1, head);
    let seq = log.position().length;
    assert_eq!(check("root", &same, 1, "host"), Err(LogError::Fork { seq }));
}

#[test]
fn a_restart_is_a_new_epoch_and_ends_nothing() {
    let (mut world, opening) = World::asked();
    let (finalizer, record) = start(&world.log, 2, world.now);
    // The old one writes on until the new epoch is in the log, and never after.
    world.append(record);
    let decline = world.proposal("ana", completion(opening, Decline, &[]));
    assert_eq!(world.decide(&decline), Outcome::NotHost);
    world.finalizer = finalizer;
    assert!(world.request(&opening).is_open());
    assert_eq!(world.statuses(), (24, 24));
    assert_eq!(world.decide(&decline), Outcome::Granted);
    assert_eq!(world.log.position().epoch, 2);
    assert_eq!(world.refolded().state(), world.log.state());
}

#[test]
fn the_first_record_of_an_epoch_comes_before_all_else() {
    let mut world = World::empty();
    let title = rejoinder_finalizer::HostAction::SetTitle { title: "early".into() };
    let empty = Log::new(world.log.workspace());
    let (finalizer, first) = start(&empty, 1, world.now);
    world.log = empty;
    world.finalizer = finalizer;
    assert_eq!(world.act(title.clone()), Err(Refusal::Host(HostCannot::NotHost)));
    world.append(first);
    world.act(title).unwrap();
}

#[test]
fn the_highest_epoch_wins_and_what_it_cuts_off_is_void() {
    let (mut world, first) = World::asked();
    let kept = world.log.position();
    // The host goes on; then it loses these records and starts again from `kept`.
    let decline = world.proposal("ana", completion(first, Decline, &[]));
    assert_eq!(world.decide(&decline), Outcome::Granted);
    let second = world.raise(REQUEST, false);
    let third = world.raise(&REQUEST.replace("r1", "r3"), false);
    world.raise(&REQUEST.replace("r1", "r3"), false);
    let late = world.log.bytes(kept.length + 1).unwrap().clone();

    let mut older = Log::new(world.log.workspace());
    for seq in 0..kept.length {
        older.append(older.check(world.log.bytes(seq).unwrap()).unwrap()).unwrap();
    }
    let (finalizer, start) = start(&older, 2, world.now);
    older.append(start.clone()).unwrap();

    let appended = world.append(start);
    let LogChange::Voided(voided) = &appended.changes[0] else { panic!("{appended:?}") };
    assert_eq!((voided.from_seq, voided.records), (kept.length, 4));
    assert_eq!(voided.openings, [second, third]);
    assert_eq!(voided.reopened, [first]);
    assert_eq!(voided.unanswered, [decline.proposal_id()]);
    assert_eq!(voided.revised, []);
    assert!(world.request(&first).is_open());
    assert!(world.log.state().request(&second).is_none());
    assert_eq!(world.log.state(), older.state(), "as if it had never been");

    // Those who come late with the old branch are behind, not wrong.
    assert_eq!(world.log.check(&late).unwrap_err(), LogError::Void);
    // The proposal waits again and is decided in the new epoch: once.
    world.finalizer = finalizer;
    assert_eq!(world.decide(&decline), Outcome::Granted);
    assert!(matches!(world.request(&first).status(), Status::Decided(_)));
}

#[test]
fn the_start_of_an_epoch_that_lost_is_void() {
    let (mut world, _) = World::asked();
    let (_, second) = start(&world.log, 2, world.now);
    let kept = world.log.clone();
    world.append(second.clone());
    // A third epoch that never saw the second.
    let third = forge(&kept, &key("host"), |record| {
        record.epoch = 3;
        record.body = started(&key("root"), certificate(&kept, 3, record.prev));
    });
    let mut other = kept.clone();
    for log in [&mut world.log, &mut other] {
        log.append(log.check(third.bytes()).unwrap()).unwrap();
        assert_eq!(log.check(second.bytes()).unwrap_err(), LogError::Void);
    }
    assert_eq!(world.log.state(), other.state());
}

#[test]
fn a_cut_through_the_revisions_of_a_request_keeps_the_request() {
    let (mut world, opening) = World::asked();
    let kept = world.log.position();
    world.raise(REQUEST, true);
    let mut older = Log::new(world.log.workspace());
    for seq in 0..kept.length {
        older.append(older.check(world.log.bytes(seq).unwrap()).unwrap()).unwrap();
    }
    let (_, start) = start(&older, 2, world.now);
    let appended = world.append(start);
    let LogChange::Voided(voided) = &appended.changes[0] else { panic!("{appended:?}") };
    assert_eq!((&voided.openings[..], &voided.revised[..]), (&[][..], &[opening][..]));
    assert_eq!(world.request(&opening).revision(), 1);
}

#[test]
fn a_branch_that_left_long_ago_is_asked_for_further_back() {
    let (mut world, _) = World::asked();
    let mut branch = World::empty();
    // The same first record, then another epoch at once.
    let (finalizer, second) = start(&branch.log, 2, branch.now);
    branch.append(second);
    branch.finalizer = finalizer;
    branch.start("elsewhere");
    assert_eq!(world.log.bytes(0), branch.log.bytes(0));
    let (ours, theirs) = (&mut world.log, &branch.log);
    let far = ours.check(theirs.bytes(2).unwrap()).unwrap_err();
    assert_eq!(far, LogError::Diverged { seq: 2 });
    for seq in 1..3 {
        ours.append(ours.check(theirs.bytes(seq).unwrap()).unwrap()).unwrap();
    }
    assert_eq!(ours.state(), theirs.state());
}

#[test]
fn a_record_of_a_later_release_is_kept_and_skipped() {
    let (mut world, opening) = World::asked();
    let before = world.log.state().clone();
    let record = forge(&world.log, &key("host"), |_| {});
    let checked = world.log.check(record.bytes()).unwrap();
    let appended = world.log.append(checked).unwrap();
    assert_eq!(appended.changes, [LogChange::Skipped { kind: 900 }]);
    assert_eq!(world.log.state(), &before);
    assert_eq!(world.log.bytes(appended.seq), Some(record.bytes()), "forwarded as it came");
    assert_eq!(world.complete("ana", opening, Decline), Outcome::Granted);
    assert_eq!(world.refolded().state(), world.log.state());
}

#[test]
fn a_record_checked_too_early_is_not_appended() {
    let (mut world, opening) = World::asked();
    let decline = world.proposal("ana", completion(opening, Decline, &[]));
    let verdict =
        world.finalizer.decide(&world.log, world.now, &decline, &world.documents, &|_| true);
    let Verdict::Record(record) = verdict else { panic!() };
    let (_, start) = start(&world.log, 2, world.now);
    world.append(start);
    assert_eq!(world.log.append(record).unwrap_err(), LogError::Void);
}
