//! The same seed gives the same packets and the same events.

use std::time::Duration;

use rejoinder::{Invite, Outcome};
use rejoinder_sim::{LinkQuality, World};

const FORM: &str = r#"{ "id": "r1", "questions": [
    { "kind": "text", "id": "notes", "message": "Anything to add?" },
    { "kind": "integer", "id": "count", "message": "How many?" } ] }"#;

fn story(seed: u64) -> (u64, Vec<String>) {
    let world = World::new(seed);
    world.run(async |world| {
        world.set_links(LinkQuality { loss: 50, twice: 20, late: 20, ..LinkQuality::default() });
        let (agent, ana, ben) =
            (world.peer("agent").await, world.peer("ana").await, world.peer("ben").await);
        let host = agent.home().create_workspace("release train").await.unwrap();
        let ticket = host.ticket(Invite { seats: 2, ..Invite::default() }).await.unwrap();
        let at_ana = ana.home().join(ticket.clone()).await.unwrap();
        let at_ben = ben.home().join(ticket).await.unwrap();
        at_ana.joined().await.unwrap();
        at_ben.joined().await.unwrap();
        let turn = host.start_turn("Deploy 1.4").await.unwrap();
        let asked = turn.ask(serde_json::from_str(FORM).unwrap()).await.unwrap();

        let request = at_ana.open_request().await.unwrap();
        at_ben.open_request().await.unwrap();
        world.partition("train", &[&[&ana], &[&agent, &ben]]);
        request.submit("notes", "Not on a Friday.").await.unwrap();
        drop((at_ben, request));
        ben.crash().await;
        tokio::time::sleep(Duration::from_secs(30)).await;
        ben.start().await.unwrap();
        let at_ben = ben.home().workspaces().await.unwrap().remove(0);
        let request = at_ben.open_request().await.unwrap();
        request.submit("count", 3).await.unwrap();
        world.heal();
        at_ana.synced().await.unwrap();
        request.accept().await.unwrap();
        let outcome = asked.outcome().await.taken().await.unwrap();
        let Outcome::Accepted(answers) = outcome else { panic!("not accepted") };
        assert_eq!(answers.len(), 2);
    });
    (world.trace_hash(), world.trace())
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    for seed in [1, 2] {
        let ((one, lines), (other, others)) = (story(seed), story(seed));
        for (first, second) in lines.iter().zip(&others) {
            assert_eq!(first, second, "seed {seed}");
        }
        assert_eq!(one, other, "seed {seed}: the packets differ");
    }
    assert_ne!(story(1).0, story(3).0);
}
