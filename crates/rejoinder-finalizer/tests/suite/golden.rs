//! The bytes that are signed and stored. They hold for every later release.

use std::collections::BTreeMap;

use ahp_types::state::ChatInputResponseKind;
use rejoinder_finalizer::{
    Body, Checked, Complete, Decided, DisplacedAnswer, Embedded, EndedRequest, EpochCertificate,
    EpochStarted, InviteIssued, Join, MemberAdded, Proposal, ProposalKind, Published, Raised,
    Record, Refusal, Refused, Seen, SettledAnswer, StartTurn, TurnEnd, TurnEnded,
    refusal::{BadAnswers, BadCall, HostCannot, NoAccess, Over},
};
use rejoinder_identity::{
    ActorId, ChangeHash, Hash, Incarnation, Nonce, OpeningId, PeerId, ProposalId, RecordId, Role,
    Timestamp, Tip, Verified, WorkspaceId, from_bytes, hash, to_bytes,
};

use crate::world::key;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn embedded() -> Embedded {
    let settled = SettledAnswer { answer: "{}".into(), authors: vec![PeerId([0xaa; 32])] };
    let tip = Tip { seq: 300, hash: ChangeHash([0xbb; 32]) };
    Embedded {
        answers: BTreeMap::from([("q".into(), settled)]),
        version_vector: BTreeMap::from([(ActorId([0xcc; 16]), tip)]),
        left_out: vec!["big".into()],
    }
}

fn bodies() -> Vec<(&'static str, Body, &'static str)> {
    let peer = PeerId([0x11; 32]);
    let proposal = ProposalId([0x22; 32]);
    let opening = OpeningId([0x33; 32]);
    let (origin, grants) = (Some(peer), Some(proposal));
    vec![
        (
            "epoch started",
            Body::EpochStarted(EpochStarted { certificate: vec![1, 2], name: "Host".into() }),
            "010802010204486f7374",
        ),
        (
            "invite issued",
            Body::InviteIssued(InviteIssued {
                invite: peer,
                seats: 8,
                expires: Timestamp::from_millis(1_000),
                role: Role::Collaborator,
                approve: true,
            }),
            "0225111111111111111111111111111111111111111111111111111111111111111108d00f02\
             01",
        ),
        (
            "member added",
            Body::MemberAdded(MemberAdded {
                device: peer,
                name: "Ana".into(),
                role: Role::Answerer,
                invite: Some(PeerId([0x44; 32])),
                join: proposal,
            }),
            "0366111111111111111111111111111111111111111111111111111111111111111103416e61\
             0101444444444444444444444444444444444444444444444444444444444444444422222222\
             22222222222222222222222222222222222222222222222222222222",
        ),
        (
            "published",
            Body::Published(Published { channel: "c".into(), action: "{}".into(), origin, grants }),
            "04470163027b7d01111111111111111111111111111111111111111111111111111111111111\
             1111012222222222222222222222222222222222222222222222222222222222222222",
        ),
        (
            "raised",
            Body::Raised(Raised {
                opening: Some(opening),
                request: "{}".into(),
                skeleton: vec![9],
                strict: true,
            }),
            "0527013333333333333333333333333333333333333333333333333333333333333333027b7d\
             010901",
        ),
        (
            "decided",
            Body::Decided(Decided {
                opening,
                revision: 2,
                response: ChatInputResponseKind::Cancel,
                by: peer,
                proposal,
                embedded: embedded(),
                displaced: vec![DisplacedAnswer {
                    question: "q".into(),
                    author: peer,
                    actor: ActorId([0x55; 16]),
                    seq: 7,
                }],
            }),
            "06f5013333333333333333333333333333333333333333333333333333333333333333020211\
             1111111111111111111111111111111111111111111111111111111111111122222222222222\
             22222222222222222222222222222222222222222222222222010171027b7d01aaaaaaaaaaaa\
             aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01cccccccccccccccccccccc\
             ccccccccccac02bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\
             bb01036269670101711111111111111111111111111111111111111111111111111111111111\
             1111115555555555555555555555555555555507",
        ),
        (
            "refused",
            Body::Refused(Refused {
                proposal,
                author: peer,
                reason: Refusal::Answerer(BadAnswers::RequiredUnanswered {
                    questions: vec!["env".into()],
                }),
            }),
            "078e012222222222222222222222222222222222222222222222222222222222222222111111\
             111111111111111111111111111111111111111111111111111111111106030103656e761372\
             657175697265642d756e616e737765726564326e6f207375626d697474656420616e73776572\
             20746f20746865207265717569726564207175657374696f6e2022656e7622",
        ),
        (
            "turn ended",
            Body::TurnEnded(TurnEnded {
                channel: "c".into(),
                action: "{}".into(),
                how: TurnEnd::Expired,
                requests: vec![EndedRequest { opening, embedded: embedded() }],
                origin: None,
                grants: None,
            }),
            "0888010163027b7d040133333333333333333333333333333333333333333333333333333333\
             33333333010171027b7d01aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
             aaaaaaaaaa01ccccccccccccccccccccccccccccccccac02bbbbbbbbbbbbbbbbbbbbbbbbbbbb\
             bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb01036269670000",
        ),
        ("unknown", Body::Unknown { kind: 900, bytes: vec![7] }, "84070107"),
    ]
}

