//! The requests of a swarm: one question of each kind that can hold something unique, and the ways
//! in which requests differ.

use rejoinder::ChatInputRequest;

use super::{profile::Profile, tokens};
use crate::{
    draws::Draws,
    fault::{Deed, Fired},
};

/// The number of options to tick.
pub(super) const OPTIONS: usize = 24;
/// The number of characters in the text at its limit: few enough that another word fits.
const PAPER: usize = 31_500;
/// The question whose kind changes with each revision: an earlier answer may be of a kind that is
/// no longer asked for.
pub(super) const SHIFTS: &str = "shift";
/// The question for a text at its limit.
pub(super) const LONG: &str = "paper";
/// The question for a number that is changed over and over.
pub(super) const TALLY: &str = "tally";

/// The form of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// True if it asks for a page to be opened, and nothing else.
    url: bool,
    required: bool,
    /// True if it comes with answers, as does each of its revisions.
    pub(super) seeded: bool,
    shifts: bool,
    paper: bool,
    tally: bool,
}

impl Form {
    pub(super) fn draw(profile: &Profile, draws: &mut Draws) -> Self {
        Self {
            url: draws.chance(60),
            required: draws.chance(250),
            seeded: draws.chance(250),
            shifts: draws.chance(250),
            paper: draws.chance(500) && profile.long_texts,
            tally: profile.long_history,
        }
    }

    pub(super) fn count(self, revision: u32, fired: &Fired) {
        let kinds = [
            (self.url, Deed::UrlOnly),
            (self.required && !self.url, Deed::Required),
            (self.seeded && !self.url, Deed::Seeded),
            (self.shifts && !self.url && revision > 1, Deed::OtherKind),
        ];
        for (is, fault) in kinds {
            fired.add(fault, is.into());
        }
    }

    /// True if its revisions come with an answer of the agent that has a mark.
    pub(super) fn gives(self) -> bool {
        self.seeded && !self.url
    }

    /// Returns the request with that id. A later revision asks one question more.
    pub(super) fn request(self, id: &str, revision: u32, given: tokens::Token) -> ChatInputRequest {
        if self.url {
            let json = format!(
                r#"{{ "id": "{id}", "message": "Look at {revision}.", "url": "https://example.org/{id}" }}"#
            );
            return serde_json::from_str(&json).expect("the form is a request");
        }
        let more = |revision: u32| {
            format!(r#", {{ "kind": "text", "id": "more{revision}", "message": "And now?" }}"#)
        };
        let more: String = (2..=revision).map(more).collect();
        let option =
            |number| format!(r#"{{ "id": "{0}", "label": "{0}" }}"#, tokens::option(number));
        let options = (0..OPTIONS).map(option).collect::<Vec<_>>().join(", ");
        let required = if self.required { r#""required": true,"# } else { "" };
        let others = self.others(revision);
        let answers =
            if self.gives() { answers(revision, self.paper, given) } else { self.paper(revision) };
        let json = format!(
            r#"{{ "id": "{id}", "message": "Ready?", "questions": [
                {{ "kind": "text", "id": "notes", "message": "Anything to add?" }},
                {{ "kind": "integer", "id": "count", "message": "How many?" }},
                {{ "kind": "single-select", "id": "env", "message": "Where to?", {required}
                   "options": [{{ "id": "prod", "label": "Prod" }}, {{ "id": "stage", "label": "Stage" }}],
                   "allowFreeformInput": true }},
                {{ "kind": "multi-select", "id": "tags", "message": "Which?",
                   "options": [{options}] }}
                {others} {more} ] {answers} }}"#
        );
        serde_json::from_str(&json).expect("the form is a request")
    }

    fn paper(self, revision: u32) -> String {
        if self.paper && revision == 1 {
            format!(r#", "answers": {{ {} }}"#, paper())
        } else {
            String::new()
        }
    }

    fn others(self, revision: u32) -> String {
        let mut others = String::new();
        if self.gives() {
            for revision in 1..=revision {
                others += &format!(
                    r#", {{ "kind": "text", "id": "given{revision}", "message": "Is it so?" }}"#
                );
            }
        }
        if self.shifts {
            let kind = match revision % 3 {
                1 => r#""kind": "text""#,
                2 => r#""kind": "integer""#,
                _ => {
                    r#""kind": "single-select", "allowFreeformInput": true,
                       "options": [{ "id": "prod", "label": "Prod" }]"#
                }
            };
            others += &format!(r#", {{ "id": "{SHIFTS}", "message": "What of it?", {kind} }}"#);
        }
        if self.paper {
            others += &format!(r#", {{ "kind": "text", "id": "{LONG}", "message": "Right so?" }}"#);
        }
        if self.tally {
            others +=
                &format!(r#", {{ "kind": "integer", "id": "{TALLY}", "message": "So far?" }}"#);
        }
        others
    }
}

/// Returns a request that is soon settled.
pub(super) fn short(id: &str) -> ChatInputRequest {
    let json = format!(
        r#"{{ "id": "{id}", "questions": [
            {{ "kind": "integer", "id": "count", "message": "How many?" }} ] }}"#
    );
    serde_json::from_str(&json).expect("the form is a request")
}

/// Returns the answers that a revision comes with: one new answer, and in the first revision a
/// draft too.
fn answers(revision: u32, with_paper: bool, given: tokens::Token) -> String {
    let text = tokens::text(given);
    let mut answers = format!(
        r#""given{revision}": {{ "state": "submitted", "value": {{ "kind": "text", "value": "{text}" }} }}"#
    );
    if revision == 1 {
        answers +=
            r#", "notes": { "state": "draft", "value": { "kind": "text", "value": "as it was" } }"#;
        if with_paper {
            answers += ", ";
            answers += &paper();
        }
    }
    format!(r#", "answers": {{ {answers} }}"#)
}

fn paper() -> String {
    let text = "lorem ".repeat(PAPER / 6);
    format!(r#""{LONG}": {{ "state": "draft", "value": {{ "kind": "text", "value": "{text}" }} }}"#)
}
