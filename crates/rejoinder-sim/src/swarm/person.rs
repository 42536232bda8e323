//! A person at a device: joins, reads what is asked, and does something about it; over and over,
//! through every crash of the machine.

mod edits;

use rejoinder::{NotDone, ProposalKind, Request, RequestStatus, RequestView, TurnId, Workspace};
use tokio::time::sleep;

use super::Swarm;
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
        if view.uncarried == 0 {
            self.swarm.0.ledger.all_carried(self.peer.name());
        }
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
        let proposal = match (self.draws.below(12), active, last) {
            (0..3, Some(turn), _) => workspace.cancel_turn(turn).await?,
            (3..8, _, Some(turn)) => workspace.resume_turn(turn).await?,
            (8..11, _, _) => workspace.start_turn("and now this").await?,
            (11, _, Some(turn)) => {
                self.swarm.0.ledger.truncates();
                workspace.propose(ProposalKind::Truncate { turn: Some(turn) }).await?
            }
            _ => return Ok(()),
        };
        self.swarm.0.ledger.proposed(self.peer.name(), proposal.id());
        self.swarm.count("wished about a turn");
        Ok(())
    }
}
