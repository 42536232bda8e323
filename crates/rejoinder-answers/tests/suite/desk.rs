//! The props of the stories: a request with a question of each kind, and peers who write to each
//! other.

use std::collections::BTreeMap;

use ahp_types::state::{
    ChatInputAnswer, ChatInputAnswerValue, ChatInputNumberAnswerValue, ChatInputRequest,
};
use rejoinder_answers::{
    Admitted, Document, Edit, EditRefused, Form, NotAdmitted, Version, Writer, Written,
};
use rejoinder_identity::{DocumentId, Incarnation, PeerId, QuestionId, Timestamp};
use serde_json::{Value, json};

pub(crate) const DOCUMENT: DocumentId = DocumentId([7; 32]);
pub(crate) const HOST: PeerId = PeerId([0x50; 32]);

/// One question of each kind that can be answered, and one of a later protocol.
pub(crate) fn every_kind() -> Value {
    json!({ "id": "r1", "message": "Deploy?", "questions": [
        { "kind": "text", "id": "notes", "message": "Notes?" },
        { "kind": "number", "id": "ratio", "message": "Ratio?", "min": 0.0, "max": 1.0 },
        { "kind": "integer", "id": "retries", "message": "Retries?", "min": 0.0, "max": 9.0 },
        { "kind": "boolean", "id": "sure", "message": "Sure?" },
        { "kind": "single-select", "id": "env", "message": "Where?", "allowFreeformInput": true,
          "options": [{ "id": "prod", "label": "P" }, { "id": "staging", "label": "S" }] },
        { "kind": "multi-select", "id": "checks", "message": "Which?", "allowFreeformInput": true,
          "options": [{ "id": "unit", "label": "U" }, { "id": "e2e", "label": "E" },
                      { "id": "docs", "label": "D" }] },
        { "kind": "signature", "id": "later", "message": "Sign?", "pen": 7 },
    ]})
}

pub(crate) fn form(json: Value) -> Form {
    let request: ChatInputRequest = serde_json::from_value(json).unwrap();
    Form::read(&request)
}

pub(crate) fn value(json: Value) -> ChatInputAnswerValue {
    serde_json::from_value(json).unwrap()
}

pub(crate) fn text(text: &str) -> ChatInputAnswerValue {
    value(json!({ "kind": "text", "value": text }))
}

pub(crate) fn number(number: f64) -> ChatInputAnswerValue {
    // Not by way of JSON, which has no infinity.
    ChatInputAnswerValue::Number(ChatInputNumberAnswerValue { value: number })
}

pub(crate) fn chosen(id: &str) -> ChatInputAnswerValue {
    value(json!({ "kind": "selected", "value": id }))
}

pub(crate) fn many(ids: &[&str]) -> ChatInputAnswerValue {
    value(json!({ "kind": "selected-many", "value": ids }))
}

pub(crate) fn answer(json: Value) -> ChatInputAnswer {
    serde_json::from_value(json).unwrap()
}

pub(crate) fn id(question: &str) -> QuestionId {
    QuestionId::from(question)
}

pub(crate) fn draft(question: &str, value: ChatInputAnswerValue) -> Edit {
    Edit::Draft { question: id(question), value }
}

pub(crate) fn typing(question: &str, at: usize, delete: usize, insert: &str) -> Edit {
    Edit::Type { question: id(question), at, delete, insert: insert.to_owned() }
}

pub(crate) fn toggle(question: &str, option: &str, on: bool) -> Edit {
    Edit::Toggle { question: id(question), option: option.into(), on }
}

pub(crate) fn submit(question: &str, value: ChatInputAnswerValue) -> Edit {
    Edit::Submit { question: id(question), value: Some(value) }
}

pub(crate) fn submit_draft(question: &str) -> Edit {
    Edit::Submit { question: id(question), value: None }
}

pub(crate) fn skip(question: &str) -> Edit {
    Edit::Skip { question: id(question), freeform: Vec::new() }
}

pub(crate) fn clear(question: &str) -> Edit {
    Edit::Clear { question: id(question) }
}

/// A device with its copy of the document.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub device: PeerId,
    pub document: Document,
    pub form: Form,
    /// Its changes, for the others.
    pub written: Vec<Written>,
}

