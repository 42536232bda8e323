//! The shapes that cuts leave: words still get from one end to the other.

use std::time::Duration;

use rejoinder_sim::{Peer, World};
use tokio::time::{Instant, sleep};

/// Checks that words get from one end to the other in a shape where the two never link.
fn passes_on(seed: u64, shape: impl Fn(&World, &[&Peer]) + Send + 'static) {
    World::new(seed).run(async move |world| {
        let agent = world.peer("agent").await;
        let host = agent.home().create_workspace("release train").await.unwrap();
        // All at once: a card that comes while a link is young, or while its hello is on its way,
        // must not be lost, or in a star around Ben, Cleo stays alone forever.
        let people = world.people(&host, ["ana", "ben", "cleo"]).await;
        sleep(Duration::from_secs(5)).await;
        let [(ana, _), (ben, _), (cleo, at_cleo)] = &people;
        shape(world, &[ben, ana, &agent, cleo]);
        // Wait until the peers that were linked have noticed.
        sleep(Duration::from_secs(40)).await;
        let turn = host.start_turn("Deploy 1.4").await.unwrap();
        let form = r#"{ "id": "deploy", "questions": [
            { "kind": "text", "id": "notes", "message": "Anything to know?" } ] }"#;
        let asked = turn.ask(serde_json::from_str(form).unwrap()).await.unwrap();
        let begun = Instant::now();
        at_cleo.open_request().await.unwrap().accept().await.unwrap();
        asked.outcome().await.taken().await.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
    });
}

#[test]
fn a_line_passes_on() {
    // The order ana - ben - agent would be too easy; this is agent - ana - ben - cleo.
    passes_on(1, |world, peers| {
        let [ben, ana, agent, cleo] = peers else { unreachable!("four peers") };
        world.line("line", &[agent, ana, ben, cleo]);
    });
}

#[test]
fn a_star_passes_on() {
    passes_on(2, |world, peers| world.star("star", peers));
}

#[test]
fn a_ring_passes_on() {
    passes_on(3, |world, peers| {
        let [ben, ana, agent, cleo] = peers else { unreachable!("four peers") };
        world.ring("ring", &[agent, ana, cleo, ben]);
    });
}

#[test]
fn a_bridge_passes_on() {
    passes_on(4, |world, peers| world.bridge("bridge", peers));
}

#[test]
fn one_way_is_no_way_until_it_heals() {
    World::new(5).run(async |world| {
        let agent = world.peer("agent").await;
        let host = agent.home().create_workspace("release train").await.unwrap();
        let [(ana, at_ana)] = world.people(&host, ["ana"]).await;
        world.cut_one_way(&agent, &ana);
        ana.home().until_links(<[_]>::is_empty).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        assert!(agent.home().links().await.unwrap().is_empty());
        world.mend(&ana, &agent);
        at_ana.synced().await.unwrap();
    });
}
