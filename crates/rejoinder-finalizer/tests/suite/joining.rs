//! Devices that ask to come in.

use rejoinder_finalizer::{
    Body, Checked, HostAction, InviteIssued, Join, NotInOrder, Refusal, Verdict, refusal::NoAccess,
};
use rejoinder_identity::{Nonce, Role, WorkspaceId};

use crate::world::{Outcome, World, key};

#[test]
fn seats_are_counted_and_members_need_none() {
    let mut world = World::empty();
    let invite = key("invite");
    world.invite(&invite, 2, Role::Answerer);
    for name in ["ana", "ben"] {
        let join = world.join(name, &invite);
        assert_eq!(world.admit(&join), Outcome::Granted);
        assert_eq!(world.admit(&join), Outcome::Answered, "carried twice");
    }
    let full = world.join("cy", &invite);
    assert_eq!(
        world.admit(&full),
        Outcome::Refused(Refusal::Owner(NoAccess::NoSeatLeft { seats: 2 }))
    );
    // A member may ask again with a ticket that is used up; it may have another name.
    let again = world.join("ana", &invite);
    assert_eq!(world.admit(&again), Outcome::Granted);
    assert_eq!(world.log.state().invites()[&invite.public()].taken, 2);
    let ana = &world.log.state().members()[&key("ana").public()];
    assert_eq!((ana.name.as_str(), ana.role), ("ana", Role::Answerer));
    assert_eq!(world.log.state().members().len(), 3, "the host is a member too");
}

#[test]
fn expiry_is_judged_by_the_hosts_clock() {
    let mut world = World::empty();
    let invite = key("invite");
    world.invite(&invite, 2, Role::Answerer);
    let expires = world.log.state().invites()[&invite.public()].expires;
    world.now = expires;
    let join = world.join("ana", &invite);
    assert_eq!(world.admit(&join), Outcome::Granted, "at the very moment it still holds");
    world.now = expires.after(std::time::Duration::from_millis(1));
    let late = world.join("ben", &invite);
    let expired = Refusal::Owner(NoAccess::InviteExpired { expired: expires });
    assert_eq!(world.admit(&late), Outcome::Refused(expired));
    let member = world.join("ana", &invite);
    assert_eq!(world.admit(&member), Outcome::Granted, "a member needs none that holds");
}

#[test]
fn an_invite_that_was_never_issued_lets_nobody_in() {
    let mut world = World::empty();
    let join = world.join("ana", &key("made up"));
    assert_eq!(world.admit(&join), Outcome::Refused(Refusal::Owner(NoAccess::UnknownInvite)));
}

#[test]
fn a_person_is_asked_where_the_invite_says_so() {
    for (said, expected) in
        [(Some(true), "granted"), (Some(false), "not-approved"), (None, "needs-approval")]
    {
        let mut world = World::empty();
        let invite = key("invite");
        let issued = InviteIssued {
            invite: invite.public(),
            seats: 1,
            expires: world.now.after(std::time::Duration::from_secs(60)),
            role: Role::Answerer,
            approve: true,
        };
        world.act(HostAction::IssueInvite(issued)).unwrap();
        let join = world.join("ana", &invite);
        let verdict = world.finalizer.admit(&world.log, world.now, &join, said);
        let code = match &verdict {
            Verdict::Record(record) => match &record.value().body {
                Body::Refused(refused) => refused.reason.code(),
                _ => "granted",
            },
            Verdict::NeedsApproval => "needs-approval",
            _ => "else",
        };
        assert_eq!(code, expected);
    }
}

#[test]
fn an_invite_without_seats_is_none() {
    let mut world = World::empty();
    let issued = InviteIssued {
        invite: key("invite").public(),
        seats: 0,
        expires: world.now,
        role: Role::Answerer,
        approve: false,
    };
    assert_eq!(world.act(HostAction::IssueInvite(issued)).unwrap_err().code(), "malformed");
}

#[test]
fn both_signatures_must_be_over_the_same() {
    let workspace = WorkspaceId::of_root(&key("root").public());
    let sign = |device: &str, invite: &str, name: &str| {
        let nonce = Nonce([1; 16]);
        Checked::<Join>::sign(&key(device), &key(invite), workspace, name, nonce).unwrap()
    };
    let good = sign("ana", "invite", "Ana");
    assert_eq!(Checked::<Join>::read(good.bytes(), &workspace).unwrap(), good);
    let elsewhere = Checked::<Join>::read(good.bytes(), &WorkspaceId([0; 32])).unwrap_err();
    assert_eq!(elsewhere, NotInOrder::Elsewhere { workspace });
    // An invitation that was seen on the way does not vouch for another device or name.
    for (device, invite, name) in
        [("eve", "invite", "Ana"), ("ana", "invite", "Eve"), ("ana", "other", "Ana")]
    {
        let mut join = good.value().clone();
        join.invite = key(invite).public();
        join.device = key(device).public();
        join.name = name.to_owned();
        let forged = rejoinder_identity::Verified::sign(&key(device), join);
        let error = Checked::<Join>::read(forged.bytes(), &workspace).unwrap_err();
        assert!(matches!(error, NotInOrder::NotTheAuthor { .. }), "{error:?}");
    }
    // Nor may somebody else sign for the device.
    let forged = rejoinder_identity::Verified::sign(&key("eve"), good.value().clone());
    let error = Checked::<Join>::read(forged.bytes(), &workspace).unwrap_err();
    assert_eq!(error, NotInOrder::NotTheAuthor { signer: key("eve").public() });
}