/// As many devices as there are names, with the request in front of them.
pub(crate) fn peers<const N: usize>(form: &Form) -> [Peer; N] {
    let skeleton = Document::new(DOCUMENT).skeleton(form, &BTreeMap::new()).unwrap();
    std::array::from_fn(|index| {
        let mut document = Document::new(DOCUMENT);
        document.admit_skeleton(&skeleton, HOST).unwrap();
        let device = PeerId([u8::try_from(index).unwrap() + 1; 32]);
        Peer { device, document, form: form.clone(), written: Vec::new() }
    })
}

impl Peer {
    pub(crate) fn incarnation(&self) -> Incarnation {
        Incarnation([self.device.0[0]; 16])
    }

    pub(crate) fn writer(&self) -> Writer {
        let now = Timestamp::from_millis(1_796_083_200_000);
        Writer { device: self.device, incarnation: self.incarnation(), now }
    }

    pub(crate) fn try_edit(&mut self, edit: &Edit) -> Result<Vec<Written>, EditRefused> {
        let (form, writer) = (self.form.clone(), self.writer());
        let written = self.document.edit(&form, &writer, edit)?;
        self.written.extend(written.clone());
        Ok(written)
    }

    /// As somebody who saw the answers as they were in `seen`.
    pub(crate) fn try_edit_on(
        &mut self,
        seen: &Version,
        edit: &Edit,
    ) -> Result<Vec<Written>, EditRefused> {
        let (form, writer) = (self.form.clone(), self.writer());
        let written = self.document.edit_on(&form, &writer, edit, seen)?;
        self.written.extend(written.clone());
        Ok(written)
    }

    pub(crate) fn edit(&mut self, edit: Edit) -> &mut Self {
        self.try_edit(&edit).unwrap();
        self
    }

    /// The refusal of an edit, which must leave the document as it was.
    pub(crate) fn refused(&mut self, edit: Edit) -> EditRefused {
        let (before, version_vector) = (self.projection(), self.document.version_vector().clone());
        let refused = self.try_edit(&edit).unwrap_err();
        assert_eq!((self.projection(), self.document.version_vector()), (before, &version_vector));
        refused
    }

    pub(crate) fn receive(&mut self, from: &Self, change: &[u8]) -> Result<Admitted, NotAdmitted> {
        self.document.admit(from.device, from.incarnation(), change)
    }

    /// Takes all that the other wrote and this one lacks.
    pub(crate) fn take(&mut self, from: &Self) -> &mut Self {
        for written in &from.written {
            match self.receive(from, &written.change) {
                Ok(_) | Err(NotAdmitted::Known) => {}
                Err(refused) => panic!("{refused:?}"),
            }
        }
        self
    }

    pub(crate) fn projection(&self) -> Value {
        self.document.projection(&self.form).to_json()
    }

    /// The answer to a question, null when there is none.
    pub(crate) fn answer(&self, question: &str) -> Value {
        self.projection()["answers"][question]["answer"].clone()
    }

    /// Its authors.
    pub(crate) fn authors(&self, question: &str) -> Vec<PeerId> {
        self.document.projection(&self.form).answers[&id(question)].authors.clone()
    }

    /// The answers that are in conflict with it, and whose they are.
    pub(crate) fn conflicts(&self, question: &str) -> Vec<(Value, Vec<PeerId>)> {
        let projection = self.document.projection(&self.form);
        let conflicts = projection.conflicts.get(&id(question)).cloned().unwrap_or_default();
        conflicts
            .into_iter()
            .map(|conflict| (rejoinder_answers::answer_to_json(&conflict.answer), conflict.authors))
            .collect()
    }
}

/// Everything to everybody.
pub(crate) fn exchange(peers: &mut [&mut Peer]) {
    let written: Vec<Peer> = peers.iter().map(|peer| (**peer).clone()).collect();
    // Twice: what depends on a later peer's change has to wait for it.
    for _ in 0..peers.len() {
        for peer in peers.iter_mut() {
            for other in &written {
                for written in &other.written {
                    match peer.receive(other, &written.change) {
                        Ok(_) | Err(NotAdmitted::Known | NotAdmitted::Missing(_)) => {}
                        Err(refused) => panic!("{refused:?}"),
                    }
                }
            }
        }
    }
    for pair in peers.windows(2) {
        assert_eq!(pair[0].document.version_vector(), pair[1].document.version_vector());
        assert_eq!(pair[0].projection().to_string(), pair[1].projection().to_string());
    }
}
