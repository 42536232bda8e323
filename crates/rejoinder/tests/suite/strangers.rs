//! A device with a wrong invite key gets nothing: this looks at every byte that it got.

use std::{net::SocketAddr, sync::Arc};

use rejoinder::{Event, HomeEvent, Incarnation, SecretKey, Ticket};
use rejoinder_quic::{Config, DialError, Endpoint};
use rejoinder_replica::{Command, CommandId, Input, Replica};

use crate::support::{directories, form, let_in, open, seats};

/// What a stranger with that ticket would ask.
fn ask(key: &SecretKey, ticket: &Ticket) -> (Vec<u8>, Vec<u8>) {
    let config = rejoinder_replica::Config {
        key: key.clone(),
        incarnation: Incarnation([1; 16]),
        name: "mallory".into(),
    };
    let mut replica = Replica::new(config, [2; 32], Default::default()).unwrap();
    let join = Input::Command(CommandId(0), Command::Join(Box::new(ticket.clone())));
    replica.handle(rejoinder::Timestamp::from_millis(0), join);
    let (ask, _) = replica.join_ask(&ticket.workspace).unwrap();
    (ask, replica.hello(&ticket.hints[0].device).to_bytes())
}

fn endpoint(key: SecretKey) -> Endpoint {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let socket = quinn::Runtime::wrap_udp_socket(&quinn::TokioRuntime, socket).unwrap();
    Endpoint::new(Config {
        key,
        seed: [3; 32],
        socket,
        runtime: Arc::new(quinn::TokioRuntime),
        crypto: None,
        accepts: Arc::new(|_| true),
        time_source: Arc::new(quinn::StdSystemTime),
    })
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_invite_key_gets_no_request_text_and_no_member_list() {
    let [at_host, at_peer] = directories();
    let host_home = open("hostess", at_host.path()).await;
    let host = host_home.create_workspace("release train").await.unwrap();
    host.start_turn("Deploy 1.4").await.unwrap().ask(form("r1")).await.unwrap();
    let peer_home = open("benjamin", at_peer.path()).await;
    let_in(&host, &peer_home).await;

    let mut ticket = host.ticket(seats(1)).await.unwrap();
    ticket.invite = SecretKey::from_seed([9; 32]);
    let (device, address): (_, SocketAddr) = (ticket.hints[0].device, ticket.hints[0].addresses[0]);
    let key = SecretKey::from_seed([8; 32]);
    let (ask, hello) = ask(&key, &ticket);
    let endpoint = endpoint(key);

    let mut got = Vec::new();
    got.extend(endpoint.dial_join(device, address, &ask).await.expect("an answer"));
    match endpoint.dial_join(device, address, b"nonsense").await {
        Ok(answer) => got.extend(answer),
        Err(error) => got.extend(error.to_string().into_bytes()),
    }
    // As if it were a member: what it hears before it is turned away counts too.
    match endpoint.dial(device, address).await {
        Err(error) => assert_eq!(error, DialError::NotAMember),
        Ok(unmet) => match unmet.greet(&hello).await {
            Err(error) => assert_eq!(error, DialError::NotAMember),
            Ok(_) => panic!("a stranger has a link"),
        },
    }

    assert!(!got.is_empty());
    let text = String::from_utf8_lossy(&got);
    let secrets =
        ["release train", "Deploy", "Where", "env", "prod", "Notes", "r1", "hostess", "benjamin"];
    for secret in secrets {
        assert!(!text.contains(secret), "{secret:?} is in {text:?}");
    }
    let peer = peer_home.me();
    for id in [peer.0.to_vec(), peer.to_string().into_bytes(), peer.short().into_bytes()] {
        assert!(!got.windows(id.len()).any(|window| window == id), "a member's id is in {text:?}");
    }
    let members = host.workspace().members().await.unwrap();
    assert_eq!(members.len(), 2, "and nobody came in");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_up_ticket_lets_nobody_else_in_and_says_so() {
    let [at_host, at_first, at_second] = directories();
    let host_home = open("host", at_host.path()).await;
    let host = host_home.create_workspace("release train").await.unwrap();
    let ticket = host.ticket(seats(1)).await.unwrap();
    let first = open("first", at_first.path()).await;
    let joined = first.join(ticket.clone()).await.unwrap();
    crate::support::soon("being let in", joined.joined()).await.unwrap();

    let second = open("second", at_second.path()).await;
    let mut events = second.events().unwrap();
    let workspace = second.join(ticket.clone()).await.unwrap();
    let why = crate::support::soon("the refusal", async {
        loop {
            let event = events.next().await.unwrap();
            if let HomeEvent::Plain(Event::JoinRefused { why, .. }) = event {
                return why;
            }
        }
    })
    .await;
    assert!(!why.is_empty());
    let view = workspace.view().await.unwrap();
    assert!(!view.member && view.members.is_empty() && view.requests.is_empty());

    // Who is a member already may present any ticket.
    let again = first.join(ticket).await.unwrap();
    crate::support::soon("being in still", again.joined()).await.unwrap();
}
