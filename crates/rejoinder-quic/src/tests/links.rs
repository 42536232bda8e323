//! Links between members.

use std::time::Duration;

use tokio::{runtime::Handle, time::timeout};

use super::rig::{Raw, code, id, linked, listen, next_link, within};
use crate::{CloseCode, Closed, DialError, Direction, Link, NotSent, limits};

fn here(code: CloseCode, reason: &str) -> Closed {
    Closed::Here { code, reason: reason.to_owned() }
}

fn there(code: CloseCode, reason: &str) -> Closed {
    Closed::There { code, reason: reason.to_owned() }
}

/// Whether the other side was told; or its packet got lost behind all that was under way, and it
/// found out when it asked.
fn told(closed: &Closed, expected: &Closed) -> bool {
    closed == expected || *closed == Closed::Reset
}

#[tokio::test]
async fn both_sides_are_proven_and_greeted() {
    let (ana, ben) = (listen(1, &[2]), listen(2, &[1]));
    let (at_ana, at_ben) = linked(&ana, &ben, 2).await;
    assert_eq!((at_ana.peer(), at_ana.direction()), (id(2), Direction::Outgoing));
    assert_eq!((at_ben.peer(), at_ben.direction()), (id(1), Direction::Incoming));
    assert_eq!(at_ana.remote_address(), ben.local_address());
    assert_eq!(at_ben.remote_address(), ana.local_address());

    let ((to_ben, mut from_ben), (to_ana, mut from_ana)) = (at_ana.split(), at_ben.split());
    for frame in [b"one".to_vec(), Vec::new(), b"three".to_vec()] {
        to_ben.send(frame.clone()).unwrap();
        to_ana.send(frame.clone()).unwrap();
        assert_eq!(within(from_ana.receive()).await.unwrap(), frame);
        assert_eq!(within(from_ben.receive()).await.unwrap(), frame);
    }
}

#[tokio::test]
async fn long_frames_pass_up_to_the_limit() {
    let (ana, ben) = (listen(1, &[2]), listen(2, &[1]));
    let (at_ana, at_ben) = linked(&ana, &ben, 2).await;
    let ((to_ben, _from_ben), (_to_ana, mut from_ana)) = (at_ana.split(), at_ben.split());
    for length in [2 << 20, limits::FRAME] {
        let frame: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        to_ben.send(frame.clone()).unwrap();
        assert!(within(from_ana.receive()).await.unwrap() == frame);
    }
    let length = limits::FRAME + 1;
    assert_eq!(to_ben.send(vec![0; length]), Err(NotSent::TooLong { length }));
    to_ben.send(b"still there".to_vec()).unwrap();
    assert_eq!(within(from_ana.receive()).await.unwrap(), b"still there");
}

