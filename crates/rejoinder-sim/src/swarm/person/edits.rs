//! What a person does to a request: drawn, done, and entered in the ledger.

use std::collections::BTreeSet;

use rejoinder::{ChatInputAnswerValue, Edit, NotDone, PeerId, QuestionId, Request, RequestView};

use super::Person;
use crate::swarm::{
    ledger::Does,
    tokens::{self, Mark, Token},
};

impl Person {
    pub(super) async fn edit(
        &mut self,
        device: PeerId,
        request: &Request,
        view: &RequestView,
    ) -> Result<(), NotDone> {
        if self.draws.chance(60)
            && let Some((question, from)) = self.draw_take(view)
        {
            let take = request.take(question.clone(), from);
            return self.restate("took", device, request, view, question, take).await;
        }
        if self.draws.chance(40) {
            let question = QuestionId("tags".to_owned());
            let submit = request.submit_draft(question.clone());
            return self
                .restate("submitted a draft", device, request, view, question, submit)
                .await;
        }
        let token = self.swarm.0.ledger.next();
        let (what, does, edit) = self.draw_edit(token, view);
        let question = edit.question().clone();
        let ledger = self.swarm.0.ledger.clone();
        let token = ledger.issue(self.peer.name(), device, view, &question, does);
        let done = request.edit(edit).await;
        match &done {
            Ok(()) => ledger.saved(token),
            Err(_) => ledger.unsaved(token),
        }
        self.said(what, &question, token, &done);
        done
    }

    /// Submits what is there: what it is, is seen afterwards.
    async fn restate(
        &self,
        what: &'static str,
        device: PeerId,
        request: &Request,
        view: &RequestView,
        question: QuestionId,
        doing: impl Future<Output = Result<(), NotDone>>,
    ) -> Result<(), NotDone> {
        let ledger = &self.swarm.0.ledger;
        let token = ledger.issue(self.peer.name(), device, view, &question, Does::Restates);
        let done = doing.await;
        if done.is_ok() {
            let view = request.view().await?;
            self.note(&view);
            ledger.restated(token, &stated_by(device, &question, &view));
        } else {
            ledger.unsaved(token);
        }
        self.said(what, &question, token, &done);
        done
    }

    fn said(
        &self,
        what: &'static str,
        question: &QuestionId,
        token: Token,
        done: &Result<(), NotDone>,
    ) {
        self.peer.say(format_args!("{what} {question}: {token} {}", crate::lines::told(done)));
        if done.is_ok() {
            self.swarm.count(what);
        }
    }

    /// An answer of somebody that another one's displaces.
    fn draw_take(&mut self, view: &RequestView) -> Option<(QuestionId, PeerId)> {
        let conflicts: Vec<_> = view.projection.conflicts.iter().collect();
        let (question, conflicts) = self.draws.pick(&conflicts)?;
        let from = conflicts.first()?.authors.first()?;
        Some(((*question).clone(), *from))
    }

    fn draw_edit(&mut self, token: Token, view: &RequestView) -> (&'static str, Does, Edit) {
        let text = tokens::text(token);
        let more =
            (view.revision > 1 && self.draws.chance(300)).then(|| format!("more{}", view.revision));
        let notes = QuestionId(more.unwrap_or_else(|| "notes".to_owned()));
        let id = |id: &str| QuestionId(id.to_owned());
        let number = json(&format!(r#"{{"kind":"number","value":{token}}}"#));
        match self.draws.below(100) {
            0..22 => {
                let edit = Edit::Type { question: notes, at: 0, delete: 0, insert: text };
                ("typed", Does::Answers, edit)
            }
            22..40 => {
                let value = Some(json(&format!(r#"{{"kind":"text","value":"{text}"}}"#)));
                ("submitted a text", Does::Answers, Edit::Submit { question: notes, value })
            }
            40..53 => {
                let edit = Edit::Draft { question: id("count"), value: number };
                ("drafted a number", Does::Answers, edit)
            }
            53..63 => {
                let (question, value) = (id("count"), Some(number));
                ("submitted a number", Does::Answers, Edit::Submit { question, value })
            }
            63..73 => {
                let value =
                    format!(r#"{{"kind":"selected","value":"prod","freeformValues":["{text}"]}}"#);
                let (question, value) = (id("env"), Some(json(&value)));
                ("submitted a choice", Does::Answers, Edit::Submit { question, value })
            }
            73..87 => self.draw_toggle(view),
            87..94 => {
                let questions = [notes, id("count"), id("env")];
                let question = questions[self.draws.index(3)].clone();
                ("skipped", Does::Answers, Edit::Skip { question, freeform: vec![text] })
            }
            _ => {
                let questions = [notes, id("count"), id("env"), id("tags")];
                let question = questions[self.draws.index(4)].clone();
                ("cleared", Does::Clears, Edit::Clear { question })
            }
        }
    }

    /// Ticks an option that nobody has ticked, or unticks one that is.
    fn draw_toggle(&mut self, view: &RequestView) -> (&'static str, Does, Edit) {
        let question = QuestionId("tags".to_owned());
        let ledger = &self.swarm.0.ledger;
        let ticked: Vec<usize> = ticked(view, &question);
        let fresh = if ticked.is_empty() || self.draws.chance(700) {
            ledger.option(view.opening)
        } else {
            None
        };
        if let Some(number) = fresh {
            let option = tokens::option(number).as_str().into();
            return ("ticked", Does::Ticks, Edit::Toggle { question, option, on: true });
        }
        let Some(number) = self.draws.pick(&ticked).copied() else {
            return ("cleared", Does::Clears, Edit::Clear { question });
        };
        let option = tokens::option(number).as_str().into();
        let token = ledger.token(&view.opening, Mark::Option(number));
        let token = token.expect("what is shown was checked to be somebody's");
        ("unticked", Does::Unticks(token), Edit::Toggle { question, option, on: false })
    }
}

/// The options that a request shows as ticked.
fn ticked(view: &RequestView, question: &QuestionId) -> Vec<usize> {
    let shown = tokens::shown(view).into_iter().filter(|shown| shown.question == *question);
    let options: BTreeSet<usize> = shown
        .filter_map(|shown| match shown.mark {
            Mark::Option(number) => Some(number),
            Mark::Token(_) => None,
        })
        .collect();
    options.into_iter().collect()
}

/// The marks in what a device has stated as its answer.
fn stated_by(device: PeerId, question: &QuestionId, view: &RequestView) -> BTreeSet<Mark> {
    let shown = tokens::shown(view).into_iter();
    let by_it = shown.filter(|shown| {
        shown.question == *question && !shown.mixed && shown.authors.contains(&device)
    });
    by_it.map(|shown| shown.mark).collect()
}

fn json(value: &str) -> ChatInputAnswerValue {
    serde_json::from_str(value).expect("the value is AHP's")
}
