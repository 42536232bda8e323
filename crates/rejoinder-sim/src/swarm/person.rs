//! A person at a device: they join, read what is asked, and do something about it, over and over,
//! through every crash of the machine.

mod edits;

use rejoinder::{NotDone, ProposalKind, Request, RequestStatus, RequestView, TurnId, Workspace};

use super::{Space, Swarm, profile::Door};
use crate::{draws::Draws, fault::Deed, peer::Peer};

/// A number larger than the places at a host's door.
const OFTEN: u32 = 70;

/// Lives for as long as things break.
pub(super) async fn live(swarm: Swarm, peer: Peer) {
    let draws = swarm.draws(&format!("person {}", peer.name()));
    let mut person = Person { swarm, peer, draws };
    let thinking = person.swarm.0.profile.thinking;
    while person.swarm.pause(person.draws.pause(thinking)).await {
        let Some(life) = person.peer.life() else { continue };
        let device = person.peer.device();
        let call = person.swarm.0.calls.begin(&person.peer, "does something");
        let done = life.within(person.act(device)).await;
        drop(call);
        match done {
            None => person.swarm.crashed(&person.peer),
            Some(Ok(())) => {}
            Some(Err(refused)) => {
                if !super::may_be(&refused) {
                    person.swarm.0.world.fail(format!("{}: {refused}", person.peer.name()));
                }
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
        let swarm = self.swarm.clone();
        let Some(space) = self.draws.pick(&swarm.0.spaces) else { return Ok(()) };
        let Some(workspace) = swarm.workspace_at(&self.peer, space).await else {
            return self.join(space).await;
        };
        let view = workspace.view().await?;
        if !view.member {
            return self.ask_again(space).await;
        }
        swarm.looked(&self.peer, space, &view);
        if self.draws.chance(30) {
            return self.propose_about_turns(&workspace).await;
        }
        let open = self.draws.chance(970);
        let those =
            view.requests.iter().filter(|view| (view.status == RequestStatus::Open) == open);
        let those: Vec<_> = those.collect();
        let Some(view) = self.draws.pick(&those) else { return Ok(()) };
        let Some(request) = workspace.request_opened(view.opening).await? else { return Ok(()) };
        if !open {
            return self.look_back(&request).await;
        }
        if self.draws.chance(110) {
            return self.complete(&request).await;
        }
        // The edit replaces what is on the screen now.
        let view = request.view().await?;
        self.note(&view);
        if view.request.questions.as_ref().is_none_or(Vec::is_empty) {
            return Ok(());
        }
        if self.tallies(&view) {
            return self.tally(&request).await;
        }
        self.edit(device, &request, &view).await
    }

    /// Looks at a settled request, whose document may have to be read for that.
    async fn look_back(&self, request: &Request) -> Result<(), NotDone> {
        let view = request.read().await?;
        self.note(&view);
        self.swarm.0.world.ground.fired.count(Deed::OldRead);
        Ok(())
    }

    fn note(&self, view: &RequestView) {
        if let Err(why) = self.swarm.0.ledger.seen(self.peer.name(), view) {
            self.swarm.0.world.fail(why);
        }
    }

    async fn join(&mut self, space: &Space) -> Result<(), NotDone> {
        let Some(home) = self.peer.try_home() else { return Ok(()) };
        let Some(ticket) = self.swarm.ticket(&self.peer, space).await else { return Ok(()) };
        let often = self.swarm.0.profile.door == Door::Approval { insistent: true }
            && self.peer.name() == "p1";
        for _ in 0..if often { OFTEN } else { 1 } {
            home.join(ticket.clone()).await?;
            self.swarm.count("join asked");
        }
        if often {
            self.swarm.0.world.ground.fired.count(Deed::AskedOften);
        }
        Ok(())
    }

    /// Asks to join again: a person who waits may become impatient, and one who was refused gets
    /// another ticket.
    async fn ask_again(&mut self, space: &Space) -> Result<(), NotDone> {
        if self.swarm.was_refused(&self.peer, space) {
            return self.join(space).await;
        }
        if self.draws.chance(60) {
            self.swarm.0.world.ground.fired.count(Deed::AskedTwice);
            return self.join(space).await;
        }
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
            self.swarm.0.ledger.completes(self.peer.name(), proposal.id(), request.opening());
            self.swarm.count("proposed");
            if time > 0 {
                self.swarm.0.world.ground.fired.count(Deed::SecondProposal);
            }
        }
        Ok(())
    }

    async fn propose_about_turns(&mut self, workspace: &Workspace) -> Result<(), NotDone> {
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
        self.swarm.count("proposed about a turn");
        Ok(())
    }
}
