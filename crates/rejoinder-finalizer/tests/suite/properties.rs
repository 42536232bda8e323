//! Random lists of operations against a simple model of a chat.

use ahp_types::state::ChatInputResponseKind::{self, Accept, Cancel, Decline};
use proptest::prelude::*;
use rejoinder_finalizer::{HostAction, ProposalKind, Status, TurnEnd};

use crate::model::{Model, ModelRequest, Stands};
use crate::world::{World, key, start, start_turn, text, turn};

#[derive(Debug, Clone)]
enum Operation {
    Start { turn: u8, member: bool },
    Raise { request: u8 },
    Answer { nth: u8 },
    Complete { nth: u8, response: ChatInputResponseKind },
    End { how: TurnEnd, resumable: bool },
    Truncate { turn: Option<u8>, member: bool },
    Resume { turn: u8, member: bool },
    Restart,
}

fn operation() -> impl Strategy<Value = Operation> {
    let response = prop_oneof![Just(Accept), Just(Decline), Just(Cancel)];
    let how = prop_oneof![
        Just(TurnEnd::Completed),
        Just(TurnEnd::Cancelled),
        Just(TurnEnd::Expired),
        Just(TurnEnd::Failed),
        Just(TurnEnd::Failed)
    ];
    prop_oneof![
        3 => (0..4u8, any::<bool>()).prop_map(|(turn, member)| Operation::Start { turn, member }),
        4 => (0..3u8).prop_map(|request| Operation::Raise { request }),
        2 => (0..6u8).prop_map(|nth| Operation::Answer { nth }),
        3 => (0..6u8, response).prop_map(|(nth, response)| Operation::Complete { nth, response }),
        2 => (how, any::<bool>()).prop_map(|(how, resumable)| Operation::End { how, resumable }),
        1 => (prop::option::of(0..4u8), any::<bool>())
            .prop_map(|(turn, member)| Operation::Truncate { turn, member }),
        2 => (0..4u8, any::<bool>()).prop_map(|(turn, member)| Operation::Resume { turn, member }),
        1 => Just(Operation::Restart),
    ]
}

fn name(turn: u8) -> String {
    format!("t{turn}")
}

struct Run {
    world: World,
    model: Model,
    epochs: u8,
}

impl Run {
    /// Does it in both; they must agree on whether it could be done.
    fn take(&mut self, operation: &Operation) {
        let (expected, done) = match *operation {
            Operation::Start { turn, member } => (self.model.start(turn), {
                let start = start_turn(&name(turn));
                self.say(
                    member,
                    HostAction::StartTurn(start.clone()),
                    ProposalKind::StartTurn(start),
                )
            }),
            Operation::Raise { request } => self.raise(request),
            Operation::Answer { nth } => return self.answer(nth),
            Operation::Complete { nth, response } => self.complete(nth, response),
            Operation::End { how, resumable } => {
                let open = self.model.requests.iter().find(|asked| asked.stands == Stands::Open);
                let action = match how {
                    TurnEnd::Completed => HostAction::CompleteTurn,
                    TurnEnd::Expired => match open.map(|asked| asked.opening) {
                        None => return,
                        Some(opening) => HostAction::Expire { opening },
                    },
                    TurnEnd::Failed => HostAction::FailTurn {
                        error_type: "e".into(),
                        message: "m".into(),
                        resumable,
                    },
                    TurnEnd::Cancelled | TurnEnd::Truncated => HostAction::CancelTurn,
                };
                (self.model.end(how, resumable), self.world.act(action).is_ok())
            }
            Operation::Truncate { turn: to, member } => (self.model.truncate(to), {
                let to = to.map(|to| turn(&name(to)));
                let proposal = ProposalKind::Truncate { turn: to.clone() };
                self.say(member, HostAction::Truncate { turn: to }, proposal)
            }),
            Operation::Resume { turn: failed, member } => (self.model.resume(failed), {
                let failed = turn(&name(failed));
                let proposal = ProposalKind::ResumeTurn { turn: failed.clone() };
                self.say(member, HostAction::ResumeTurn { turn: failed }, proposal)
            }),
            Operation::Restart => {
                self.epochs += 1;
                let (finalizer, first) = start(&self.world.log, self.epochs, self.world.now);
                self.world.append(first);
                self.world.finalizer = finalizer;
                return;
            }
        };
        assert_eq!(done, expected, "{operation:?}");
    }

    fn say(&mut self, member: bool, action: HostAction, proposal: ProposalKind) -> bool {
        if member {
            let before = self.world.log.position().length;
            let granted = self.world.propose("ana", proposal).code() == "granted";
            assert_eq!(self.world.log.position().length, before + 1);
            granted
        } else {
            self.world.act(action).is_ok()
        }
    }