#[test]
fn record_bodies() {
    for (name, body, expected) in bodies() {
        let bytes = to_bytes(&body);
        assert_eq!(hex(&bytes), expected, "{name}");
        assert_eq!(from_bytes::<Body>("body", &bytes).unwrap(), body, "{name}");
    }
}

#[test]
fn a_body_may_get_fields_at_its_end() {
    for (name, body, _) in bodies() {
        let (kind, mut bytes): (u16, Vec<u8>) = from_bytes("body", &to_bytes(&body)).unwrap();
        if matches!(body, Body::Unknown { .. }) {
            continue;
        }
        bytes.extend_from_slice(b"later");
        let longer = to_bytes(&(kind, bytes));
        assert_eq!(from_bytes::<Body>("body", &longer).unwrap(), body, "{name}");
    }
}

#[test]
fn a_reason_of_a_later_release_is_shown_in_its_own_words() {
    #[derive(serde::Serialize)]
    struct Later {
        proposal: ProposalId,
        author: PeerId,
        reason: (Vec<u8>, &'static str, &'static str),
    }
    let later = Later {
        proposal: ProposalId([1; 32]),
        author: PeerId([2; 32]),
        reason: (vec![200, 1], "moon-phase", "the moon is not full"),
    };
    let read: Refused = from_bytes("refused", &to_bytes(&later)).unwrap();
    assert_eq!(read.reason.code(), "moon-phase");
    assert_eq!(read.reason.to_string(), "the moon is not full");
}

fn record() -> Record {
    Record {
        workspace: WorkspaceId([0x66; 32]),
        epoch: 3,
        seq: 300,
        prev: RecordId([0x77; 32]),
        at: Timestamp::from_millis(1_796_083_200_000),
        body: Body::Unknown { kind: 900, bytes: vec![7] },
    }
}

fn certificate() -> EpochCertificate {
    EpochCertificate {
        workspace: WorkspaceId([0x66; 32]),
        epoch: 3,
        host: PeerId([0x11; 32]),
        head: RecordId([0x77; 32]),
        incarnation: Incarnation([0x88; 16]),
    }
}

fn proposal(kind: ProposalKind) -> Proposal {
    Proposal {
        workspace: WorkspaceId([0x66; 32]),
        author: key("ana").public(),
        nonce: Nonce([0x99; 16]),
        seen: Seen { log: RecordId([0x77; 32]), version_vector: embedded().version_vector },
        kind,
    }
}

#[test]
fn contents() {
    assert_eq!(
        hex(&to_bytes(&record())),
        "666666666666666666666666666666666666666666666666666666666666666603ac02777777\
             777777777777777777777777777777777777777777777777777777777780c0b5eec568840701\
             07"
    );
    assert_eq!(
        hex(&to_bytes(&certificate())),
        "6666666666666666666666666666666666666666666666666666666666666666031111111111\
             1111111111111111111111111111111111111111111111111111117777777777777777777777\
             77777777777777777777777777777777777777777788888888888888888888888888888888"
    );
    let complete = ProposalKind::Complete(Complete {
        opening: OpeningId([0x33; 32]),
        revision: 2,
        response: ChatInputResponseKind::Decline,
        answers: BTreeMap::from([("q".into(), "{}".into())]),
    });
    assert_eq!(
        hex(&to_bytes(&proposal(complete))),
        "66666666666666666666666666666666666666666666666666666666666666664f5a774f7fe0\
             e342cc570cbcb805842c40c9058e034874517eac57fe6199d3cf999999999999999999999999\
             99999999777777777777777777777777777777777777777777777777777777777777777701cc\
             ccccccccccccccccccccccccccccccac02bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\
             bbbbbbbbbbbbbbbbbbbbbb012833333333333333333333333333333333333333333333333333\
             333333333333330201010171027b7d"
    );
}

