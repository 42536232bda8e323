//! Versions: the part of a document that somebody had seen when they wrote in it.

use std::borrow::Cow;

use ahp_types::state::ChatInputAnswerValue;
use automerge::{Automerge, ReadDoc};
use rejoinder_identity::ChangeHash;

use crate::{
    admission_error::AdmissionError,
    automerge_names::heads,
    document::Document,
    edit::{Edit, Writer},
    limits, typing,
};

/// The part of a document that somebody has seen. The default is nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Version(Vec<ChangeHash>);

/// A document as it was, to plan an edit in, and the changes that it had.
pub(crate) struct Beside {
    pub(crate) document: Document,
    pub(crate) at: Vec<ChangeHash>,
}

impl Document {
    /// The document as it is now, for an edit that is made later on what is seen now.
    pub fn version(&self) -> Version {
        Version(self.graph.heads().iter().copied().collect())
    }

    /// The document as it was in `seen`, with what was written here since. `None` if that is the
    /// whole document, or if there is so much beside it that an edit can't name it all.
    pub(crate) fn beside(&self, writer: &Writer, seen: &Version) -> Option<Beside> {
        let own = self.version_vector().get(&writer.actor(&self.id())).map(|tip| tip.hash);
        let known = self.known(seen);
        let at: Vec<ChangeHash> =
            known.into_iter().chain(own).chain(self.skeletons.last().copied()).collect();
        let all = self.graph.is_all(&self.graph.past(&at));
        if all || at.len() > limits::DEPS || self.graph.heads().len() + 1 > limits::DEPS {
            return None;
        }
        let mut document = self.clone();
        document.automerge = self.fork_at(&at).ok()?;
        Some(Beside { document, at })
    }

    pub(crate) fn fork_at(&self, at: &[ChangeHash]) -> Result<Automerge, AdmissionError> {
        let fork = self.automerge.fork_at(&heads(at));
        fork.map_err(|error| AdmissionError::Automerge(error.to_string()))
    }

    /// A text that was typed on what was seen, as a text on `target`, which may hold more.
    pub(crate) fn on_own<'e>(
        &self,
        edit: &'e Edit,
        seen: &Version,
        target: &Self,
    ) -> Cow<'e, Edit> {
        let Edit::Draft { question, value: ChatInputAnswerValue::Text(text) } = edit else {
            return Cow::Borrowed(edit);
        };
        let Some(fields) = self.structure.fields(question) else { return Cow::Borrowed(edit) };
        let base = self.automerge.text_at(&fields.text, &heads(&self.known(seen)));
        let (base, now) = (base.unwrap_or_default(), target.text(fields));
        if base == now {
            return Cow::Borrowed(edit);
        }
        let mut text = text.clone();
        text.value = typing::merged(&base, &text.value, &now);
        let value = ChatInputAnswerValue::Text(text);
        Cow::Owned(Edit::Draft { question: question.clone(), value })
    }

    fn known(&self, seen: &Version) -> Vec<ChangeHash> {
        seen.0.iter().filter(|hash| self.graph.contains(hash)).copied().collect()
    }
}
