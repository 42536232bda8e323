//! The same code over a simulated network in virtual time: the same packets for the same seed, and
//! what only time shows.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use tokio::time::Instant;

use super::{
    rig::{Raw, code, config, id, linked, next_join, next_link},
    simnet::{Net, Sent, VirtualTime},
};
use crate::{Accepted, CloseCode, Closed, DialError, Endpoint, limits};

fn listen(net: &Net, number: u8, members: &[u8], seed: u8) -> Endpoint {
    let socket = net.bind(&format!("10.0.0.{number}:7000"));
    let mut config = config(number, members, socket, Arc::new(VirtualTime));
    config.seed = [seed; 32];
    Endpoint::new(config).unwrap()
}

fn address(number: u8) -> SocketAddr {
    format!("10.0.0.{number}:7000").parse().unwrap()
}

/// A caller that breaks the rules, on the simulated network.
async fn raw(net: &Net, number: u8, raw: Raw) -> Result<quinn::Connection, quinn::ConnectionError> {
    let socket = net.bind(&format!("10.0.0.{number}:7000"));
    let endpoint = quinn::Endpoint::new_with_abstract_socket(
        quinn::EndpointConfig::default(),
        None,
        socket,
        Arc::new(VirtualTime),
    )
    .unwrap();
    endpoint.connect_with(raw.client_config(2), address(2), "x.invalid").unwrap().await
}

/// Links, frames, loss, a question, a goodbye; what was sent on the network meanwhile.
fn story(seed: u8) -> Vec<Sent> {
    let work = move || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let net = Net::new(seed.into(), 50);
            let ana = listen(&net, 1, &[2], seed);
            let ben = listen(&net, 2, &[1], seed ^ 0x80);
            let (at_ana, at_ben) = linked(&ana, &ben, 2).await;
            let ((to_ben, mut from_ben), (to_ana, mut from_ana)) = (at_ana.split(), at_ben.split());
            let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
            for _ in 0..30 {
                let frame = vec![1; (rng.next_u32() % 5_000) as usize];
                to_ben.send(frame.clone()).unwrap();
                assert_eq!(from_ana.receive().await.unwrap(), frame);
                to_ana.send(frame.clone()).unwrap();
                assert_eq!(from_ben.receive().await.unwrap(), frame);
                tokio::time::advance(Duration::from_millis((rng.next_u32() % 4_000).into())).await;
            }
            let eve = listen(&net, 3, &[], seed);
            let asked = eve.dial_join(id(2), address(2), b"?");
            let heard = async { next_join(&ben).await.answer(b"!".to_vec()) };
            assert_eq!(tokio::join!(asked, heard).0.unwrap(), b"!");
            ana.close(CloseCode::Goodbye, "").await;
            to_ana.closed().await;
            net.sent()
        })
    };
    // A thread of its own, as each run of a simulation has.
    std::thread::Builder::new().spawn(work).unwrap().join().unwrap()
}

#[test]
fn the_same_seed_sends_the_same_packets() {
    for seed in [1, 2, 3] {
        println!("seed {seed}");
        let (first, second) = (story(seed), story(seed));
        assert!(first.len() > 100, "{} packets", first.len());
        for (at, (one, other)) in first.iter().zip(&second).enumerate() {
            assert_eq!(one, other, "packet {at}");
        }
        assert_eq!(first.len(), second.len());
    }
    assert_ne!(story(1), story(2));
}

#[tokio::test(start_paused = true)]
async fn nobody_there_is_said_after_a_step() {
    let net = Net::new(0, 0);
    let ana = listen(&net, 1, &[2], 1);
    let start = Instant::now();
    assert_eq!(ana.dial(id(2), address(2)).await.unwrap_err(), DialError::TimedOut);
    assert!(start.elapsed() <= limits::STEP + Duration::from_millis(1));
}

#[tokio::test(start_paused = true)]
async fn a_link_that_goes_silent_is_down_after_the_idle_timeout() {
    let net = Net::new(0, 0);
    let (ana, ben) = (listen(&net, 1, &[2], 1), listen(&net, 2, &[1], 2));
    let (at_ana, at_ben) = linked(&ana, &ben, 2).await;
    // Quiet is not silent: keep-alives go on for an hour.
    tokio::select! {
        biased;
        closed = at_ana.closed() => panic!("{closed}"),
        () = tokio::time::sleep(Duration::from_secs(3600)) => {}
    }
    net.set_deaf(address(1), true);
    net.set_deaf(address(2), true);
    let start = Instant::now();
    assert_eq!(at_ana.closed().await, Closed::TimedOut);
    assert_eq!(at_ben.closed().await, Closed::TimedOut);
    assert!(start.elapsed() <= limits::IDLE + limits::KEEP_ALIVE);
}

