//! The least that a correct peer can do: commit, send the change on an open stream, apply, read.
//! No signature, no check, no disk. It works on the same document, with the same operations.

use std::time::{Duration, Instant};

use automerge::{
    ActorId, Automerge, Change, ObjId, ROOT, ReadDoc, TextEncoding, transaction::Transactable,
};
use quinn::{RecvStream, SendStream};
use rejoinder_answers::{Document, Form};
use rejoinder_identity::DocumentId;
use tokio::sync::mpsc;

use crate::{
    Outcome,
    pipe::{self, Open},
    work::{self, Work},
};

/// A request's document without an engine around it.
pub(crate) struct Bare {
    automerge: Automerge,
    question: ObjId,
    text: ObjId,
    work: Work,
}

impl Bare {
    /// The document of a request that nobody has answered.
    pub(crate) fn new(work: Work, skeleton: &[u8], actor: u8) -> Outcome<Self> {
        let actor = ActorId::from(&[actor; 16]);
        let mut automerge =
            Automerge::new_with_encoding(TextEncoding::UnicodeCodePoint).with_actor(actor);
        automerge.apply_changes([Change::from_bytes(skeleton.to_vec())?])?;
        let object = |of: &ObjId, key: &str| match automerge.get(of, key) {
            Ok(Some((_, object))) => Ok(object),
            Ok(None) => Err(format!("no {key}")),
            Err(error) => Err(error.to_string()),
        };
        let question = object(&object(&ROOT, "answers")?, work.question())?;
        let text = object(&question, "text")?;
        Ok(Self { automerge, question, text, work })
    }

    /// What the engine would write for that turn's answer.
    pub(crate) fn commit(&mut self, turn: usize) -> Outcome<Vec<u8>> {
        let (kind, answer) = match self.work {
            Work::Text => ("text", self.work.answer(turn)),
            Work::Option => ("selected", self.work.answer(turn)),
        };
        let mark = format!(
            r#"{{"n":"abababab-{turn}","state":"submitted","value":{{"kind":"{kind}","value":"{answer}"}}}}"#
        );
        let old = isize::try_from(self.automerge.length(&self.text))?;
        let mut transaction = self.automerge.transaction();
        match self.work {
            Work::Text => transaction.splice_text(&self.text, 0, old, &answer)?,
            Work::Option => transaction.put(&self.question, "value", answer)?,
        }
        transaction.put(&self.question, "mark", mark)?;
        transaction.commit();
        let change = self.automerge.get_last_local_change().ok_or("nothing was committed")?;
        Ok(change.raw_bytes().to_vec())
    }

    pub(crate) fn apply(&mut self, change: Vec<u8>) -> Outcome<()> {
        self.automerge.apply_changes([Change::from_bytes(change)?])?;
        Ok(())
    }

    /// What stands there; its length, so that it can't be left out.
    pub(crate) fn read(&self) -> Outcome<usize> {
        let mark = self.automerge.get(&self.question, "mark")?;
        let mark = mark.map_or(0, |(mark, _)| mark.as_str().map_or(0, str::len));
        Ok(mark
            + match self.work {
                Work::Text => self.automerge.text(&self.text)?.len(),
                Work::Option => self.automerge.get(&self.question, "value")?.map_or(0, |_| 1),
            })
    }

    pub(crate) fn copy(&self) -> Automerge {
        self.automerge.clone()
    }
}

/// The skeleton of the benchmark's form.
pub(crate) fn skeleton(document: DocumentId) -> Outcome<Vec<u8>> {
    let form = Form::read(&work::form("r"));
    Ok(Document::new(document).skeleton(&form, &Default::default())?)
}

/// A pair of the least peers.
pub(crate) struct Least {
    work: Work,
    skeleton: Vec<u8>,
    here: Bare,
    send: SendStream,
    seen: mpsc::UnboundedReceiver<(usize, Instant)>,
    _open: Open,
}

impl Least {
    pub(crate) async fn connect(work: Work) -> Outcome<Self> {
        let skeleton = skeleton(DocumentId([1; 32]))?;
        let pipe = pipe::connect().await?;
        let here = Bare::new(work, &skeleton, 1)?;
        let (saw, seen) = mpsc::unbounded_channel();
        tokio::spawn(watch(work, skeleton.clone(), pipe.receive, saw));
        Ok(Self { work, skeleton, here, send: pipe.send, seen, _open: pipe.open })
    }

    /// A new document on both sides.
    pub(crate) async fn ask(&mut self) -> Outcome<()> {
        self.here = Bare::new(self.work, &self.skeleton, 1)?;
        write(&mut self.send, &[]).await
    }

    /// From the edit until the other has read it.
    pub(crate) async fn edit(&mut self, turn: usize) -> Outcome<Duration> {
        let start = Instant::now();
        let change = self.here.commit(turn)?;
        write(&mut self.send, &change).await?;
        let (_, seen) = self.seen.recv().await.ok_or("the other end is gone")?;
        Ok(seen - start)
    }
}

async fn write(send: &mut SendStream, message: &[u8]) -> Outcome<()> {
    let length = u32::try_from(message.len())?.to_le_bytes();
    send.write_all(&[&length, message].concat()).await?;
    Ok(())
}

/// The other end: applies and reads what comes; an empty message is a new document.
async fn watch(
    work: Work,
    skeleton: Vec<u8>,
    mut receive: RecvStream,
    saw: mpsc::UnboundedSender<(usize, Instant)>,
) -> Outcome<()> {
    let mut there = Bare::new(work, &skeleton, 2)?;
    loop {
        let mut length = [0; 4];
        receive.read_exact(&mut length).await?;
        let mut change = vec![0; u32::from_le_bytes(length) as usize];
        receive.read_exact(&mut change).await?;
        if change.is_empty() {
            there = Bare::new(work, &skeleton, 2)?;
            continue;
        }
        there.apply(change)?;
        saw.send((there.read()?, Instant::now()))?;
    }
}