    fn raise(&mut self, id: u8) -> (bool, bool) {
        let request = format!(
            r#"{{"id":"r{id}","questions":[{{"kind":"text","id":"env","message":"?","required":true}}]}}"#
        );
        let raised = self.world.try_raise(&request, false);
        let Some(turn) = self.model.active else { return (false, raised.is_ok()) };
        let done = raised.is_ok();
        let open = |asked: &&mut ModelRequest| asked.id == id && asked.stands == Stands::Open;
        match self.model.requests.iter_mut().find(open) {
            Some(asked) => asked.revision += 1,
            None => self.model.requests.push(ModelRequest {
                id,
                turn,
                revision: 1,
                answered: false,
                stands: Stands::Open,
                opening: self.world.log.position().head.as_opening(),
            }),
        }
        (true, done)
    }

    fn answer(&mut self, nth: u8) {
        let Some(asked) = self.model.requests.get_mut(usize::from(nth)) else { return };
        asked.answered = true;
        let (opening, by) = (asked.opening, key("ben").public());
        self.world.documents.answer(opening, "env", text("submitted", "prod"), by);
    }

    fn complete(&mut self, nth: u8, response: ChatInputResponseKind) -> (bool, bool) {
        let Some(asked) = self.model.requests.get_mut(usize::from(nth)) else {
            return (true, true);
        };
        let mut proposal = crate::world::completion(asked.opening, response, &[]);
        let ProposalKind::Complete(complete) = &mut proposal else { unreachable!() };
        complete.revision = asked.revision;
        let can = asked.stands == Stands::Open && (response != Accept || asked.answered);
        if can {
            asked.stands = Stands::Decided(response);
        }
        (can, self.world.propose("cy", proposal).code() == "granted")
    }

    fn check(&self) {
        let state = self.world.log.state();
        let stands: Vec<_> = state
            .requests()
            .map(|request| {
                let stands = match request.status() {
                    Status::Open => Stands::Open,
                    Status::Suspended(_) => Stands::Suspended,
                    Status::Decided(decision) => Stands::Decided(decision.response),
                    Status::Ended(ended) => Stands::Ended(ended.how),
                };
                (request.opening(), request.revision(), stands)
            })
            .collect();
        let expected: Vec<_> = self
            .model
            .requests
            .iter()
            .map(|asked| (asked.opening, asked.revision, asked.stands))
            .collect();
        assert_eq!(stands, expected);
        let turns: Vec<_> = state.chat().turns.iter().map(|turn| turn.id.clone()).collect();
        let finished: Vec<_> = self.model.finished.iter().map(|(turn, _)| name(*turn)).collect();
        assert_eq!(turns, finished);
        assert_eq!(state.active_turn().map(|turn| turn.0), self.model.active.map(name));
        let status = self.model.status();
        assert_eq!((state.chat().status & 0x1f, state.session().status & 0x1f), (status, status));
        let open = state.open_requests().len();
        assert_eq!(state.session().input_needed.as_ref().map_or(0, Vec::len), open);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn the_log_agrees_with_a_simple_model(operations in prop::collection::vec(operation(), 1..40)) {
        let mut run = Run { world: World::with_members(), model: Model::default(), epochs: 1 };
        for operation in &operations {
            run.take(operation);
            run.check();
        }
        let again = run.world.refolded();
        prop_assert_eq!(again.state(), run.world.log.state());
    }

    #[test]
    fn no_bytes_of_anybody_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), flip in any::<prop::sample::Index>()) {
        let (mut world, opening) = World::asked();
        let workspace = world.log.workspace();
        prop_assert!(world.log.check(&bytes).is_err());
        let proposal = world.proposal("ana", crate::world::completion(opening, Decline, &[]));
        let mut broken = proposal.bytes().to_vec();
        let place = flip.index(broken.len());
        broken[place] = broken[place].wrapping_add(1);
        let read = rejoinder_finalizer::Checked::<rejoinder_finalizer::Proposal>::read(&broken, &workspace);
        prop_assert!(read.is_err());
        // A host that signs any bytes as a body of any kind.
        for kind in 0..10u16 {
            let body = rejoinder_finalizer::Body::Unknown { kind, bytes: bytes.clone() };
            let position = world.log.position();
            let record = rejoinder_finalizer::Record {
                workspace,
                epoch: position.epoch,
                seq: position.length,
                prev: position.head,
                at: world.now,
                body,
            };
            let signed = rejoinder_identity::Verified::sign(&key("host"), record);
            if let Ok(checked) = world.log.check(signed.bytes()) {
                world.log.append(checked).unwrap();
            }
        }
        let again = world.refolded();
        prop_assert_eq!(again.state(), world.log.state());
    }
}
