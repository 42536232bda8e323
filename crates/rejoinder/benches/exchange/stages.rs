//! Where the time of an edit goes: its stages one by one, on one thread.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use rejoinder_identity::{DocumentId, Verified};
use rejoinder_sync::Envelope;

use crate::{
    Outcome,
    edit::{EDITS, ROUNDS},
    engine::Engine,
    least::{Bare, skeleton},
    samples::{Line, Samples, show},
    work::Work,
};

pub(crate) fn measure() -> Outcome<()> {
    for work in [Work::Text, Work::Option] {
        of(work)?;
    }
    Ok(())
}

const STAGES: [&str; 9] = [
    "automerge: commit",
    "automerge: decode the change and apply it",
    "automerge: read",
    "automerge: copy of the document",
    "engine: edit",
    "engine: sign",
    "engine: check the signature",
    "engine: admit",
    "engine: projection",
];

fn of(work: Work) -> Outcome<()> {
    let id = DocumentId([1; 32]);
    let skeleton = skeleton(id)?;
    let mut samples: [Samples; STAGES.len()] = Default::default();
    for _ in 0..ROUNDS {
        let mut bare = [Bare::new(work, &skeleton, 1)?, Bare::new(work, &skeleton, 2)?];
        let mut engines = [Engine::new(1, id, &skeleton)?, Engine::new(2, id, &skeleton)?];
        for turn in 0..EDITS {
            let times = once(work, turn, &mut bare, &mut engines)?;
            for (samples, time) in samples.iter_mut().zip(times) {
                samples.add(time);
            }
        }
    }
    let lines: Vec<_> = STAGES
        .iter()
        .zip(&samples)
        .map(|(what, times)| Line { what, times, beside: None })
        .collect();
    show(&format!("Stages of an edit ({work:?}), on one thread"), &lines);
    Ok(())
}

fn once(
    work: Work,
    turn: usize,
    [bare_here, bare_there]: &mut [Bare; 2],
    [here, there]: &mut [Engine; 2],
) -> Outcome<[Duration; STAGES.len()]> {
    let (commit, change) = timed(|| bare_here.commit(turn));
    let change = change?;
    let (apply, applied) = timed(|| bare_there.apply(change));
    applied?;
    let (read, was_read) = timed(|| bare_there.read());
    black_box(was_read?);
    let (copy, _) = timed(|| bare_there.copy());

    let wanted = work.edit(turn);
    let (edit, change) = timed(|| here.edit(&wanted));
    let change = change?;
    let (sign, signed) = timed(|| here.sign(change));
    let (check, checked) = timed(|| Verified::<Envelope>::from_bytes(signed.bytes()));
    let checked = checked?;
    let (admit, admitted) = timed(|| there.admit(&checked));
    admitted?;
    let (project, projection) = timed(|| there.projection());
    assert!(work.is_shown(&projection, turn), "what was admitted is shown");
    Ok([commit, apply, read, copy, edit, sign, check, admit, project])
}

fn timed<T>(does: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let done = black_box(does());
    (start.elapsed(), done)
}
