//! A person at a device: joins, reads what is asked, and does something about it; over and over,
//! through every crash of the machine.

use rejoinder::{
    ChatInputAnswerValue, Edit, NotDone, ProposalKind, QuestionId, Request, RequestStatus,
    RequestView, TurnId, Workspace,
};
use tokio::time::sleep;

use super::{
    Swarm,
    tokens::{self, Token},
};
use crate::{draws::Draws, fault::Fault, peer::Peer};

/// Lives for as long as things break.
pub(super) async fn live(swarm: Swarm, peer: Peer) {
    let draws = swarm.draws(&format!("person {}", peer.name()));
    let mut person = Person { swarm, peer, draws };
    loop {
        let pause = person.draws.pause(person.swarm.0.profile.thinking);
        sleep(pause).await;
        let Some(life) = person.peer.life() else { continue };
        let device = person.peer.device();
        match life.within(person.act(device)).await {
            None => person.swarm.0.ledger.crashed(person.peer.name()),
            Some(Ok(())) => {}
            Some(Err(refused)) => {
                assert!(super::may_be(&refused), "{}: {refused}", person.peer.name());
                person.peer.say(format_args!("is refused: {refused}"));
                person.swarm.count("refused");
            }
        }
    }
}

struct Person {
    swarm: Swarm,
    peer: Peer,
    draws: Draws,
}

impl Person {
    /// Does one thing.
    async fn act(&mut self, device: rejoinder::PeerId) -> Result<(), NotDone> {
        let Some(workspace) = self.swarm.workspace_at(&self.peer).await else {
            return self.join().await;
        };
        let view = workspace.view().await?;
        if !view.member {
            return Ok(());
        }
        self.swarm.0.world.seen(&self.peer, &view);
        let open: Vec<_> =
            view.requests.iter().filter(|view| view.status == RequestStatus::Open).collect();
        if self.draws.chance(30) {
            return self.wish_about_turns(&workspace).await;
        }
        let Some(view) = self.draws.pick(&open) else { return Ok(()) };
        let Some(request) = workspace.request_opened(view.opening).await? else { return Ok(()) };
        if self.draws.chance(110) {
            return self.complete(&request).await;
        }
        // What is on the screen now is what the edit goes over.
        let view = request.view().await?;
        self.note(&view);
        self.edit(device, &request, &view).await
    }

    fn note(&self, view: &RequestView) {
        if let Err(why) = self.swarm.0.ledger.seen(self.peer.name(), view) {
            self.swarm.0.world.fail(why);
        }
    }

    async fn join(&self) -> Result<(), NotDone> {
        let Some(home) = self.peer.try_home() else { return Ok(()) };
        home.join(self.swarm.0.ticket.clone()).await?;
        self.swarm.count("join asked");
        Ok(())
    }

    async fn edit(
        &mut self,
        device: rejoinder::PeerId,
        request: &Request,
        view: &RequestView,
    ) -> Result<(), NotDone> {
        let token = self.swarm.0.ledger.next();
        let (what, edit) = self.draw_edit(token, view);
        let question = question_of(&edit).clone();
        let clears = matches!(edit, Edit::Clear { .. } | Edit::Toggle { .. });
        let ledger = &self.swarm.0.ledger;
        let token = ledger.issue(self.peer.name(), device, view, &question, clears);
        let done = request.edit(edit).await;
        match &done {
            Ok(()) => ledger.saved(token),
            Err(_) => ledger.unsaved(token),
        }
        self.peer.say(format_args!("{what} {question}: {token} {}", crate::lines::told(&done)));
        if done.is_ok() {
            self.swarm.count(what);
        }
        done
    }

    fn draw_edit(&mut self, token: Token, view: &RequestView) -> (&'static str, Edit) {
        let text = tokens::text(token);
        let more =
            (view.revision > 1 && self.draws.chance(300)).then(|| format!("more{}", view.revision));
        let notes = QuestionId(more.unwrap_or_else(|| "notes".to_owned()));
        let id = |id: &str| QuestionId(id.to_owned());
        let number = json(&format!(r#"{{"kind":"number","value":{token}}}"#));
        match self.draws.below(100) {
            0..25 => {
                let edit = Edit::Type { question: notes, at: 0, delete: 0, insert: text };
                ("typed", edit)
            }
            25..45 => {
                let value = Some(json(&format!(r#"{{"kind":"text","value":"{text}"}}"#)));
                ("submitted a text", Edit::Submit { question: notes, value })
            }
            45..60 => ("drafted a number", Edit::Draft { question: id("count"), value: number }),
            60..70 => {
                let (question, value) = (id("count"), Some(number));
                ("submitted a number", Edit::Submit { question, value })
            }
            70..80 => {
                let value =
                    format!(r#"{{"kind":"selected","value":"prod","freeformValues":["{text}"]}}"#);
                let (question, value) = (id("env"), Some(json(&value)));
                ("submitted a choice", Edit::Submit { question, value })
            }
            80..86 => {
                let option = if self.draws.chance(500) { "a" } else { "b" };
                let (question, option) = (id("tags"), option.into());
                ("toggled", Edit::Toggle { question, option, on: self.draws.chance(600) })
            }
            86..93 => {
                let questions = [notes, id("count"), id("env")];
                let question = questions[self.draws.index(3)].clone();
                ("skipped", Edit::Skip { question, freeform: vec![text] })
            }
            _ => {
                let questions = [notes, id("count"), id("env"), id("tags")];
                ("cleared", Edit::Clear { question: questions[self.draws.index(4)].clone() })
            }
        }
    }

    async fn complete(&mut self, request: &Request) -> Result<(), NotDone> {
        let times = if self.draws.chance(250) { 2 } else { 1 };
        for time in 0..times {
            let proposal = match self.draws.below(10) {
                0..6 => request.accept().await?,
                6..9 => request.decline().await?,
                _ => request.cancel().await?,
            };
            self.swarm.0.ledger.proposed(self.peer.name(), proposal.id());
            self.swarm.count("proposed");
            if time > 0 {
                self.swarm.0.world.inner.fired.count(Fault::SecondProposal);
            }
        }
        Ok(())
    }

    async fn wish_about_turns(&mut self, workspace: &Workspace) -> Result<(), NotDone> {
        let chat = workspace.chat().await?.chat;
        let last = chat.turns.last().map(|turn| TurnId(turn.id.clone()));
        let active = chat.active_turn.map(|turn| TurnId(turn.id));
        let kind = match (self.draws.below(10), active, last) {
            (0..3, Some(turn), _) => ProposalKind::CancelTurn { turn },
            (3..9, _, Some(turn)) => ProposalKind::ResumeTurn { turn },
            (9, _, Some(turn)) => {
                self.swarm.0.ledger.truncates();
                ProposalKind::Truncate { turn: Some(turn) }
            }
            _ => return Ok(()),
        };
        let proposal = workspace.propose(kind).await?;
        self.swarm.0.ledger.proposed(self.peer.name(), proposal.id());
        self.swarm.count("wished about a turn");
        Ok(())
    }
}

fn question_of(edit: &Edit) -> &QuestionId {
    match edit {
        Edit::Draft { question, .. }
        | Edit::Type { question, .. }
        | Edit::Toggle { question, .. }
        | Edit::Submit { question, .. }
        | Edit::Skip { question, .. }
        | Edit::Clear { question } => question,
    }
}

fn json(value: &str) -> ChatInputAnswerValue {
    serde_json::from_str(value).expect("the value is AHP's")
}
