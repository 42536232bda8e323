//! An edit here until the other home shows it.

use std::time::{Duration, Instant};

use rejoinder::{Event, HomeEvent, OpeningId, Projection, Request};
use rejoinder_identity::DocumentId;
use tokio::sync::mpsc;

use crate::{
    Outcome,
    engine::Engine,
    homes::Homes,
    least::{Least, skeleton},
    pipe::{self, Open},
    samples::{Line, Samples, show},
    work::Work,
};

/// Everything is measured once in each round, so that what disturbs one disturbs all.
pub(crate) const ROUNDS: usize = 24;
/// Edits of a document; each round has a new one.
pub(crate) const EDITS: usize = 40;
/// The frame around an envelope: the workspace's id, the message's kind and lengths.
const FRAME: usize = 32 + 8 + 4;

pub(crate) async fn measure() -> Outcome<()> {
    for work in [Work::Text, Work::Option] {
        of(work).await?;
    }
    Ok(())
}

async fn of(work: Work) -> Outcome<()> {
    let size = envelope(work)? + FRAME;
    let mut raw = Raw::connect(size).await?;
    let mut least = Least::connect(work).await?;
    // A listener to events and a watcher of the request, each in homes of its own: whoever has
    // both pays for both.
    let (told_homes, watched_homes) = (Homes::open().await?, Homes::open().await?);
    let (mut told, mut watched) = (told_homes.share().await?, watched_homes.share().await?);
    let mut events = Seen::by_events(work, &told_homes)?;
    let [mut by_raw, mut by_least, mut by_events, mut by_watch, mut saved]: [Samples; 5] =
        Default::default();
    for _ in 0..ROUNDS {
        least.ask().await?;
        for _ in 0..EDITS {
            by_raw.add(raw.message().await?);
        }
        for turn in 0..EDITS {
            by_least.add(least.edit(turn).await?);
        }
        let (here, there) = told.ask().await?;
        told.synced().await?;
        for turn in 0..EDITS {
            let (shown, durable) = edit(work, turn, &here, there.opening(), &mut events).await?;
            by_events.add(shown);
            saved.add(durable);
        }
        let (here, there) = watched.ask().await?;
        watched.synced().await?;
        let mut watch = Seen::by_watching(&there);
        for turn in 0..EDITS {
            by_watch.add(edit(work, turn, &here, there.opening(), &mut watch).await?.0);
        }
    }
    told_homes.close().await;
    watched_homes.close().await;

    let goal = Some((&by_least, "p50 1.25x, p99 1.5x of the least peer"));
    let title = format!("An edit here until it is shown there ({work:?}; {size} bytes in a frame)");
    show(
        &title,
        &[
            Line { what: "a raw stream message of that size", times: &by_raw, beside: None },
            Line {
                what: "the least peer: commit, send, apply, read",
                times: &by_least,
                beside: None,
            },
            Line {
                what: "rejoinder, told by an event with the state",
                times: &by_events,
                beside: goal,
            },
            Line { what: "rejoinder, the request watched", times: &by_watch, beside: goal },
            Line { what: "rejoinder, until it is on the disk here", times: &saved, beside: None },
        ],
    );
    Ok(())
}

/// The size of a signed edit.
fn envelope(work: Work) -> Outcome<usize> {
    let id = DocumentId([1; 32]);
    let mut engine = Engine::new(1, id, &skeleton(id)?)?;
    engine.edit(&work.edit(0))?;
    let change = engine.edit(&work.edit(1))?;
    Ok(engine.sign(change).bytes().len())
}

/// Makes an edit; how long until it is shown there, and until it is saved here.
async fn edit(
    work: Work,
    turn: usize,
    here: &Request,
    opening: OpeningId,
    seen: &mut Seen,
) -> Outcome<(Duration, Duration)> {
    let start = Instant::now();
    let save = async {
        here.edit(work.edit(turn)).await?;
        Outcome::Ok(start.elapsed())
    };
    let (saved, shown) = tokio::join!(save, seen.until(work, turn, opening));
    Ok((shown? - start, saved?))
}

/// What the other home shows, and when it did.
struct Seen(mpsc::UnboundedReceiver<(OpeningId, Projection, Instant)>);

impl Seen {
    fn by_events(work: Work, homes: &Homes) -> Outcome<Self> {
        let mut events = homes.there.events()?;
        let (saw, seen) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                if let HomeEvent::Request { event, request } = event
                    && let Event::Answer { question, .. } = event
                    && question.as_str() == work.question()
                {
                    let sight = (request.opening, request.projection.clone(), Instant::now());
                    if saw.send(sight).is_err() {
                        return;
                    }
                }
            }
        });
        Ok(Self(seen))
    }

    fn by_watching(request: &Request) -> Self {
        let mut states = request.watch();
        let (saw, seen) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(state) = states.next().await {
                if saw.send((state.opening, state.projection, Instant::now())).is_err() {
                    return;
                }
            }
        });
        Self(seen)
    }

    async fn until(&mut self, work: Work, turn: usize, opening: OpeningId) -> Outcome<Instant> {
        loop {
            let (of, projection, at) = self.0.recv().await.ok_or("nobody looks any more")?;
            if of == opening && work.is_shown(&projection, turn) {
                return Ok(at);
            }
        }
    }
}

/// Messages on a raw stream.
struct Raw {
    message: Vec<u8>,
    send: quinn::SendStream,
    seen: mpsc::UnboundedReceiver<Instant>,
    _open: Open,
}

impl Raw {
    async fn connect(size: usize) -> Outcome<Self> {
        let pipe = pipe::connect().await?;
        let mut receive = pipe.receive;
        let (saw, seen) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut message = vec![0; size];
            while receive.read_exact(&mut message).await.is_ok() {
                if saw.send(Instant::now()).is_err() {
                    return;
                }
            }
        });
        Ok(Self { message: vec![7; size], send: pipe.send, seen, _open: pipe.open })
    }

    async fn message(&mut self) -> Outcome<Duration> {
        let start = Instant::now();
        self.send.write_all(&self.message).await?;
        Ok(self.seen.recv().await.ok_or("the other end is gone")? - start)
    }
}
