//! A stranger's one question: one stream, one message there, one back.

use quinn::{ConnectionError, ReadError, ReadToEndError, SendStream, WriteError};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use crate::{
    accepted::{Accepted, JoinAsk},
    close::CloseCode,
    error::DialError,
    limits::{JOIN, STEP},
    link::Wire,
};

/// Hears one question out, on the side that was dialled.
pub(crate) async fn hear(wire: Wire, accepted: &mpsc::Sender<Accepted>) {
    let (code, reason) = match converse(&wire, accepted).await {
        Ok(()) => (CloseCode::Goodbye, ""),
        Err(end) => end,
    };
    tracing::debug!(device = %wire.peer.short(), %code, reason, "asked to join");
    // A second stream, or anything else it may have begun, ends here unread.
    wire.close(code, reason);
}

type End = (CloseCode, &'static str);

const LATE: End = (CloseCode::Unresponsive, "too late");
const NO_TIME: End = (CloseCode::Busy, "");
const GONE: End = (CloseCode::Goodbye, "");

async fn converse(wire: &Wire, accepted: &mpsc::Sender<Accepted>) -> Result<(), End> {
    let (mut send, mut receive) =
        timeout(STEP, wire.connection.accept_bi()).await.map_err(|_| LATE)?.map_err(|_| GONE)?;
    let ask =
        timeout(STEP, receive.read_to_end(JOIN)).await.map_err(|_| LATE)?.map_err(|error| {
            match error {
                ReadToEndError::TooLong => (CloseCode::Misbehaved, "too long"),
                ReadToEndError::Read(_) => GONE,
            }
        })?;
    let (answer, answered) = oneshot::channel();
    let ask = JoinAsk { device: wire.peer, remote_address: wire.remote_address(), ask, answer };
    let answer = timeout(STEP, async {
        accepted.send(Accepted::Join(ask)).await.map_err(|_| NO_TIME)?;
        answered.await.map_err(|_| NO_TIME)
    })
    .await
    .map_err(|_| NO_TIME)??;
    if answer.len() > JOIN {
        tracing::warn!(length = answer.len(), "an answer to a joiner that is too long to be sent");
        return Err(NO_TIME);
    }
    timeout(STEP, say(&mut send, &answer)).await.map_err(|_| LATE)?.map_err(|_| GONE)
}

/// Writes the whole message, and returns when it has arrived.
async fn say(send: &mut SendStream, bytes: &[u8]) -> Result<(), WriteError> {
    send.write_all(bytes).await?;
    let _ = send.finish();
    let _ = send.stopped().await;
    Ok(())
}

/// Asks, on the side that dialled.
pub(crate) async fn ask(
    wire: &Wire,
    ask: &[u8],
    error: impl Fn(&ConnectionError) -> DialError,
) -> Result<Vec<u8>, DialError> {
    let (mut send, mut receive) = timeout(STEP, wire.connection.open_bi())
        .await
        .map_err(|_| DialError::TimedOut)?
        .map_err(|lost| error(&lost))?;
    match timeout(STEP, send.write_all(ask)).await {
        Err(_elapsed) => return Err(DialError::TimedOut),
        // The read that follows tells why it was lost or stopped.
        Ok(_written) => {
            let _ = send.finish();
        }
    }
    // Twice: the other side has one step to decide on its answer, and says so when it has none.
    match timeout(2 * STEP, receive.read_to_end(JOIN)).await {
        Err(_elapsed) => Err(DialError::TimedOut),
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(ReadToEndError::TooLong)) => {
            Err(DialError::Misbehaved("an answer that is too long"))
        }
        Ok(Err(ReadToEndError::Read(ReadError::ConnectionLost(lost)))) => Err(error(&lost)),
        Ok(Err(ReadToEndError::Read(
            ReadError::Reset(_)
            | ReadError::ClosedStream
            | ReadError::IllegalOrderedRead
            | ReadError::ZeroRttRejected,
        ))) => Err(DialError::Misbehaved("no answer")),
    }
}
