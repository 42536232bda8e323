//! All orders of two completions, a draft, a turn cancel, an error, a resume and a truncation.

use ahp_types::state::ChatInputResponseKind::{Accept, Decline};
use rejoinder_finalizer::{
    Body, Checked, HostAction, Log, LogChange, Proposal, ProposalKind, Ruling, Status, TurnEnd,
};
use rejoinder_identity::{OpeningId, ProposalId};

use crate::world::{Documents, Outcome, World, completion, key, text, turn};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Accept,
    Decline,
    Draft,
    Cancel,
    Error,
    Resume,
    Truncate,
}

const EVENTS: [Event; 7] = [
    Event::Accept,
    Event::Decline,
    Event::Draft,
    Event::Cancel,
    Event::Error,
    Event::Resume,
    Event::Truncate,
];

/// The expected state, computed without the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Model {
    turn: Turn,
    request: Asked,
    drafted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Active,
    Cancelled,
    Failed,
    Gone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Open,
    Suspended,
    Accepted,
    Declined,
    Ended(TurnEnd),
}

impl Model {
    /// Takes an event, and says how it should be answered.
    fn take(&mut self, event: Event) -> &'static str {
        match event {
            Event::Accept => self.complete(Asked::Accepted),
            Event::Decline => self.complete(Asked::Declined),
            Event::Draft => {
                self.drafted = true;
                "drafted"
            }
            Event::Cancel if self.turn == Turn::Active => {
                self.end(Turn::Cancelled, TurnEnd::Cancelled)
            }
            Event::Cancel => "no-active-turn",
            Event::Error if self.turn == Turn::Active => self.end(Turn::Failed, TurnEnd::Failed),
            Event::Error => "no-active-turn",
            Event::Resume if self.turn == Turn::Failed => {
                self.turn = Turn::Active;
                if self.request == Asked::Suspended {
                    self.request = Asked::Open;
                }
                "granted"
            }
            Event::Resume => "not-resumable",
            // Keeps t0, so it always finds it.
            Event::Truncate => self.end(Turn::Gone, TurnEnd::Truncated),
        }
    }

    fn complete(&mut self, to: Asked) -> &'static str {
        match self.request {
            Asked::Open if to == Asked::Accepted && !self.drafted => "required-unanswered",
            Asked::Open => {
                self.request = to;
                "granted"
            }
            Asked::Accepted | Asked::Declined => "already-decided",
            Asked::Suspended | Asked::Ended(_) => "no-open-request",
        }
    }

    fn end(&mut self, turn: Turn, how: TurnEnd) -> &'static str {
        self.turn = turn;
        self.request = match self.request {
            Asked::Open if how == TurnEnd::Failed => Asked::Suspended,
            Asked::Open => Asked::Ended(how),
            Asked::Suspended => Asked::Ended(TurnEnd::Truncated),
            over @ (Asked::Accepted | Asked::Declined | Asked::Ended(_)) => over,
        };
        "granted"
    }

    /// AHP's status of the chat; the session's is the same.
    fn status(&self) -> u32 {
        match (self.turn, self.request) {
            (Turn::Active, Asked::Open) => 24,
            (Turn::Active, _) => 8,
            (Turn::Failed, _) => 2,
            (Turn::Cancelled | Turn::Gone, _) => 1,
        }
    }
}

struct Run {
    world: World,
    opening: OpeningId,
    proposals: Vec<(Event, Checked<Proposal>)>,
    decisions: Vec<ProposalId>,
    /// A peer's: it gets the bytes alone.
    peer: Log,
}

impl Run {
    fn new() -> Self {
        let (mut world, opening) = World::asked();
        let proposals = vec![
            (Event::Accept, world.proposal("ana", completion(opening, Accept, &[]))),
            (Event::Decline, world.proposal("ben", completion(opening, Decline, &[]))),
            (Event::Cancel, world.proposal("ben", ProposalKind::CancelTurn { turn: turn("t1") })),
            (Event::Resume, world.proposal("ana", ProposalKind::ResumeTurn { turn: turn("t1") })),
            (
                Event::Truncate,
                world.proposal("ana", ProposalKind::Truncate { turn: Some(turn("t0")) }),
            ),
        ];
        let peer = world.refolded();
        Self { world, opening, proposals, decisions: Vec::new(), peer }
    }

    fn take(&mut self, event: Event) -> String {
        let before = self.world.log.position().length;
        let answer = match event {
            Event::Draft => {
                let (by, answer) = (key("cy").public(), text("submitted", "prod"));
                self.world.documents.answer(self.opening, "env", answer, by);
                return "drafted".into();
            }
            Event::Error => match self.world.fail(true) {
                Ok(_) => "granted".into(),
                Err(refusal) => return refusal.code().to_owned(),
            },
            Event::Accept | Event::Decline | Event::Cancel | Event::Resume | Event::Truncate => {
                let (_, proposal) =
                    self.proposals.iter().find(|(of, _)| *of == event).unwrap().clone();
                self.world.decide(&proposal).code().to_owned()
            }
        };
        assert_eq!(self.world.log.position().length, before + 1, "one record each");
        let record = self.world.log.record(before).unwrap();
        self.peer.append(self.peer.check(record.bytes()).unwrap()).unwrap();
        if let Body::Decided(decided) = &record.value().body {
            self.decisions.push(decided.proposal);
        }
        answer
    }

    fn saved(&self) -> (Log, Log, Documents, usize) {
        let Self { world, peer, .. } = self;
        (world.log.clone(), peer.clone(), world.documents.clone(), self.decisions.len())
    }

    fn restore(&mut self, (log, peer, documents, decisions): (Log, Log, Documents, usize)) {
        self.world.log = log;
        self.peer = peer;
        self.world.documents = documents;
        self.decisions.truncate(decisions);
    }

