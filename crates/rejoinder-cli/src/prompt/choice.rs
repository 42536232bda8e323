//! A question with rows to choose from: selects, and yes or no.

use std::collections::BTreeSet;

use ahp_types::state::{
    ChatInputAnswerValue, ChatInputQuestion, ChatInputSelectedAnswerValue,
    ChatInputSelectedManyAnswerValue,
};

use super::text::TextField;
use crate::line;

/// The rows, those that are chosen, and the row that the person is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) kind: Kind,
    /// Id and label, as others wrote them.
    pub(super) rows: Vec<(String, String)>,
    pub(super) at: usize,
    pub(super) chosen: BTreeSet<String>,
    /// The row for free text, after all others.
    pub(super) own: Option<TextField>,
    /// True if free text is the answer, where there is a single one.
    pub(super) own_chosen: bool,
    /// Further free text in the answer, for which there is no row. It is kept.
    more_own: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Boolean,
    Single,
    Many,
}

impl Choice {
    pub(super) fn new(question: &ChatInputQuestion) -> Option<Self> {
        let (kind, own) = match question {
            ChatInputQuestion::Boolean(_) => (Kind::Boolean, None),
            ChatInputQuestion::SingleSelect(question) => {
                (Kind::Single, question.allow_freeform_input)
            }
            ChatInputQuestion::MultiSelect(question) => (Kind::Many, question.allow_freeform_input),
            ChatInputQuestion::Text(_)
            | ChatInputQuestion::Number(_)
            | ChatInputQuestion::Integer(_)
            | ChatInputQuestion::Unknown(_) => return None,
        };
        let option = |id: &str, label: &str| (id.to_owned(), label.to_owned());
        let rows = match kind {
            Kind::Boolean => vec![option("true", "Yes"), option("false", "No")],
            Kind::Single | Kind::Many => crate::view::options(question)
                .iter()
                .map(|row| {
                    let description = row.description.as_deref().map(|text| format!(" – {text}"));
                    let recommended =
                        if row.recommended == Some(true) { " (recommended)" } else { "" };
                    let label =
                        format!("{}{recommended}{}", row.label, description.unwrap_or_default());
                    option(&row.id, &label)
                })
                .collect(),
        };
        Some(Self {
            kind,
            rows,
            at: 0,
            chosen: BTreeSet::new(),
            own: (own == Some(true)).then(TextField::default),
            own_chosen: false,
            more_own: Vec::new(),
        })
    }

    /// Takes over the current answer; free text that is being typed stays.
    pub(super) fn follow(&mut self, value: Option<&ChatInputAnswerValue>, typing: bool) {
        let (ids, own): (Vec<String>, &[String]) = match value {
            Some(ChatInputAnswerValue::Boolean(boolean)) => (vec![boolean.value.to_string()], &[]),
            Some(ChatInputAnswerValue::Selected(selected)) => (
                vec![selected.value.clone()],
                selected.freeform_values.as_deref().unwrap_or_default(),
            ),
            Some(ChatInputAnswerValue::SelectedMany(many)) => {
                (many.value.clone(), many.freeform_values.as_deref().unwrap_or_default())
            }
            Some(
                ChatInputAnswerValue::Text(_)
                | ChatInputAnswerValue::Number(_)
                | ChatInputAnswerValue::Unknown(_),
            )
            | None => (Vec::new(), &[]),
        };
        let is_row = |id: &String| self.rows.iter().any(|(row, _)| row == id);
        self.chosen = ids.into_iter().filter(is_row).collect();
        if typing {
            return;
        }
        self.own_chosen = self.chosen.is_empty() && !own.is_empty();
        if let Some(field) = &mut self.own {
            let first = own.first().map(String::as_str).unwrap_or_default();
            // Free text stays in its row when an option is chosen instead.
            if field.text() != first && (self.kind == Kind::Many || !own.is_empty()) {
                *field = TextField::new(first);
            }
        }
        self.more_own = own.iter().skip(1).cloned().collect();
    }

    pub(super) fn is_on_own(&self) -> bool {
        self.own.is_some() && self.at == self.rows.len()
    }

    pub(super) fn go(&mut self, down: bool) {
        let last = (self.rows.len() + usize::from(self.own.is_some())).saturating_sub(1);
        self.at = if down { (self.at + 1).min(last) } else { self.at.saturating_sub(1) };
    }

    /// Chooses the row at `at`; where several can be chosen, toggles it.
    pub(super) fn choose(&mut self, at: usize) -> bool {
        if let (Some(own), true) = (&self.own, at == self.rows.len()) {
            let written = !own.text().is_empty();
            if self.kind == Kind::Single && written {
                self.chosen.clear();
                self.own_chosen = true;
            }
            return written;
        }
        let Some((id, _)) = self.rows.get(at) else { return false };
        match self.kind {
            Kind::Many if self.chosen.remove(id) => {}
            Kind::Many => {
                self.chosen.insert(id.clone());
            }
            Kind::Boolean | Kind::Single => {
                self.chosen = BTreeSet::from([id.clone()]);
                self.own_chosen = false;
            }
        }
        self.at = at;
        true
    }

    /// Handles typing in the row for free text: where there is a single choice, the text becomes
    /// it.
    pub(super) fn own_typed(&mut self) {
        if self.kind == Kind::Single {
            self.chosen.clear();
            self.own_chosen = true;
        }
    }

    /// Returns the answer in this field; `None` if there is none.
    pub(super) fn value(&self) -> Option<ChatInputAnswerValue> {
        let own = self.own.iter().map(|field| field.text().to_owned());
        let own: Vec<String> =
            own.filter(|text| !text.is_empty()).chain(self.more_own.iter().cloned()).collect();
        match self.kind {
            Kind::Boolean => self.chosen.first().map(|id| line::boolean(id == "true")),
            Kind::Single if self.own_chosen && !own.is_empty() => {
                Some(ChatInputAnswerValue::Selected(ChatInputSelectedAnswerValue {
                    value: String::new(),
                    freeform_values: Some(own),
                }))
            }
            Kind::Single => self.chosen.first().cloned().map(line::selected),
            Kind::Many => {
                let ids = self.rows.iter().map(|(id, _)| id);
                Some(ChatInputAnswerValue::SelectedMany(ChatInputSelectedManyAnswerValue {
                    value: ids.filter(|id| self.chosen.contains(*id)).cloned().collect(),
                    freeform_values: Some(own).filter(|own| !own.is_empty()),
                }))
            }
        }
    }
}
