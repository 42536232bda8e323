//! A device that is not the one dialled, or that may not arrive, fails before anything is said.

use super::rig::{Raw, code, id, impostor, listen, next_link, within};
use crate::{Accepted, Closed, DialError, Endpoint};

/// A raw caller is turned away, and nothing but the handshake has reached it.
async fn turned_away(raw: Raw, ben: &Endpoint) {
    let who = format!("{:?} on {:?}", raw.shown, raw.alpn.len());
    if let Ok(connection) = raw.connect(2, ben.local_address()).await {
        // The dialler's side of the handshake is done before the acceptor has looked at its key.
        let asked = async {
            let (mut send, mut receive) = connection.open_bi().await?;
            let _ = send.write_all(b"\x02\0\0\0hi").await;
            let mut bytes = [0; 1];
            assert!(!matches!(receive.read(&mut bytes).await, Ok(Some(_))), "{who} got a byte");
            Ok::<_, quinn::ConnectionError>(())
        };
        let _ = within(asked).await;
        let end = within(connection.closed()).await;
        assert_eq!(code(&end), None, "{who} was not refused by TLS: {end}");
        assert_eq!(connection.stats().frame_rx.stream, 0, "{who} got a stream's bytes");
    }
    // Nobody heard of it: the next that arrives is a member.
    let member = Raw::member(1).connect(2, ben.local_address()).await.unwrap();
    assert_eq!(next_link(ben).await.peer(), id(1));
    drop(member);
}

#[tokio::test]
async fn who_may_not_arrive_gets_no_byte() {
    let ben = listen(2, &[1]);
    let link: &[u8] = b"rejoinder/1";
    let join: &[u8] = b"rejoinder-join/1";
    // A stranger.
    turned_away(Raw::member(3), &ben).await;
    // A stranger that shows a member's key.
    turned_away(Raw { shown: Some((1, 3)), alpn: vec![link] }, &ben).await;
    // Anybody that shows somebody else's key, even to ask.
    turned_away(Raw { shown: Some((1, 3)), alpn: vec![join] }, &ben).await;
    // Nobody.
    turned_away(Raw { shown: None, alpn: vec![link] }, &ben).await;
    turned_away(Raw { shown: None, alpn: vec![join] }, &ben).await;
    // This device itself.
    turned_away(Raw::member(2), &ben).await;
    turned_away(Raw::joiner(2), &ben).await;
    // A member that speaks something else, or does not say what.
    turned_away(Raw { shown: Some((1, 1)), alpn: vec![b"rejoinder/2"] }, &ben).await;
    turned_away(Raw { shown: Some((1, 1)), alpn: vec![join, link] }, &ben).await;
    turned_away(Raw { shown: Some((3, 3)), alpn: vec![join, link] }, &ben).await;
    turned_away(Raw { shown: Some((1, 1)), alpn: vec![] }, &ben).await;
}

#[tokio::test]
async fn a_stranger_learns_that_it_is_no_member_before_it_counts_as_linked() {
    let (ana, ben) = (listen(1, &[]), listen(2, &[]));
    let refused = async {
        let pending = ana.dial(id(2), ben.local_address()).await?;
        pending.greet(b"secret").await.map(drop)
    };
    assert_eq!(within(refused).await.unwrap_err(), DialError::NotAMember);
}

#[tokio::test]
async fn another_device_at_the_address_is_named() {
    let (ana, ben) = (listen(1, &[2]), listen(2, &[1]));
    let refused = within(ana.dial(id(3), ben.local_address())).await.unwrap_err();
    assert_eq!(refused, DialError::WrongKey { found: id(2) });
    let refused = within(ana.dial_join(id(3), ben.local_address(), b"?")).await.unwrap_err();
    assert_eq!(refused, DialError::WrongKey { found: id(2) });
}

#[tokio::test]
async fn a_key_that_is_only_shown_does_not_do() {
    let ana = listen(1, &[]);
    let impostor = impostor(2, 3);
    let address = impostor.local_addr().unwrap();
    tokio::spawn(async move {
        while let Some(incoming) = impostor.accept().await {
            let _ = incoming.await;
        }
    });
    let refused = within(ana.dial(id(2), address)).await.unwrap_err();
    assert!(matches!(refused, DialError::Closed(Closed::Broken(_))), "{refused}");
}

#[tokio::test]
async fn a_device_does_not_dial_itself() {
    let ana = listen(1, &[1]);
    let address = ana.local_address();
    assert_eq!(ana.dial(id(1), address).await.unwrap_err(), DialError::Own);
    assert_eq!(ana.dial_join(id(1), address, b"").await.unwrap_err(), DialError::Own);
}

#[tokio::test]
async fn an_address_of_a_family_that_the_socket_lacks_is_unreachable() {
    let ana = listen(1, &[2]);
    let address = "[::1]:9".parse().unwrap();
    let refused = ana.dial(id(2), address).await.unwrap_err();
    assert!(
        matches!(&refused, DialError::Unreachable { address: there, .. } if *there == address),
        "{refused}"
    );
    assert!(refused.to_string().starts_with("cannot reach [::1]:9: "), "{refused}");
}

#[tokio::test]
async fn a_member_can_ask_like_anybody() {
    let (ana, ben) = (listen(1, &[2]), listen(2, &[1]));
    let asked = ana.dial_join(id(2), ben.local_address(), b"?");
    let heard = async {
        match ben.accept().await {
            Some(Accepted::Join(ask)) => ask.answer(b"!".to_vec()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(within(async { tokio::join!(asked, heard) }).await.0.unwrap(), b"!");
}
