//! Golden bytes of every reason: what a host wrote in a record is read by all later releases.

use ahp_types::state::ChatInputResponseKind;
use rejoinder_finalizer::{
    Refusal, TurnEnd,
    refusal::{BadAnswers, BadCall, HostCannot, NoAccess, Over},
};
use rejoinder_identity::{PeerId, RecordId, Role, Timestamp, from_bytes, to_bytes};

/// Each reason, its code, and its bytes. The first byte is its number on the wire.
fn reasons() -> Vec<(Refusal, &'static str, String)> {
    let [twelve, thirteen] = ["12", "13"].map(|byte| byte.repeat(32));
    vec![
        (
            Refusal::Nobody(Over::AlreadyDecided {
                by: PeerId([0x12; 32]),
                response: ChatInputResponseKind::Decline,
                decision: RecordId([0x13; 32]),
            }),
            "already-decided",
            format!("00{twelve}01{thirteen}"),
        ),
        (
            Refusal::Nobody(Over::NoOpenRequest { ended: Some(TurnEnd::Expired) }),
            "no-open-request",
            "010104".into(),
        ),
        (
            Refusal::Answerer(BadAnswers::RequestChanged { revision: 300 }),
            "request-changed",
            "02ac02".into(),
        ),
        (
            Refusal::Answerer(BadAnswers::RequiredUnanswered { questions: vec!["q".into()] }),
            "required-unanswered",
            "03010171".into(),
        ),
        (
            Refusal::Answerer(BadAnswers::Invalid { questions: vec!["q".into()] }),
            "invalid",
            "04010171".into(),
        ),
        (
            Refusal::Answerer(BadAnswers::Stale { questions: vec!["q".into()] }),
            "stale",
            "05010171".into(),
        ),
        (
            Refusal::Answerer(BadAnswers::TooLarge { question: "q".into() }),
            "too-large",
            "060171".into(),
        ),
        (Refusal::Caller(BadCall::TurnActive { turn: "t".into() }), "turn-active", "070174".into()),
        (
            Refusal::Nobody(Over::AlreadyStarted { turn: "t".into() }),
            "already-started",
            "080174".into(),
        ),
        (Refusal::Caller(BadCall::NoActiveTurn), "no-active-turn", "09".into()),
        (Refusal::Caller(BadCall::OtherTurn { active: "t".into() }), "other-turn", "0a0174".into()),
        (
            Refusal::Caller(BadCall::NoSuchTurn { turn: "t".into() }),
            "no-such-turn",
            "0b0174".into(),
        ),
        (
            Refusal::Caller(BadCall::NotResumable { turn: "t".into() }),
            "not-resumable",
            "0c0174".into(),
        ),
        (
            Refusal::Host(HostCannot::NotTakenUp { requests: vec!["r".into()] }),
            "not-taken-up",
            "0d010172".into(),
        ),
        (Refusal::Caller(BadCall::OriginNotUser), "origin-not-user", "0e".into()),
        (Refusal::Caller(BadCall::HostOnly { action: "a".into() }), "host-only", "0f0161".into()),
        (
            Refusal::Host(HostCannot::Unsupported { what: "w".into() }),
            "unsupported",
            "100177".into(),
        ),
        (Refusal::Caller(BadCall::Malformed { why: "w".into() }), "malformed", "110177".into()),
        (Refusal::Caller(BadCall::NoEffect { action: "a".into() }), "no-effect", "120161".into()),
        (
            Refusal::Caller(BadCall::NoSuchChannel { channel: "c".into() }),
            "no-such-channel",
            "130163".into(),
        ),
        (Refusal::Owner(NoAccess::NotAllowed { role: Role::Owner }), "not-allowed", "1403".into()),
        (
            Refusal::Caller(BadCall::RecordTooLarge { size: 300, limit: 200 }),
            "record-too-large",
            "15ac02c801".into(),
        ),
        (Refusal::Host(HostCannot::TooManyOpen { limit: 64 }), "too-many-open", "1640".into()),
        (Refusal::Owner(NoAccess::UnknownInvite), "unknown-invite", "17".into()),
        (
            Refusal::Owner(NoAccess::InviteExpired { expired: Timestamp::from_millis(-65) }),
            "invite-expired",
            "188101".into(),
        ),
        (Refusal::Owner(NoAccess::NoSeatLeft { seats: 300 }), "no-seat-left", "19ac02".into()),
        (Refusal::Owner(NoAccess::NotApproved), "not-approved", "1a".into()),
        (Refusal::Host(HostCannot::NotHost), "not-host", "1b".into()),
        (Refusal::Other { code: "c".into(), text: "t".into() }, "c", "1c01630174".into()),
    ]
}

#[test]
fn each_reason_keeps_its_bytes() {
    for (place, (reason, code, expected)) in reasons().into_iter().enumerate() {
        let bytes = to_bytes(&reason);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(usize::from(bytes[0]), place, "the number of {code}");
        assert_eq!(reason.code(), code);
        assert_eq!(hex, expected, "{code}");
        assert_eq!(from_bytes::<Refusal>("reason", &bytes).unwrap(), reason);
    }
}
