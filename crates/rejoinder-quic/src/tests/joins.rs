//! A stranger's one question.

use super::rig::{Raw, code, id, listen, next_join, within};
use crate::{CloseCode, Closed, DialError, Endpoint, limits};

/// Asks from a stranger's endpoint, and answers.
async fn asked(ben: &Endpoint, ask: &[u8], answer: Vec<u8>) -> Result<Vec<u8>, DialError> {
    let eve = listen(3, &[]);
    let heard = async {
        let heard = next_join(ben).await;
        assert_eq!((heard.device, heard.remote_address), (id(3), eve.local_address()));
        assert!(heard.ask == ask);
        heard.answer(answer);
    };
    let asked = eve.dial_join(id(2), ben.local_address(), ask);
    within(async { tokio::join!(asked, heard) }).await.0
}

#[tokio::test]
async fn it_is_answered() {
    let ben = listen(2, &[]);
    assert_eq!(asked(&ben, b"may I?", b"yes".to_vec()).await.unwrap(), b"yes");
    assert_eq!(asked(&ben, b"", Vec::new()).await.unwrap(), b"");
}

#[tokio::test]
async fn both_messages_are_bounded() {
    let ben = listen(2, &[]);
    let most = vec![7; limits::JOIN];
    assert!(asked(&ben, &most, most.clone()).await.unwrap() == most);
    assert_eq!(asked(&ben, b"?", vec![7; limits::JOIN + 1]).await, Err(DialError::Busy));

    let length = limits::JOIN + 1;
    let refused = listen(3, &[]).dial_join(id(2), ben.local_address(), &vec![0; length]).await;
    assert_eq!(refused, Err(DialError::TooLong { length, limit: limits::JOIN }));

    let raw = Raw::joiner(3).connect(2, ben.local_address()).await.unwrap();
    let (mut send, _receive) = raw.open_bi().await.unwrap();
    let _ = send.write_all(&vec![0; length]).await;
    assert_eq!(code(&within(raw.closed()).await), Some(CloseCode::Misbehaved.number()));
    // Nobody heard of it.
    assert_eq!(asked(&ben, b"next", b"!".to_vec()).await.unwrap(), b"!");
}

#[tokio::test]
async fn there_is_no_second_stream() {
    let ben = listen(2, &[]);
    let raw = Raw::joiner(3).connect(2, ben.local_address()).await.unwrap();
    let (mut send, mut receive) = raw.open_bi().await.unwrap();
    send.write_all(b"first").await.unwrap();
    send.finish().unwrap();
    let second = async {
        let (mut send, mut receive) = raw.open_bi().await?;
        let _ = send.write_all(b"second").await;
        let _ = send.finish();
        assert!(receive.read_to_end(limits::JOIN).await.is_err(), "it was answered");
        Ok(())
    };
    let first = async {
        next_join(&ben).await.answer(b"once".to_vec());
        assert_eq!(receive.read_to_end(limits::JOIN).await.unwrap(), b"once");
    };
    let (second, ()) = within(async { tokio::join!(second, first) }).await;
    let end = second.err().unwrap_or(raw.closed().await);
    assert_eq!(code(&end), Some(CloseCode::Goodbye.number()));
    assert!(raw.open_uni().await.is_err());
}

#[tokio::test]
async fn one_that_nobody_has_time_for_hears_that() {
    let ben = listen(2, &[]);
    let eve = listen(3, &[]);
    let dropped = async { drop(next_join(&ben).await) };
    let asked = eve.dial_join(id(2), ben.local_address(), b"?");
    let (refused, ()) = within(async { tokio::join!(asked, dropped) }).await;
    assert_eq!(refused, Err(DialError::Busy));
}

#[tokio::test]
async fn so_many_at_once_and_no_more() {
    let ben = listen(2, &[]);
    let mut waiting = Vec::new();
    for number in 0..limits::JOINS {
        let raw = Raw::joiner(10 + number as u8).connect(2, ben.local_address()).await.unwrap();
        let (mut send, receive) = raw.open_bi().await.unwrap();
        send.write_all(b"?").await.unwrap();
        send.finish().unwrap();
        waiting.push((raw, receive, next_join(&ben).await));
    }
    let refused = listen(3, &[]).dial_join(id(2), ben.local_address(), b"?").await;
    assert_eq!(refused, Err(DialError::Busy));
    for (_raw, mut receive, ask) in waiting {
        ask.answer(b"!".to_vec());
        assert_eq!(within(receive.read_to_end(1)).await.unwrap(), b"!");
    }
    assert_eq!(asked(&ben, b"?", b"!".to_vec()).await.unwrap(), b"!");
}

#[tokio::test]
async fn an_endpoint_that_closes_ends_a_question() {
    let ben = listen(2, &[]);
    let eve = listen(3, &[]);
    let closes = async {
        let ask = next_join(&ben).await;
        ben.close(CloseCode::Goodbye, "ending").await;
        ask.answer(b"too late".to_vec());
    };
    let asked = eve.dial_join(id(2), ben.local_address(), b"?");
    let (refused, ()) = within(async { tokio::join!(asked, closes) }).await;
    let there = Closed::There { code: CloseCode::Goodbye, reason: "ending".into() };
    assert_eq!(refused, Err(DialError::Closed(there)));
}
