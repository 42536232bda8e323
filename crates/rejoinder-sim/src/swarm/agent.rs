//! The agent's program at the host: it starts turns, asks, speaks, ends turns in every way, and
//! finds its way back after each restart.

use rejoinder::{
    ChatInputRequest, Host, NotDone, OpeningId, RequestStatus, RequestView, Turn, TurnId,
};

use super::{
    Space, Swarm,
    form::{self, Form},
    tokens::Token,
};
use crate::draws::Draws;

/// The number of requests that may be open at once.
const OPEN: usize = 3;

/// The number of short requests asked in a row.
const SHORT: u32 = 14;

/// Works for as long as things break. The host of the second workspace is a person, who asks less.
pub(super) async fn work(swarm: Swarm, space: usize) {
    let space = &swarm.0.spaces[space];
    let mut draws = swarm.draws(&format!("agent {}", space.number));
    let working = swarm.0.profile.working * (1 + 3 * space.number as u32);
    let (peer, mut number) = (&space.host, 0);
    while swarm.pause(draws.pause(working)).await {
        let Some(life) = peer.life() else { continue };
        let call = swarm.0.calls.begin(peer, "wants to host");
        let hosted = swarm.hosted(space).await;
        drop(call);
        let Some(host) = hosted else { continue };
        let (draws, number) = (&mut draws, &mut number);
        let mut agent = Agent { swarm: &swarm, space, draws, number, host };
        loop {
            let call = swarm.0.calls.begin(peer, "hosts");
            let Some(Ok(())) = life.within(agent.act()).await else { break };
            drop(call);
            let pause = swarm.pause(agent.draws.pause(working));
            if life.within(pause).await != Some(true) {
                break;
            }
        }
    }
}

/// The program during one run of the host.
struct Agent<'a> {
    swarm: &'a Swarm,
    space: &'a Space,
    draws: &'a mut Draws,
    number: &'a mut u32,
    host: Host,
}

