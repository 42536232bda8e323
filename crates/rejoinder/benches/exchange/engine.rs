//! The engine's own document, without a home around it.

use rejoinder::{Edit, Projection, form::Form};
use rejoinder_answers::{Document, Writer};
use rejoinder_identity::{DocumentId, Incarnation, PeerId, SecretKey, Timestamp, Verified};
use rejoinder_sync::Envelope;

use crate::{Outcome, work};

/// One device with a document of its own.
pub(crate) struct Engine {
    pub(crate) document: Document,
    pub(crate) form: Form,
    key: SecretKey,
    writer: Writer,
}

impl Engine {
    pub(crate) fn new(seed: u8, document: DocumentId, skeleton: &[u8]) -> Outcome<Self> {
        let key = SecretKey::from_seed([seed; 32]);
        let (device, incarnation) = (key.public(), Incarnation([seed; 16]));
        let writer = Writer { device, incarnation, now: Timestamp::from_millis(1_000_000) };
        let mut document = Document::new(document);
        document.admit_skeleton(skeleton, PeerId([9; 32]))?;
        Ok(Self { document, form: Form::read(&work::form("r")), key, writer })
    }

    pub(crate) fn edit(&mut self, edit: &Edit) -> Outcome<Vec<u8>> {
        let mut written = self.document.edit(&self.form, &self.writer, edit)?;
        let only = written.pop().filter(|_| written.is_empty());
        Ok(only.ok_or("an edit that is not one change")?.change)
    }

    pub(crate) fn sign(&self, change: Vec<u8>) -> Verified<Envelope> {
        let Writer { device: author, incarnation, .. } = self.writer;
        let envelope = Envelope { document: self.document.id(), author, incarnation, change };
        Verified::sign(&self.key, envelope)
    }

    pub(crate) fn admit(&mut self, envelope: &Verified<Envelope>) -> Outcome<()> {
        let Envelope { author, incarnation, change, .. } = envelope.value();
        let admitted = self.document.admit(*author, *incarnation, change);
        admitted.map(drop).map_err(|why| format!("not admitted: {why:?}").into())
    }

    pub(crate) fn projection(&self) -> Projection {
        self.document.projection(&self.form)
    }
}
