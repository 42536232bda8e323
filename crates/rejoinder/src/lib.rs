//! Several people answer one request of an AI agent, on several machines, some of them offline.
//! Their answers merge without a server, and the agent's host decides once how the request ended.
//!
//! A [`Home`] is a device's key and its workspaces; while it is open it links with the members of
//! those over QUIC. The program of the agent has a [`Host`]: it starts a [`Turn`], asks, and waits
//! for the [`Outcome`]. Everybody has a [`Workspace`] and answers a [`Request`].
//!
//! ```
//! use rejoinder::{ChatInputRequest, Home, Invite, Outcome};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let scratch = tempfile::tempdir()?;
//! # let (agents_home, persons_home) = (scratch.path().join("agent"), scratch.path().join("person"));
//! // The agent's side.
//! let agent = Home::open(agents_home).await?;
//! let host = agent.create_workspace("release train").await?;
//! let turn = host.start_turn("Deploy 1.4").await?;
//! let form: ChatInputRequest = serde_json::from_str(
//!     r#"{ "id": "r1", "questions": [
//!         { "kind": "text", "id": "notes", "message": "Anything to add?" } ] }"#,
//! )?;
//! let asked = turn.ask(form).await?; // on the disk: Host::asked finds it after a restart
//! let ticket = host.ticket(Invite::default()).await?.to_string();
//!
//! // A person's side, as a rule on another machine.
//! let person = Home::open(persons_home).await?;
//! let workspace = person.join(ticket.parse()?).await?;
//! let request = workspace.open_request().await?;
//! request.submit("notes", "Not on a Friday.").await?;
//! request.accept().await?;
//!
//! // The agent's side again.
//! let told = asked.outcome().await; // told again after a restart, until it is taken
//! let Outcome::Accepted(answers) = told.taken().await? else { return Err("no".into()) };
//! assert!(answers.contains_key("notes"));
//! turn.complete().await?;
//! person.close().await;
//! agent.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! The protocol between members, and what each is promised, is the business of the crates below:
//! `rejoinder-replica` decides, this one does. Everything from outside is injected by an
//! [`Environment`](environment::Environment) and a [`Place`](environment::Place), so that a
//! simulation runs the same code.

mod asked;
mod clock;
pub mod environment;
mod error;
mod events;
mod fault;
pub mod form;
mod handle;
mod home;
mod host;
mod limits;
mod links;
mod node;
mod notifier;
mod opening;
mod options;
mod place;
mod proposal;
mod request;
mod states;
mod value;
mod workspace;

pub use asked::{Asked, Outcome, Told};
pub use error::{Closed, NotDone, OpenError};
pub use events::{Events, HomeEvent};
pub use home::Home;
pub use host::{Host, Invite, Turn};
pub use links::LinkView;
pub use options::Options;
pub use proposal::Proposal;
pub use request::Request;
pub use states::States;
pub use value::Value;
pub use workspace::Workspace;

/// The vocabulary of requests and answers: the Agent Host Protocol's own types.
pub use ahp_types;
pub use ahp_types::state::{
    ChatInputAnswer, ChatInputAnswerValue, ChatInputAnswered, ChatInputOption, ChatInputQuestion,
    ChatInputRequest, ChatInputResponseKind, ChatInputSkipped, ChatState, SessionState,
};
pub use rejoinder_identity::{
    ActorId, DocumentId, Hint, Incarnation, OpeningId, OptionId, ParseIdError, PeerId, ProposalId,
    QuestionId, RecordId, RequestId, Role, SecretKey, Ticket, TicketError, Timestamp, TurnId,
    WorkspaceId,
};
pub use rejoinder_quic::{CloseCode, Closed as LinkClosed};
pub use rejoinder_replica::{
    Answer, ChatView, Conflict, Edit, EditRefused, Event, Fate, MemberView, NotIncluded,
    Projection, ProposalKind, Refusal, Refused, RequestStatus, RequestView, RestoreError, Salvaged,
    Subject, Table, TurnEnd, Version, WorkspaceView, refusal,
};
pub use rejoinder_storage::StoreError;
