//! The agent's program at the host: it starts turns, asks, speaks, ends turns in every way, and
//! finds its way back after each restart.

use rejoinder::{Host, NotDone, Turn, TurnId};
use tokio::time::sleep;

use super::{Swarm, form};
use crate::draws::Draws;

/// How many requests may wait at once.
const OPEN: usize = 3;

/// Works for as long as things break.
pub(super) async fn work(swarm: Swarm) {
    let mut draws = swarm.draws("agent");
    let mut number = 0;
    loop {
        sleep(draws.pause(swarm.0.profile.working)).await;
        let peer = &swarm.0.host;
        let (Some(life), Some(home)) = (peer.life(), peer.try_home()) else { continue };
        let hosted = life.within(home.host(swarm.0.workspace)).await;
        drop(home);
        let Some(Ok(host)) = hosted else { continue };
        let mut agent = Agent { swarm: &swarm, draws: &mut draws, number: &mut number, host };
        while let Some(Ok(())) = life.within(agent.act()).await {
            let pause = agent.draws.pause(swarm.0.profile.working);
            if life.within(sleep(pause)).await.is_none() {
                break;
            }
        }
        drop(agent);
    }
}

/// The program during one run of the host.
struct Agent<'a> {
    swarm: &'a Swarm,
    draws: &'a mut Draws,
    number: &'a mut u32,
    host: Host,
}

impl Agent<'_> {
    /// Does one thing. What is refused is refused; only a closed home ends the run.
    async fn act(&mut self) -> Result<(), NotDone> {
        match self.try_act().await {
            Err(NotDone::Refused(refused)) => {
                self.swarm.0.host.say(format_args!("the agent is refused: {refused}"));
                self.swarm.count("refused to the agent");
                Ok(())
            }
            other => other,
        }
    }

    async fn try_act(&mut self) -> Result<(), NotDone> {
        let Some(turn) = self.host.active_turn().await? else { return self.begin().await };
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

    /// Takes up what failed, or begins anew.
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

    /// Waits again for everything that waits.
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
        let request = form::request(&format!("r{}", self.number), 1);
        let strict = self.draws.chance(200);
        let asked =
            if strict { turn.ask_strictly(request).await? } else { turn.ask(request).await? };
        self.swarm.0.ledger.asked(asked.request().opening());
        self.swarm.count("asked");
        Ok(())
    }

    async fn ask_again(&mut self, turn: &Turn) -> Result<(), NotDone> {
        let open = self.open().await?;
        let Some((id, revision)) = self.draws.pick(&open) else { return Ok(()) };
        turn.ask(form::request(id, revision + 1)).await?;
        self.swarm.count("asked again");
        Ok(())
    }

    /// The open requests: their ids and revisions.
    async fn open(&self) -> Result<Vec<(String, u32)>, NotDone> {
        let requests = self.host.workspace().view().await?.requests;
        let open =
            requests.into_iter().filter(|view| view.status == rejoinder::RequestStatus::Open);
        Ok(open.map(|view| (view.id.to_string(), view.revision)).collect())
    }

    async fn end(&mut self, turn: Turn, how: &'static str) -> Result<(), NotDone> {
        // Most turns go on, or little would ever be answered.
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
        let open: Vec<_> =
            open.iter().filter(|view| view.status == rejoinder::RequestStatus::Open).collect();
        let Some(request) = self.draws.pick(&open).filter(|_| self.draws.chance(300)) else {
            return Ok(());
        };
        self.host.expire(request.opening).await?;
        self.swarm.count("expired");
        Ok(())
    }
}
