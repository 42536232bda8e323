//! A person's edits to a request: drawn, done, and entered in the ledger.

use std::collections::BTreeSet;

use rejoinder::{
    ChatInputAnswer, ChatInputAnswerValue, ChatInputQuestion, Edit, EditRefused, NotDone, PeerId,
    QuestionId, Refused, Request, RequestView,
};
use tokio::task::JoinSet;

use super::Person;
use crate::{
    fault::Deed,
    swarm::{
        form,
        ledger::Does,
        tokens::{self, Mark, Token},
    },
};

/// The number of changes to one number in a row.
const TALLIES: u32 = 250;

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
        let shifts = (asks(view, form::SHIFTS) && self.draws.chance(150))
            .then(|| self.draw_shifting(token, view));
        let paper = (asks(view, form::LONG) && self.draws.chance(250))
            .then(|| self.draw_long(token, view))
            .flatten();
        let drawn = shifts.or(paper);
        let (what, does, edit) = match drawn {
            Some(drawn) => drawn,
            None => self.draw_edit(token, view),
        };
        let question = edit.question().clone();
        let ledger = self.swarm.0.ledger.clone();
        let token = ledger.issue(self.peer.name(), device, view, &question, does);
        let done = request.edit(edit).await;
        match &done {
            Ok(()) => ledger.saved(token),
            Err(_) => ledger.unsaved(token),
        }
        self.said(what, &question, token, &done);
        if let Err(NotDone::Refused(Refused::Edit(EditRefused::TooManyChanges(_)))) = done {
            self.swarm.0.world.fail(format!("{} may write no more", self.peer.name()));
        }
        done
    }

    /// Answers a question that is of a different kind in each revision.
    fn draw_shifting(&mut self, token: Token, view: &RequestView) -> (&'static str, Does, Edit) {
        let question = QuestionId(form::SHIFTS.to_owned());
        let text = tokens::text(token);
        let value = match kind_of(view, form::SHIFTS) {
            Some(ChatInputQuestion::Integer(_)) => {
                format!(r#"{{"kind":"number","value":{token}}}"#)
            }
            Some(ChatInputQuestion::SingleSelect(_)) => {
                format!(r#"{{"kind":"selected","value":"prod","freeformValues":["{text}"]}}"#)
            }
            _ => format!(r#"{{"kind":"text","value":"{text}"}}"#),
        };
        let value = json(&value);
        let edit = if self.draws.chance(500) {
            Edit::Draft { question, value }
        } else {
            Edit::Submit { question, value: Some(value) }
        };
        ("answered what shifts", Does::Shifts, edit)
    }

    /// Types into a text that is near its limit, or replaces much of it.
    fn draw_long(
        &mut self,
        token: Token,
        view: &RequestView,
    ) -> Option<(&'static str, Does, Edit)> {
        let question = QuestionId(form::LONG.to_owned());
        let answer = view.projection.answers.get(&question)?;
        let length = text_of(&answer.answer)?.chars().count();
        if !self.swarm.0.ledger.may_be_long() {
            return None;
        }
        self.swarm.0.world.ground.fired.count(Deed::LongText);
        let text = tokens::text(token);
        let word = |times: u64| "word ".repeat(times as usize);
        if length < 6_000 || self.draws.chance(500) {
            let insert = text + &word(self.draws.between(60, 220));
            let edit = Edit::Type { question, at: 0, delete: 0, insert };
            return Some(("typed much", Does::Answers, edit));
        }
        let delete = self.draws.between(2_000, 4_500) as usize;
        let at = self.draws.index(length - delete);
        let insert = text + &word(self.draws.between(200, 600));
        Some(("replaced much", Does::Replaces, Edit::Type { question, at, delete, insert }))
    }

    /// Draws whether to change one number over and over.
    pub(super) fn tallies(&mut self, view: &RequestView) -> bool {
        asks(view, form::TALLY) && self.draws.chance(30) && self.swarm.0.ledger.may_tally()
    }

    pub(super) async fn tally(&mut self, request: &Request) -> Result<(), NotDone> {
        let question = QuestionId(form::TALLY.to_owned());
        let mut edits = JoinSet::new();
        for number in 0..TALLIES {
            let value = json(&format!(r#"{{"kind":"number","value":{number}}}"#));
            let edit = Edit::Draft { question: question.clone(), value };
            let request = request.clone();
            edits.spawn(async move { request.edit(edit).await });
        }
        while let Some(done) = edits.join_next().await {
            done.expect("an edit does not panic")?;
        }
        self.swarm.0.world.ground.fired.count(Deed::LongHistory);
        Ok(())
    }

    /// Submits the answer that is there. Only the view after that shows which one it was.
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

    /// Draws an answer that another one displaces.
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

fn asks(view: &RequestView, question: &str) -> bool {
    kind_of(view, question).is_some()
}

fn kind_of<'a>(view: &'a RequestView, question: &str) -> Option<&'a ChatInputQuestion> {
    let mut questions = view.request.questions.iter().flatten();
    questions.find(|one| match one {
        ChatInputQuestion::Text(one) => one.id == question,
        ChatInputQuestion::Integer(one) => one.id == question,
        ChatInputQuestion::SingleSelect(one) => one.id == question,
        ChatInputQuestion::Number(_)
        | ChatInputQuestion::Boolean(_)
        | ChatInputQuestion::MultiSelect(_)
        | ChatInputQuestion::Unknown(_) => false,
    })
}

/// Returns the text of an answer, submitted or a draft.
fn text_of(answer: &ChatInputAnswer) -> Option<String> {
    let json = rejoinder::form::answer_to_json(answer);
    json.get("value")?.get("value")?.as_str().map(str::to_owned)
}

/// Returns the options that a request shows as ticked.
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

/// Returns the marks in what a device has given as its answer.
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
