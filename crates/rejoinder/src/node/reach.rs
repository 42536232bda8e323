//! The tasks that reach out and let in: each ends with one thing that the node is told.

use std::{net::SocketAddr, sync::Arc};

use rejoinder_identity::PeerId;
use rejoinder_quic::{
    Accepted, Closed, DialError, Endpoint, JoinAsk, Link, LinkReceiver, LinkSender, PendingLink,
};
use rejoinder_replica::LinkId;
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::dialer::Target;
use crate::limits;

/// An arrival from outside.
#[derive(Debug)]
pub(crate) enum Arrival {
    /// A device that may link is there.
    Knock(PendingLink),
    /// A device asks to join.
    JoinAsk(JoinAsk),
    /// Hellos were exchanged.
    Met { link: Link, hello: Vec<u8> },
    /// There is no link, or no answer to an ask.
    NotReached { target: Target, error: DialError },
    /// A member answered our ask.
    JoinAnswered { target: Target, answer: Vec<u8> },
    /// A frame.
    Frame(LinkId, Vec<u8>),
    /// The link answered a ping.
    Pong(LinkId),
    /// The link is gone.
    Down(LinkId, Closed),
    /// Nobody arrives any more, though the endpoint was not closed: its socket is gone, or what
    /// takes in connections is.
    Deaf,
}

/// The queue of arrivals. When it is full, each sender waits for its turn.
pub(crate) type Arrivals = mpsc::Sender<Arrival>;

/// A frame that asks the other side whether it lives, and the answer. A replica's frames begin
/// with the id of a workspace, so none is that short.
pub(crate) const PING: &[u8] = &[];
const PONG: &[u8] = &[0];

/// Takes in who arrives, until the endpoint is closed.
pub(crate) async fn accept(endpoint: Arc<Endpoint>, arrivals: Arrivals) {
    while let Some(accepted) = endpoint.accept().await {
        let arrival = match accepted {
            Accepted::Link(pending) => Arrival::Knock(pending),
            Accepted::Join(ask) => Arrival::JoinAsk(ask),
        };
        if arrivals.send(arrival).await.is_err() {
            return;
        }
    }
    // When the node closes it, nobody hears this.
    tell(&arrivals, Arrival::Deaf).await;
}

/// Says hello to one who arrived.
pub(crate) async fn greet(pending: PendingLink, hello: Vec<u8>, arrivals: Arrivals) {
    let peer = pending.peer();
    match timeout(limits::GREETING, pending.greet(&hello)).await {
        Ok(Ok((link, hello))) => tell(&arrivals, Arrival::Met { link, hello }).await,
        Ok(Err(error)) => tracing::debug!(peer = %peer.short(), %error, "no hello"),
        Err(_elapsed) => tracing::debug!(peer = %peer.short(), "no hello in time"),
    }
}

/// The words of this device to a member that it dials.
pub(crate) struct Words {
    pub(crate) hello: Vec<u8>,
    /// For one that turns it away.
    pub(crate) introductions: Vec<Vec<u8>>,
}

/// Dials a member. One that was away when this device became a member turns it away, until it is
/// shown that it is one.
pub(crate) async fn dial(
    endpoint: Arc<Endpoint>,
    peer: PeerId,
    addresses: Vec<SocketAddr>,
    words: Words,
    arrivals: Arrivals,
) {
    let words = Arc::new(words);
    let met = first(addresses, |address| {
        let (endpoint, words) = (Arc::clone(&endpoint), Arc::clone(&words));
        async move {
            let Words { hello, introductions } = &*words;
            match meet(&endpoint, peer, address, hello).await {
                Err(DialError::NotAMember)
                    if introduce(&endpoint, peer, address, introductions).await =>
                {
                    meet(&endpoint, peer, address, hello).await
                }
                met => met,
            }
        }
    });
    tell(
        &arrivals,
        match met.await {
            Ok((link, hello)) => Arrival::Met { link, hello },
            Err(error) => Arrival::NotReached { target: Target::Link(peer), error },
        },
    )
    .await;
}

async fn meet(
    endpoint: &Endpoint,
    peer: PeerId,
    address: SocketAddr,
    hello: &[u8],
) -> Result<(Link, Vec<u8>), DialError> {
    endpoint.dial(peer, address).await?.greet(hello).await
}

/// Introduces this device. Returns whether the other side takes a link now.
async fn introduce(
    endpoint: &Endpoint,
    peer: PeerId,
    address: SocketAddr,
    introductions: &[Vec<u8>],
) -> bool {
    for introduction in introductions {
        match endpoint.dial_join(peer, address, introduction).await {
            Ok(answer) if rejoinder_replica::is_let_in(&answer) => return true,
            Ok(_it_knows_nothing_of_us) => {}
            Err(error) => {
                tracing::debug!(peer = %peer.short(), %error, "not introduced");
                return false;
            }
        }
    }
    false
}