#[tokio::test(start_paused = true)]
async fn a_device_that_starts_anew_is_noticed_long_before_the_idle_timeout() {
    let net = Net::new(0, 0);
    let ana = listen(&net, 1, &[2], 1);
    let ben = listen(&net, 2, &[1], 2);
    let (at_ana, _at_ben) = linked(&ana, &ben, 2).await;
    // The same port, key and no memory: ben's old socket says and hears nothing any more.
    let _ben_again = listen(&net, 2, &[1], 3);
    let start = Instant::now();
    assert_eq!(at_ana.closed().await, Closed::Reset);
    assert!(start.elapsed() <= limits::KEEP_ALIVE + Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn who_connects_and_says_nothing_is_closed_after_a_step() {
    let net = Net::new(0, 0);
    let ben = listen(&net, 2, &[1], 2);
    let start = Instant::now();
    let silent = raw(&net, 1, Raw::member(1)).await.unwrap();
    let refused = next_link(&ben).await.greet(b"there").await.unwrap_err();
    assert_eq!(refused, DialError::TimedOut);
    assert_eq!(code(&silent.closed().await), Some(CloseCode::Unresponsive.number()));
    assert!(start.elapsed() <= limits::STEP + Duration::from_secs(1));

    // The dialler waits no longer than that either.
    let ana = listen(&net, 1, &[2], 1);
    let pending = ana.dial(id(2), address(2)).await.unwrap();
    let _never_greets = next_link(&ben).await;
    assert_eq!(pending.greet(b"here").await.unwrap_err(), DialError::TimedOut);
}

#[tokio::test(start_paused = true)]
async fn who_asks_slowly_is_closed_after_a_step() {
    let net = Net::new(0, 0);
    let ben = listen(&net, 2, &[], 2);
    for says in [None, Some(b"half a quest")] {
        let start = Instant::now();
        let slow = raw(&net, 3, Raw::joiner(3)).await.unwrap();
        let stream = match says {
            Some(bytes) => {
                let (mut send, receive) = slow.open_bi().await.unwrap();
                send.write_all(bytes).await.unwrap();
                Some((send, receive))
            }
            None => None,
        };
        assert_eq!(code(&slow.closed().await), Some(CloseCode::Unresponsive.number()));
        assert!(start.elapsed() <= limits::STEP + Duration::from_secs(1));
        drop(stream);
    }
    // Neither is the application waited for.
    let eve = listen(&net, 4, &[], 4);
    let (refused, _kept) = tokio::join!(eve.dial_join(id(2), address(2), b"?"), next_join(&ben));
    assert_eq!(refused, Err(DialError::Busy));
}

/// So many that have begun a handshake and can't go on with it.
fn stuck(net: &Net, numbers: std::ops::Range<u8>) {
    for number in numbers {
        net.set_deaf(address(number), true);
        let net = net.clone();
        tokio::spawn(async move { raw(&net, number, Raw::member(1)).await.map(drop) });
    }
}

#[tokio::test(start_paused = true)]
async fn those_that_never_finish_their_handshake_keep_nobody_out() {
    let net = Net::new(0, 0);
    let ben = listen(&net, 2, &[1], 2);
    let ana = listen(&net, 1, &[2], 1);
    // They come from addresses that can't be theirs, for all that ben knows: the first few get a
    // slot for a step, the others are asked to come again with a token.
    stuck(&net, 100..250);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let start = Instant::now();
    linked(&ana, &ben, 2).await;
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn the_number_of_handshakes_is_bounded_and_its_slots_come_back() {
    let net = Net::new(0, 0);
    let ben = listen(&net, 2, &[1], 2);
    let ana = listen(&net, 1, &[2], 1);
    // Members all of them, that nobody fetches: ben's application is busy.
    let mut waiting = Vec::new();
    for number in 100..=(100 + limits::HANDSHAKES + limits::ARRIVALS) as u8 {
        if let Ok(connection) = raw(&net, number, Raw::member(1)).await {
            waiting.push(connection);
        }
        if waiting.len() == limits::HANDSHAKES + limits::ARRIVALS {
            break;
        }
    }
    assert_eq!(waiting.len(), limits::HANDSHAKES + limits::ARRIVALS);
    assert_eq!(ana.dial(id(2), address(2)).await.unwrap_err(), DialError::TimedOut);
    for _ in 0..waiting.len() {
        assert!(matches!(ben.accept().await, Some(Accepted::Link(_))));
    }
    linked(&ana, &ben, 2).await;
}