impl Agent<'_> {
    /// Does one thing. A refusal is counted; only a closed home ends the run.
    async fn act(&mut self) -> Result<(), NotDone> {
        match self.try_act().await {
            Err(NotDone::Refused(refused)) => {
                self.space.host.say(format_args!("the agent is refused: {refused}"));
                self.swarm.count("refused to the agent");
                Ok(())
            }
            other => other,
        }
    }

    async fn try_act(&mut self) -> Result<(), NotDone> {
        if self.draws.chance(400) {
            self.swarm.answer_the_door(self.space, &self.host, self.draws).await?;
        }
        let Some(turn) = self.host.active_turn().await? else { return self.begin().await };
        if self.draws.chance(150) {
            return self.take_an_outcome().await;
        }
        // Every look at a workspace shows all of it, and two workspaces like this are more than a
        // world can afford.
        let profile = &self.swarm.0.profile;
        let busy = profile.busy && !profile.second && self.draws.chance(300);
        if busy && self.swarm.0.ledger.may_rush() {
            return self.ask_much(&turn).await;
        }
        match self.draws.below(20) {
            0..10 => self.ask(&turn).await,
            10..12 => self.ask_again(&turn).await,
            12..14 => turn.say("still at it").await,
            14 => self.end(turn, "turn completed").await,
            15 => self.end(turn, "turn cancelled").await,
            16 | 17 => self.end(turn, "turn failed").await,
            18 => self.truncate().await,
            _ => self.expire().await,
        }
    }

    /// Resumes the turn that failed, or begins another one.
    async fn begin(&mut self) -> Result<(), NotDone> {
        let chat = self.host.workspace().chat().await?.chat;
        if let Some(last) = chat.turns.last().filter(|_| self.draws.chance(400)) {
            let turn = TurnId(last.id.clone());
            self.take_up().await?;
            match self.host.resume(turn).await {
                Ok(()) => self.swarm.count("turn resumed"),
                Err(refused) if super::may_be(&refused) => self.swarm.count("resume refused"),
                Err(other) => return Err(other),
            }
        }
        if self.host.active_turn().await?.is_none() {
            self.host.start_turn("go on").await?;
            self.swarm.count("turn started");
        }
        Ok(())
    }

    /// Takes up every request again.
    async fn take_up(&self) -> Result<(), NotDone> {
        for request in self.host.workspace().view().await?.requests {
            self.host.asked(request.id).await?;
        }
        Ok(())
    }

    async fn ask(&mut self, turn: &Turn) -> Result<(), NotDone> {
        if self.open().await?.len() >= OPEN {
            return Ok(());
        }
        *self.number += 1;
        let id = format!("r{}", self.number);
        let form = self.form(&id);
        let (given, request) = self.given(form, &id, 1);
        let strict = self.draws.chance(200);
        let asked =
            if strict { turn.ask_strictly(request).await? } else { turn.ask(request).await? };
        let opening = asked.request().opening();
        self.swarm.0.ledger.asked(opening, self.space.workspace);
        self.is_asked(form, opening, 1, given);
        self.swarm.count("asked");
        Ok(())
    }

    /// Returns the form of the request with that id: the same one each time it is asked.
    fn form(&self, id: &str) -> Form {
        let purpose = format!("form {} of {}", id, self.space.number);
        Form::draw(&self.swarm.0.profile, &mut self.swarm.draws(&purpose))
    }

    fn given(&self, form: Form, id: &str, revision: u32) -> (Token, ChatInputRequest) {
        let given = self.swarm.0.ledger.next_given();
        (given, form.request(id, revision, given))
    }

    fn is_asked(&self, form: Form, opening: OpeningId, revision: u32, given: Token) {
        form.count(revision, &self.swarm.0.world.ground.fired);
        if form.gives() {
            self.swarm.0.ledger.given(opening, given);
        }
    }

    /// Asks many short requests in a row, which are settled as soon as they are asked.
    async fn ask_much(&mut self, turn: &Turn) -> Result<(), NotDone> {
        for _ in 0..SHORT {
            *self.number += 1;
            let asked = turn.ask(form::short(&format!("r{}", self.number))).await?;
            self.swarm.0.ledger.asked(asked.request().opening(), self.space.workspace);
            asked.request().submit("count", 7).await?;
            let proposal = asked.request().decline().await?;
            let opening = asked.request().opening();
            self.swarm.0.ledger.completes(self.space.host.name(), proposal.id(), opening);
            self.swarm.count("asked shortly");
        }
        Ok(())
    }

    async fn ask_again(&mut self, turn: &Turn) -> Result<(), NotDone> {
        let open = self.open().await?;
        let Some((id, revision)) = self.draws.pick(&open) else { return Ok(()) };
        let form = self.form(id);
        let (given, request) = self.given(form, id, revision + 1);
        let asked = turn.ask(request).await?;
        self.is_asked(form, asked.request().opening(), revision + 1, given);
        self.swarm.count("asked again");
        Ok(())
    }

    /// Says that the program has taken a decision. It may have said so before.
    async fn take_an_outcome(&mut self) -> Result<(), NotDone> {
        let requests = self.host.workspace().view().await?.requests;
        let decided = |view: &&RequestView| matches!(view.status, RequestStatus::Decided { .. });
        let decided: Vec<_> = requests.iter().filter(decided).map(|view| view.opening).collect();
        let Some(opening) = self.draws.pick(&decided).copied() else { return Ok(()) };
        self.swarm.0.ledger.takes(opening);
        self.host.handed_over(opening).await?;
        self.swarm.0.ledger.taken(opening);
        self.swarm.count("outcome taken");
        Ok(())
    }

    /// Returns the ids and revisions of the open requests.
    async fn open(&self) -> Result<Vec<(String, u32)>, NotDone> {
        let requests = self.host.workspace().view().await?.requests;
        let open = requests.into_iter().filter(|view| view.status == RequestStatus::Open);
        Ok(open.map(|view| (view.id.to_string(), view.revision)).collect())
    }

    async fn end(&mut self, turn: Turn, how: &'static str) -> Result<(), NotDone> {
        // Most turns continue, or little would ever be answered.
        if !self.draws.chance(400) {
            return Ok(());
        }
        match how {
            "turn completed" => turn.complete().await?,
            "turn cancelled" => turn.cancel().await?,
            _ => turn.fail("overloaded", "the model is busy", self.draws.chance(700)).await?,
        }
        self.swarm.count(how);
        Ok(())
    }

    async fn truncate(&mut self) -> Result<(), NotDone> {
        let chat = self.host.workspace().chat().await?.chat;
        let Some(turn) = self.draws.pick(&chat.turns) else { return Ok(()) };
        self.swarm.0.ledger.truncates();
        self.host.truncate(Some(TurnId(turn.id.clone()))).await?;
        self.swarm.count("truncated");
        Ok(())
    }

    async fn expire(&mut self) -> Result<(), NotDone> {
        let open = self.host.workspace().view().await?.requests;
        let open: Vec<_> = open.iter().filter(|view| view.status == RequestStatus::Open).collect();
        let Some(request) = self.draws.pick(&open).filter(|_| self.draws.chance(300)) else {
            return Ok(());
        };
        self.host.expire(request.opening).await?;
        self.swarm.count("expired");
        Ok(())
    }
}