#[test]
fn kinds_of_proposals() {
    let start = StartTurn { turn: "t".into(), message: "{}".into(), queued: Some("m".into()) };
    let (channel, action) = ("c".to_owned(), "{}".to_owned());
    for (kind, expected) in [
        (ProposalKind::StartTurn(start), "02080174027b7d01016d"),
        (ProposalKind::CancelTurn { turn: "t".into() }, "03020174"),
        (ProposalKind::Truncate { turn: Some("t".into()) }, "0403010174"),
        (ProposalKind::Truncate { turn: None }, "040100"),
        (ProposalKind::ResumeTurn { turn: "t".into() }, "05020174"),
        (ProposalKind::Action { channel, action }, "06050163027b7d"),
        (ProposalKind::Unknown { kind: 900, bytes: vec![7] }, "84070107"),
    ] {
        let bytes = to_bytes(&kind);
        assert_eq!(hex(&bytes), expected);
        assert_eq!(from_bytes::<ProposalKind>("proposal", &bytes).unwrap(), kind);
    }
}

/// Whole frames are long: their hash stands for them.
#[test]
fn signed_frames() {
    let digest = |bytes: &[u8]| -> Hash { hash("golden", &[bytes]) };
    let workspace = WorkspaceId([0x66; 32]);
    let record = Verified::sign(&key("host"), record());
    let certificate = Verified::sign(&key("root"), certificate());
    let cancel = proposal(ProposalKind::CancelTurn { turn: "t".into() });
    let proposal = Checked::<Proposal>::sign(&key("ana"), cancel).unwrap();
    let nonce = Nonce([0x99; 16]);
    let join = Checked::<Join>::sign(&key("ana"), &key("invite"), workspace, "Ana", nonce).unwrap();
    let seen = [
        digest(record.bytes()).to_string(),
        digest(certificate.bytes()).to_string(),
        digest(proposal.bytes()).to_string(),
        digest(join.bytes()).to_string(),
        record.id().to_string(),
        join.proposal_id().to_string(),
    ];
    assert_eq!(
        seen,
        [
            "666miduiq3hhcmxjcvfbbzbreaux64kocnknn73f7lf3oumtjaca",
            "zb5wviaci7yocfonqpel7vlhddpxlz5bq7ljo2mucnw7h7ahu5ra",
            "hzi7luklzkge53lagq2q7juvun2g46ksp47tvf2iweq23ee6ngia",
            "s6f2b6pgqa6hxbob62wn5fhlarq2w5buyiyqisqqtjci7jtueeoq",
            "4dj56gag6fb55gxtjbhxwal4pidtswvwn7yv5fzq3qwavekgabfa",
            "q2emffnze6il6a7dsuqdfjtexswqap5nom5hsgjayfmfkyue4c3a"
        ]
    );
}

#[test]
fn reasons_keep_their_numbers() {
    // By the first byte of each: a reason is never moved or removed.
    let first = |refusal: Refusal| to_bytes(&refusal)[0];
    assert_eq!(first(Refusal::Nobody(Over::NoOpenRequest { ended: Some(TurnEnd::Expired) })), 1);
    assert_eq!(first(Refusal::Caller(BadCall::NoActiveTurn)), 9);
    assert_eq!(first(Refusal::Caller(BadCall::OriginNotUser)), 14);
    assert_eq!(first(Refusal::Owner(NoAccess::UnknownInvite)), 23);
    assert_eq!(first(Refusal::Host(HostCannot::NotHost)), 27);
    assert_eq!(first(Refusal::Other { code: String::new(), text: String::new() }), 28);
}
