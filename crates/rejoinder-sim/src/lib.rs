//! Seeded worlds: the real engine over the real quinn, on a simulated network and simulated disks,
//! in virtual time. The same seed gives the same packets at the same moments, so a failure is a
//! number.
//!
//! A [`World`] has [`Peer`]s, each with a home that is used like any other. A story cuts, crashes
//! and heals; all along the world checks that nothing is decided twice and that logs agree.
//!
//! ```
//! use rejoinder::{Invite, Outcome};
//! use rejoinder_sim::World;
//!
//! World::new(7).run(async |world| {
//!     let (agent, ana) = (world.peer("agent").await, world.peer("ana").await);
//!     let host = agent.home().create_workspace("release train").await.unwrap();
//!     let ticket = host.ticket(Invite::default()).await.unwrap();
//!     let at_ana = ana.home().join(ticket).await.unwrap();
//!     at_ana.joined().await.unwrap();
//!
//!     world.cut(&agent, &ana);
//!     let turn = host.start_turn("Deploy 1.4").await.unwrap();
//!     let form = r#"{ "id": "r1", "questions": [ { "kind": "text", "id": "notes", "message": "?" } ] }"#;
//!     let asked = turn.ask(serde_json::from_str(form).unwrap()).await.unwrap();
//!     world.heal();
//!     let request = at_ana.open_request().await.unwrap();
//!     request.submit("notes", "Not on a Friday.").await.unwrap();
//!     request.accept().await.unwrap();
//!     assert!(matches!(asked.outcome().await.outcome(), Outcome::Accepted(_)));
//! });
//! ```

mod clock;
mod crypto;
mod disk;
mod draws;
mod failure;
mod fault;
mod ground;
mod lines;
mod lock;
mod moment;
mod network;
mod partitions;
mod peer;
mod run;
mod safety;
mod story;
mod swarm;
mod told;
mod trace;
mod world;

pub use failure::Failure;
pub use fault::{Deed, Fault, Happening, MachineFault, Mishap, Partition};
pub use network::LinkQuality;
pub use peer::Peer;
pub use swarm::{Report, swarm, swarm_in};
pub use world::World;