/// Asks a member to be let in.
pub(crate) async fn ask(
    endpoint: Arc<Endpoint>,
    target: Target,
    addresses: Vec<SocketAddr>,
    ask: Vec<u8>,
    arrivals: Arrivals,
) {
    let (ask, peer): (Arc<[u8]>, _) = (ask.into(), *target.peer());
    let answer = first(addresses, |address| {
        let (endpoint, ask) = (Arc::clone(&endpoint), Arc::clone(&ask));
        async move { endpoint.dial_join(peer, address, &ask).await }
    });
    tell(
        &arrivals,
        match answer.await {
            Ok(answer) => Arrival::JoinAnswered { target, answer },
            Err(error) => Arrival::NotReached { target, error },
        },
    )
    .await;
}

/// Reads a link until it is gone.
pub(crate) async fn read(
    id: LinkId,
    sender: LinkSender,
    mut receiver: LinkReceiver,
    arrivals: Arrivals,
) {
    loop {
        let arrival = match receiver.receive().await {
            Ok(frame) if frame == PING => {
                // When it can't be sent the link is gone, which the next read says.
                let _gone = sender.send(PONG.to_vec());
                continue;
            }
            Ok(frame) if frame == PONG => Arrival::Pong(id),
            Ok(frame) => Arrival::Frame(id, frame),
            Err(closed) => return tell(&arrivals, Arrival::Down(id, closed)).await,
        };
        if arrivals.send(arrival).await.is_err() {
            return;
        }
    }
}

/// The first address at which an attempt succeeds. Each has a moment to itself before the next
/// one is tried beside it, so that a dead one costs little.
async fn first<T, F>(
    addresses: Vec<SocketAddr>,
    attempt: impl Fn(SocketAddr) -> F,
) -> Result<T, DialError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, DialError>> + Send + 'static,
{
    let mut attempts = JoinSet::new();
    let mut addresses = addresses.into_iter();
    let mut failure = DialError::TimedOut;
    let reach = async {
        loop {
            if let Some(address) = addresses.next() {
                attempts.spawn(attempt(address));
            }
            tokio::select! {
                biased;
                ended = attempts.join_next() => match ended {
                    Some(Ok(Ok(reached))) => return Some(reached),
                    Some(Ok(Err(error))) => failure = error,
                    // It panicked, which was said; the others may do.
                    Some(Err(_panicked)) => {}
                    None => return None,
                },
                () = sleep(limits::NEXT_ADDRESS), if addresses.len() > 0 => {}
            }
        }
    };
    match timeout(limits::DIAL, reach).await {
        Ok(Some(reached)) => Ok(reached),
        Ok(None) => Err(failure),
        Err(_elapsed) => Err(DialError::TimedOut),
    }
}

async fn tell(arrivals: &Arrivals, arrival: Arrival) {
    // Only a node that is no more doesn't hear it.
    let _node_is_gone = arrivals.send(arrival).await;
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;

    fn addresses(ports: &[u16]) -> Vec<SocketAddr> {
        ports.iter().map(|port| SocketAddr::from(([127, 0, 0, 1], *port))).collect()
    }

    /// Port 1 never answers, 2 fails at once, 3 takes a second, the others answer at once.
    async fn attempt(address: SocketAddr) -> Result<u16, DialError> {
        match address.port() {
            1 => std::future::pending().await,
            2 => return Err(DialError::Busy),
            3 => sleep(Duration::from_secs(1)).await,
            _ => {}
        }
        Ok(address.port())
    }

    async fn check(ports: &[u16], expected: Result<u16, DialError>, within: Duration) {
        let start = Instant::now();
        assert_eq!(first(addresses(ports), attempt).await, expected, "{ports:?}");
        assert_eq!(start.elapsed(), within, "{ports:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_dead_address_costs_a_moment() {
        let moment = limits::NEXT_ADDRESS;
        check(&[4, 5], Ok(4), Duration::ZERO).await;
        check(&[2, 4], Ok(4), Duration::ZERO).await;
        check(&[1, 4], Ok(4), moment).await;
        check(&[3, 1, 1, 5], Ok(5), 3 * moment).await;
        check(&[2], Err(DialError::Busy), Duration::ZERO).await;
        check(&[1, 2], Err(DialError::TimedOut), limits::DIAL).await;
        check(&[], Err(DialError::TimedOut), Duration::ZERO).await;
    }
}
