use rejoinder_finalizer::limits as finalizer_limits;

use super::*;
use crate::desk::{Desk as Host, NOW, key};

fn admit(
    proposals: &mut Proposals,
    host: &Host,
    content: &Content,
    from: From,
) -> Option<NotCarried> {
    proposals.admit(&host.log, NOW, content, from).err()
}

#[test]
fn one_waits_once_and_until_a_record_answers_it() {
    let mut host = Host::new();
    let mut proposals = Proposals::default();
    let content = host.proposal(1);
    let id = content.id();
    assert_eq!(admit(&mut proposals, &host, &content, From::Member), None);
    proposals.insert(content.clone(), 0);
    assert_eq!(admit(&mut proposals, &host, &content, From::Member), Some(NotCarried::Known));
    assert!(proposals.in_order().is_empty(), "it is not on the disk yet");
    assert!(proposals.stored(&id));
    assert_eq!(proposals.in_order(), [id]);
    host.decide(&content);
    assert_eq!(admit(&mut proposals, &host, &content, From::Member), Some(NotCarried::Answered));
    proposals.answered(&id);
    assert!(!proposals.contains(&id) && !proposals.stored(&id));
}

#[test]
fn an_author_has_a_limit_that_an_answer_lifts() {
    let host = Host::new();
    let mut proposals = Proposals::default();
    for nonce in 0..finalizer_limits::UNANSWERED as u128 {
        let content = host.proposal(nonce);
        assert_eq!(admit(&mut proposals, &host, &content, From::Member), None);
        proposals.insert(content, nonce as u64);
    }
    let one_more = host.proposal(u128::MAX);
    assert_eq!(admit(&mut proposals, &host, &one_more, From::Member), Some(NotCarried::TooMany));
    proposals.answered(&host.proposal(0).id());
    assert_eq!(admit(&mut proposals, &host, &one_more, From::Member), None);
}

#[test]
fn the_order_is_that_of_arrival_and_not_of_ids() {
    let host = Host::new();
    let mut proposals = Proposals::default();
    let contents: Vec<_> = (0..16).map(|nonce| host.proposal(nonce)).collect();
    for (arrival, content) in contents.iter().enumerate().rev() {
        proposals.insert(content.clone(), arrival as u64);
        proposals.stored(&content.id());
    }
    assert_eq!(proposals.in_order(), contents.iter().map(Content::id).collect::<Vec<_>>());
}

#[test]
fn a_door_is_stricter_than_a_link() {
    let mut host = Host::new();
    let invite = host.invite(1);
    let mut proposals = Proposals::default();
    let late = Timestamp::from_millis(3_000);
    let ana = host.join(&key(10), &invite, 1);
    for (from, judged) in [
        (From::Member, true),
        (From::Door { host: false }, true),
        // Only the host's clock says that an invite has expired.
        (From::Door { host: true }, false),
    ] {
        assert_eq!(proposals.admit(&host.log, late, &ana, from).is_ok(), judged, "{from:?}");
    }
    host.decide(&ana);
    let ben = host.join(&key(11), &invite, 1);
    let no_seat = NotCarried::NotGranted(Refusal::Owner(NoAccess::NoSeatLeft { seats: 1 }));
    assert_eq!(admit(&mut proposals, &host, &ben, From::Member), None);
    assert_eq!(admit(&mut proposals, &host, &ben, From::Door { host: false }), Some(no_seat));
}

#[test]
fn the_newest_join_of_a_device_waits() {
    let mut host = Host::new();
    let invite = host.invite(9);
    let mut proposals = Proposals::default();
    let (older, newer) = (host.join(&key(10), &invite, 1), host.join(&key(10), &invite, 2));
    assert_eq!(admit(&mut proposals, &host, &newer, From::Member), None);
    proposals.insert(newer.clone(), 0);
    assert_eq!(admit(&mut proposals, &host, &older, From::Member), Some(NotCarried::Superseded));
    assert_eq!(proposals.joins_of(&key(10).public()), [newer.id()]);
    let of_nobody = host.join(&key(11), &key(99), 1);
    let unknown = NotCarried::Unknown(key(99).public());
    assert_eq!(admit(&mut proposals, &host, &of_nobody, From::Member), Some(unknown));
}

#[test]
fn what_is_told_of_an_own_one_is_told_once_and_goes_on() {
    let mut host = Host::new();
    let mut proposals = Proposals::default();
    let (content, other) = (host.proposal(1), key(20).public());
    let id = content.id();
    proposals.begin(id);
    proposals.insert(content.clone(), 0);
    assert_eq!(proposals.news(&host.log, &id), None, "it is not on the disk yet");
    proposals.stored(&id);
    assert_eq!(proposals.news(&host.log, &id), Some(Fate::Saved));
    assert_eq!(proposals.news(&host.log, &id), None);
    assert!(proposals.any_alone());
    assert!(proposals.acknowledged(&host.log, other, &id));
    assert!(!proposals.acknowledged(&host.log, other, &id), "that it has it is known");
    assert_eq!(proposals.news(&host.log, &id), Some(Fate::Carried(1)));
    assert!(proposals.acknowledged(&host.log, host.key.public(), &id));
    assert_eq!(proposals.news(&host.log, &id), Some(Fate::Received));
    assert!(!proposals.acknowledged(&host.log, key(21).public(), &id), "the host has it");
    host.decide(&content);
    proposals.answered(&id);
    // There is no such turn to cancel.
    assert!(matches!(proposals.news(&host.log, &id), Some(Fate::Refused(_))));
    assert!(!proposals.any_alone() && proposals.own_waiting().is_empty());
}

#[test]
fn what_was_on_the_disk_is_what_is_written_again() {
    let host = Host::new();
    let me = host.key.public();
    let mut proposals = Proposals::default();
    for nonce in 0..3 {
        let content = host.proposal(nonce);
        proposals.restore(me, Pending { content, arrival: 5 - nonce as u64, stored: true });
    }
    assert_eq!(proposals.own_waiting().len(), 3);
    let (workspace, mut batch) = (host.log.workspace(), Batch::default());
    proposals.rows(&workspace, &mut batch);
    let mut again = Proposals::default();
    for op in batch.changes {
        let crate::store::RowOp::Put(Table::Proposals, key, value) = op else { panic!("{op:?}") };
        let row = rows::row::<ProposalRow>("proposal row", &value).unwrap();
        let content = Content::read(&row.bytes, &workspace).unwrap();
        assert_eq!(rows::proposal_of_key(&key), Some((workspace, content.id())));
        again.restore(me, Pending { content, arrival: row.arrival, stored: true });
    }
    assert_eq!(again.in_order(), proposals.in_order());
}
