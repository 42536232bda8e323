//! A thousand documents, edited on both sides while they were apart, until both hold the same.

use std::{
    thread,
    time::{Duration, Instant},
};

use automerge::{Automerge, Change};
use rejoinder::Request;
use rejoinder_identity::DocumentId;

use crate::{
    Outcome,
    engine::Engine,
    homes::{Homes, Shared},
    least::{Bare, skeleton},
    samples::{Line, Samples, say, show},
    work::Work,
};

const DOCUMENTS: usize = 1_000;
/// Requests of a workspace: at most 64 may be open.
const OPEN: usize = 50;
/// Of each document on each side.
const EDITS: usize = 5;
/// Each is whole work of seconds: few, and the median says little more than that.
const ROUNDS: usize = 3;
const WORK: Work = Work::Option;

pub(crate) async fn measure() -> Outcome<()> {
    let missing = Missing::make()?;
    let [mut applied, mut checked, mut together]: [Samples; 3] = Default::default();
    let mut bytes = Vec::new();
    for _ in 0..ROUNDS {
        applied.add(missing.apply()?);
        checked.add(missing.check_and_admit()?);
        let (time, sent) = homes().await?;
        together.add(time);
        bytes.push(sent);
    }
    let title = format!("{DOCUMENTS} documents, {EDITS} + {EDITS} edits apart, until equal");
    let goal = Some((&applied, "1.3x applying"));
    show(
        &title,
        &[
            Line {
                what: "applying the missing changes, a thread a side",
                times: &applied,
                beside: None,
            },
            Line {
                what: "the engine's checks alone, a thread a side",
                times: &checked,
                beside: goal,
            },
            Line {
                what: "rejoinder, from the dial until on both disks",
                times: &together,
                beside: goal,
            },
        ],
    );
    bytes.sort_unstable();
    let sent = bytes[bytes.len() / 2];
    let share = |of: u64| sent as f64 / of as f64;
    say(&format!(
        "bytes of UDP both ways: {sent}; the missing envelopes: {} ({:.2}x, goal 1.15x); \
         the missing changes: {} ({:.2}x)",
        missing.envelopes,
        share(missing.envelopes),
        missing.changes,
        share(missing.changes),
    ));
    Ok(())
}

/// Two homes with the same requests, apart: edits on both sides, then together again.
async fn homes() -> Outcome<(Duration, u64)> {
    let homes = Homes::open().await?;
    let (mut shared, mut here, mut there) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..DOCUMENTS / OPEN {
        let mut workspace = homes.share().await?;
        for _ in 0..OPEN {
            let (at_here, at_there) = workspace.ask().await?;
            here.push(at_here);
            there.push(at_there);
        }
        shared.push(workspace);
    }
    all_synced(&shared).await?;
    homes.here.offline().await?;
    homes.there.offline().await?;
    tokio::try_join!(edit_all(&here, 0), edit_all(&there, 1))?;

    let before = homes.sent();
    let start = Instant::now();
    homes.there.online().await?;
    homes.here.online().await?;
    all_synced(&shared).await?;
    let (time, sent) = (start.elapsed(), homes.sent() - before);
    for (here, there) in here.iter().zip(&there) {
        let (here, there) = (here.view().await?.projection, there.view().await?.projection);
        assert_eq!(here, there, "both hold the same");
        assert_eq!(here.conflicts.len(), 1, "both sides' answers are there");
    }
    homes.close().await;
    Ok((time, sent))
}

/// That one workspace is synced says nothing of the next: all are waited for.
async fn all_synced(shared: &[Shared]) -> Outcome<()> {
    for workspace in shared {
        workspace.synced().await?;
    }
    Ok(())
}

/// All documents at a time, so that their writes share the disk's flushes.
async fn edit_all(requests: &[Request], side: usize) -> Outcome<()> {
    for turn in 0..EDITS {
        let mut edits = tokio::task::JoinSet::new();
        for request in requests {
            let request = request.clone();
            edits.spawn(async move { request.edit(WORK.edit(turn + side)).await });
        }
        while let Some(edited) = edits.join_next().await {
            edited??;
        }
    }
    Ok(())
}

/// What each side lacks of documents of the same shape: made once, applied in each round.
struct Missing {
    skeletons: Vec<(DocumentId, Vec<u8>)>,
    /// For each document what each side wrote.
    written: Vec<[Vec<Signed>; 2]>,
    envelopes: u64,
    changes: u64,
}

type Signed = rejoinder_identity::Verified<rejoinder_sync::Envelope>;

impl Missing {
    fn make() -> Outcome<Self> {
        let mut made =
            Self { skeletons: Vec::new(), written: Vec::new(), envelopes: 0, changes: 0 };
        for number in 0..DOCUMENTS {
            let mut id = DocumentId([1; 32]);
            id.0[..8].copy_from_slice(&number.to_le_bytes());
            let skeleton = skeleton(id)?;
            let write = |side: usize| {
                let mut engine = Engine::new(u8::try_from(side)?, id, &skeleton)?;
                let edits = (0..EDITS).map(|turn| {
                    let change = engine.edit(&WORK.edit(turn + side))?;
                    Ok(engine.sign(change))
                });
                edits.collect::<Outcome<Vec<_>>>()
            };
            let written = [write(0)?, write(1)?];
            for signed in written.iter().flatten() {
                made.envelopes += signed.bytes().len() as u64;
                made.changes += signed.value().change.len() as u64;
            }
            made.written.push(written);
            made.skeletons.push((id, skeleton));
        }
        Ok(made)
    }

    /// Automerge alone: each side applies what it lacks, a document's changes together.
    fn apply(&self) -> Outcome<Duration> {
        let side = |side: usize| {
            let mut documents = Vec::new();
            for ((_, skeleton), written) in self.skeletons.iter().zip(&self.written) {
                let mut document = Bare::new(WORK, skeleton, 9)?.copy();
                apply(&mut document, &written[side])?;
                documents.push(document);
            }
            let start = Instant::now();
            for (document, written) in documents.iter_mut().zip(&self.written) {
                apply(document, &written[1 - side])?;
            }
            Ok(start.elapsed())
        };
        both(side)
    }

    /// The engine without network and disk: signatures, admission.
    fn check_and_admit(&self) -> Outcome<Duration> {
        let side = |side: usize| {
            let mut engines = Vec::new();
            for ((id, skeleton), written) in self.skeletons.iter().zip(&self.written) {
                let mut engine = Engine::new(9, *id, skeleton)?;
                written[side].iter().try_for_each(|signed| engine.admit(signed))?;
                engines.push(engine);
            }
            let start = Instant::now();
            for (engine, written) in engines.iter_mut().zip(&self.written) {
                for signed in &written[1 - side] {
                    engine.admit(&Signed::from_bytes(signed.bytes())?)?;
                }
            }
            Ok(start.elapsed())
        };
        both(side)
    }
}

fn apply(document: &mut Automerge, written: &[Signed]) -> Outcome<()> {
    let changes: Result<Vec<_>, _> =
        written.iter().map(|signed| Change::from_bytes(signed.value().change.clone())).collect();
    document.apply_changes(changes?)?;
    Ok(())
}

/// Both sides at a time, as two homes on two cores; the slower one counts.
fn both(side: impl Fn(usize) -> Outcome<Duration> + Sync) -> Outcome<Duration> {
    let (here, there) = thread::scope(|scope| {
        let there = scope.spawn(|| side(1));
        (side(0), there.join().expect("it panicked, and said why"))
    });
    Ok(here?.max(there?))
}
