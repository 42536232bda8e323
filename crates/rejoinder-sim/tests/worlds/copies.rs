//! Copies of a home that run at the same time.

use std::time::Duration;

use rejoinder::{HomeEvent, Invite};
use rejoinder_sim::World;

/// Found by the swarm of seed 36: others link with at most two runs of a device, and a third one
/// was turned away three times a second, forever.
#[test]
fn a_third_copy_of_a_home_waits_longer_and_longer() {
    let ups = std::sync::Arc::new(std::sync::Mutex::new(0));
    let counted = ups.clone();
    World::new(36).run(async move |world| {
        let (agent, ana) = (world.peer("agent").await, world.peer("ana").await);
        let host = agent.home().create_workspace("release train").await.unwrap();
        let ticket = host.ticket(Invite::default()).await.unwrap();
        let at_ana = ana.home().join(ticket).await.unwrap();
        at_ana.joined().await.unwrap();
        drop(at_ana);
        world.observe(move |peer, event| {
            if peer == "third" && matches!(event, HomeEvent::LinkUp { .. }) {
                *counted.lock().unwrap() += 1;
            }
        });
        for copy in ["second", "third"] {
            world.clone_home(&ana, copy).start().await.unwrap();
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
    });
    let ups = *ups.lock().unwrap();
    assert!((1..20).contains(&ups), "{ups} links in a minute");
}