    fn check(&mut self, model: &Model, order: &[Event]) {
        assert!(self.decisions.len() <= 1, "{order:?}: one decision at most");
        let request = self.world.request(&self.opening);
        let stands = match request.status() {
            Status::Open => Asked::Open,
            Status::Suspended(_) => Asked::Suspended,
            Status::Decided(decision) if decision.response == Accept => Asked::Accepted,
            Status::Decided(_) => Asked::Declined,
            Status::Ended(ended) => Asked::Ended(ended.how),
        };
        assert_eq!(stands, model.request, "{order:?}");
        assert_eq!(self.world.statuses(), (model.status(), model.status()), "{order:?}");
        self.check_part(model, order);
    }

    /// The part is in the chat unless truncated, and shows what it should.
    fn check_part(&self, model: &Model, order: &[Event]) {
        let state = self.world.log.state();
        let chat = serde_json::to_value(state.chat()).unwrap();
        let parts = match model.turn {
            Turn::Active => &chat["activeTurn"]["responseParts"],
            Turn::Cancelled | Turn::Failed => &chat["turns"][1]["responseParts"],
            Turn::Gone => {
                assert_eq!(chat["turns"].as_array().unwrap().len(), 1, "{order:?}");
                return;
            }
        };
        let part = &parts[0];
        let response = match model.request {
            Asked::Accepted => Some("accept"),
            Asked::Declined => Some("decline"),
            Asked::Open | Asked::Suspended | Asked::Ended(_) => None,
        };
        assert_eq!(part["response"].as_str(), response, "{order:?}");
        let embedded = match state.request(&self.opening).unwrap().status() {
            Status::Open => Default::default(),
            Status::Suspended(ended) | Status::Ended(ended) => ended.embedded.readable(),
            Status::Decided(decision) => decision.embedded.readable(),
        };
        let shown = part["request"]["answers"].as_object().cloned().unwrap_or_default();
        assert_eq!(serde_json::to_value(shown).unwrap(), serde_json::to_value(embedded).unwrap());
    }

    fn check_end(&mut self, order: &[Event]) {
        assert_eq!(self.peer.state(), self.world.log.state(), "{order:?}");
        for (event, proposal) in self.proposals.clone() {
            let answers = self.answers(proposal.proposal_id());
            assert_eq!(answers, 1, "{order:?}: {event:?} has one answer");
            let ruling = &self.world.log.state().answered(&proposal.proposal_id()).unwrap().ruling;
            let decided = matches!(ruling, Ruling::Decided(_));
            assert_eq!(decided, self.decisions.contains(&proposal.proposal_id()));
            assert_eq!(self.world.decide(&proposal), Outcome::Answered, "{order:?}");
        }
    }

    /// In how many records a proposal is answered.
    fn answers(&self, proposal: ProposalId) -> usize {
        let log = &self.world.log;
        (0..log.position().length)
            .filter(|seq| {
                let answered = match &log.record(*seq).unwrap().value().body {
                    Body::Decided(decided) => Some(decided.proposal),
                    Body::Refused(refused) => Some(refused.proposal),
                    Body::Published(published) => published.grants,
                    Body::TurnEnded(ended) => ended.grants,
                    _ => None,
                };
                answered == Some(proposal)
            })
            .count()
    }
}

/// Walks the tree of all orders; a common beginning is walked once.
fn walk(run: &mut Run, model: Model, order: &mut Vec<Event>, orders: &mut usize) {
    if order.len() == EVENTS.len() {
        *orders += 1;
        return run.check_end(order);
    }
    for event in EVENTS {
        if order.contains(&event) {
            continue;
        }
        order.push(event);
        let (saved, mut next) = (run.saved(), model);
        let expected = next.take(event);
        assert_eq!(run.take(event), expected, "{order:?}");
        run.check(&next, order);
        walk(run, next, order, orders);
        run.restore(saved);
        order.pop();
    }
}

#[test]
fn every_order_of_seven_events() {
    let mut orders = 0;
    let model = Model { turn: Turn::Active, request: Asked::Open, drafted: false };
    walk(&mut Run::new(), model, &mut Vec::new(), &mut orders);
    let expected: usize = (1..=EVENTS.len()).product();
    println!("{orders} orders of {} events", EVENTS.len());
    assert_eq!(orders, expected);
}

/// The one that is easiest to get wrong, told by hand.
#[test]
fn what_was_written_while_suspended_counts_after_the_resume() {
    let mut run = Run::new();
    assert_eq!(run.take(Event::Error), "granted");
    assert_eq!(run.take(Event::Draft), "drafted");
    assert_eq!(run.take(Event::Accept), "no-open-request");
    assert_eq!(run.take(Event::Resume), "granted");
    let opening = run.opening;
    assert!(run.world.request(&opening).is_open());
    let again = run.world.proposal("ana", completion(opening, Accept, &[]));
    assert_eq!(run.world.decide(&again), Outcome::Granted);
    let Status::Decided(decision) = run.world.request(&opening).status() else { panic!() };
    assert_eq!(decision.embedded.answers["env"].authors, [key("cy").public()]);
}

#[test]
fn changes_tell_the_same_story() {
    let (mut world, opening) = World::asked();
    let failed = world.fail(true).unwrap();
    assert!(failed.changes.contains(&LogChange::RequestSuspended { opening }), "{failed:?}");
    let resumed = world.act(HostAction::ResumeTurn { turn: turn("t1") }).unwrap();
    assert!(resumed.changes.contains(&LogChange::RequestReopened { opening }), "{resumed:?}");
    assert!(resumed.changes.contains(&LogChange::TurnResumed { turn: turn("t1") }));
}