#[tokio::test]
async fn a_receive_that_is_dropped_half_way_loses_nothing() {
    let (ana, ben) = (listen(1, &[2]), listen(2, &[1]));
    let (at_ana, at_ben) = linked(&ana, &ben, 2).await;
    let ((to_ben, _from_ben), (_to_ana, mut from_ana)) = (at_ana.split(), at_ben.split());
    let frame: Vec<u8> = (0..2 << 20).map(|at| (at % 253) as u8).collect();
    to_ben.send(frame.clone()).unwrap();
    let (dropped, received) = within(async {
        let mut dropped = 0;
        loop {
            match timeout(Duration::ZERO, from_ana.receive()).await {
                Ok(received) => break (dropped, received.unwrap()),
                Err(_elapsed) => dropped += 1,
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(received == frame);
    assert!(dropped > 1, "it was dropped half-way");
}

#[tokio::test]
async fn a_goodbye_arrives_with_its_words() {
    let (ana, ben) = (listen(1, &[2]), listen(2, &[1]));
    let (at_ana, at_ben) = linked(&ana, &ben, 2).await;
    at_ana.close(CloseCode::Goodbye, "going offline");
    at_ana.close(CloseCode::Misbehaved, "too late to say so");
    assert_eq!(within(at_ana.closed()).await, here(CloseCode::Goodbye, "going offline"));
    assert_eq!(within(at_ben.closed()).await, there(CloseCode::Goodbye, "going offline"));
    let (to_ana, mut from_ana) = at_ben.split();
    assert_eq!(to_ana.send(b"?".to_vec()), Err(NotSent::Closed));
    let closed = within(from_ana.receive()).await.unwrap_err();
    assert_eq!(closed, there(CloseCode::Goodbye, "going offline"));
}

#[tokio::test]
async fn what_was_sent_before_the_other_side_left_can_still_be_lost_but_never_by_half() {
    let (ana, ben) = (listen(1, &[2]), listen(2, &[1]));
    let (at_ana, at_ben) = linked(&ana, &ben, 2).await;
    let ((to_ben, _from_ben), (_to_ana, mut from_ana)) = (at_ana.split(), at_ben.split());
    for _ in 0..10 {
        to_ben.send(vec![7; 100_000]).unwrap();
    }
    assert_eq!(within(from_ana.receive()).await.unwrap().len(), 100_000);
    to_ben.close(CloseCode::Goodbye, "");
    loop {
        match within(from_ana.receive()).await {
            Ok(frame) => assert!(frame == vec![7; 100_000]),
            Err(closed) => {
                break assert!(told(&closed, &there(CloseCode::Goodbye, "")), "{closed}");
            }
        }
    }
}

#[tokio::test]
async fn a_reader_that_stalls_costs_the_bound_and_delays_nobody() {
    let (ana, ben) = (listen(1, &[2]), listen(2, &[1]));
    let (at_ana, at_ben) = linked(&ana, &ben, 2).await;
    let (to_ben, _keep) = at_ana.split();
    let mut sent = 0;
    // Sending is no future: it can't wait.
    let refused = loop {
        match to_ben.send(vec![0; 64 << 10]) {
            Ok(()) => sent += 64 << 10,
            Err(refused) => break refused,
        }
        assert!(to_ben.queued() <= limits::QUEUE);
        tokio::task::yield_now().await;
    };
    assert_eq!(refused, NotSent::TooSlow);
    let bound = limits::QUEUE + 2 * limits::WINDOW as usize;
    assert!(sent > limits::QUEUE / 2 && sent < bound, "{sent} of at most {bound}");
    let why = "too much waits to be sent";
    assert_eq!(within(to_ben.closed()).await, here(CloseCode::TooSlow, why));
    let closed = within(at_ben.closed()).await;
    assert!(told(&closed, &there(CloseCode::TooSlow, why)), "{closed}");
    assert_eq!(to_ben.send(Vec::new()), Err(NotSent::Closed));
}

/// Greets as a member would, and hands out the stream.
async fn greeted(raw: &quinn::Connection) -> (quinn::SendStream, quinn::RecvStream) {
    let (mut send, mut receive) = raw.open_bi().await.unwrap();
    send.write_all(b"\x02\0\0\0hi").await.unwrap();
    let mut hello = [0; 9];
    receive.read_exact(&mut hello).await.unwrap();
    assert_eq!(&hello, b"\x05\0\0\0there");
    (send, receive)
}

#[tokio::test]
async fn who_breaks_the_framing_is_closed_as_misbehaved() {
    type Breaks = fn(&mut quinn::SendStream, &mut quinn::RecvStream);
    let cases: [(&[u8], Breaks, &str); 4] = [
        (b"\xff\xff\xff\xff", |_, _| {}, "a frame that is too long"),
        (b"\x01\0\0\0", |send, _| send.finish().unwrap(), "ended the stream of a link"),
        (b"\0", |send, _| send.reset(9u32.into()).unwrap(), "reset the stream of a link"),
        (b"", |_, receive| receive.stop(9u32.into()).unwrap(), "stopped the stream of a link"),
    ];
    for (bytes, breaks, why) in cases {
        let ben = listen(2, &[1]);
        let raw = Raw::member(1).connect(2, ben.local_address()).await.unwrap();
        let pending = next_link(&ben).await;
        let (link, (mut send, mut receive)) = within(async {
            let (link, raw) = tokio::join!(pending.greet(b"there"), greeted(&raw));
            (link.unwrap().0, raw)
        })
        .await;
        send.write_all(bytes).await.unwrap();
        breaks(&mut send, &mut receive);
        let (to_raw, mut from_raw) = link.split();
        // A stopped stream shows when it is written to.
        let _ = to_raw.send(b"anything".to_vec());
        let closed = within(from_raw.receive()).await.unwrap_err();
        assert_eq!(closed, here(CloseCode::Misbehaved, why));
        assert_eq!(code(&within(raw.closed()).await), Some(CloseCode::Misbehaved.number()));
    }
}

#[tokio::test]
async fn hellos_are_bounded() {
    let (ana, ben) = (listen(1, &[2]), listen(2, &[1]));
    let dial = || async { ana.dial(id(2), ben.local_address()).await.unwrap() };
    let length = limits::HELLO + 1;
    let refused = within(dial().await.greet(&vec![0; length])).await.unwrap_err();
    assert_eq!(refused, DialError::TooLong { length, limit: limits::HELLO });
    drop(next_link(&ben).await);

    let long = vec![1; limits::HELLO];
    let pending = dial().await;
    let (here, there) = within(async {
        tokio::join!(pending.greet(&long), async { next_link(&ben).await.greet(&long).await })
    })
    .await;
    assert!(here.unwrap().1 == long && there.unwrap().1 == long);

    let raw = Raw::member(1).connect(2, ben.local_address()).await.unwrap();
    let pending = next_link(&ben).await;
    let (mut send, _receive) = raw.open_bi().await.unwrap();
    send.write_all(&(length as u32).to_le_bytes()).await.unwrap();
    let refused = within(pending.greet(b"there")).await.unwrap_err();
    assert_eq!(refused, DialError::Misbehaved("a frame that is too long"));
    assert_eq!(code(&within(raw.closed()).await), Some(CloseCode::Misbehaved.number()));
}

#[tokio::test]
async fn a_refusal_instead_of_a_hello_says_why() {
    let (ana, ben) = (listen(1, &[2]), listen(2, &[1]));
    for (code, expected) in [
        (CloseCode::NotAMember, DialError::NotAMember),
        (CloseCode::Busy, DialError::Busy),
        (CloseCode::Superseded, DialError::Closed(there(CloseCode::Superseded, "why"))),
        (CloseCode::Other(99), DialError::Closed(there(CloseCode::Other(99), "why"))),
    ] {
        let pending = ana.dial(id(2), ben.local_address()).await.unwrap();
        next_link(&ben).await.refuse(code, "why");
        assert_eq!(within(pending.greet(b"here")).await.unwrap_err(), expected);
    }
}

#[tokio::test]
async fn an_endpoint_that_closes_or_goes_takes_its_links_with_it() {
    let (ana, ben) = (listen(1, &[2]), listen(2, &[1]));
    let (at_ana, at_ben) = linked(&ana, &ben, 2).await;
    within(ben.close(CloseCode::Goodbye, "ending")).await;
    assert_eq!(within(at_ben.closed()).await, here(CloseCode::Goodbye, "ending"));
    assert_eq!(within(at_ana.closed()).await, there(CloseCode::Goodbye, "ending"));
    assert!(within(ben.accept()).await.is_none());
    let refused = ben.dial(id(1), ana.local_address()).await.unwrap_err();
    assert!(matches!(refused, DialError::Unreachable { .. }), "{refused}");

    let ben = listen(2, &[1]);
    let (at_ana, at_ben) = linked(&ana, &ben, 2).await;
    drop(ben);
    assert_eq!(within(at_ben.closed()).await, here(CloseCode::Dropped, ""));
    assert_eq!(within(at_ana.closed()).await, there(CloseCode::Dropped, ""));
}

#[tokio::test]
async fn a_link_that_is_dropped_closes() {
    let (ana, ben) = (listen(1, &[2]), listen(2, &[1]));
    let (at_ana, at_ben) = linked(&ana, &ben, 2).await;
    let (to_ana, from_ana) = at_ben.split();
    drop(from_ana);
    assert_eq!(within(at_ana.closed()).await, there(CloseCode::Dropped, ""));
    assert_eq!(to_ana.send(b"from nobody".to_vec()), Err(NotSent::Closed));
    let (at_ana, at_ben) = linked(&ana, &ben, 2).await;
    drop(at_ben);
    assert_eq!(within(at_ana.closed()).await, there(CloseCode::Dropped, ""));
}

#[tokio::test]
async fn a_hundred_links_leave_no_task_behind() {
    let (ana, ben) = (listen(1, &[2]), listen(2, &[1]));
    // The first uses whatever is made once.
    finish(linked(&ana, &ben, 2).await).await;
    let idle = || async {
        within(async { tokio::join!(ana.quinn_is_idle(), ben.quinn_is_idle()) }).await;
        settled().await
    };
    let before = idle().await;
    for _ in 0..100 {
        finish(linked(&ana, &ben, 2).await).await;
    }
    assert_eq!(idle().await, before);

    drop((ana, ben));
    within(async {
        while Handle::current().metrics().num_alive_tasks() > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

async fn finish((at_ana, at_ben): (Link, Link)) {
    at_ana.close(CloseCode::Goodbye, "");
    within(at_ben.closed()).await;
}

/// The number of tasks once those that are only about to end have ended.
async fn settled() -> usize {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    Handle::current().metrics().num_alive_tasks()
}
