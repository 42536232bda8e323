//! Slow disks.

use std::time::Duration;

use rejoinder::ChatInputRequest;
use rejoinder_sim::World;
use tokio::time::{Instant, sleep};

const SLOW: Duration = Duration::from_secs(5);

fn form() -> ChatInputRequest {
    let json = r#"{ "id": "deploy", "questions": [
        { "kind": "text", "id": "notes", "message": "Anything to know?" } ] }"#;
    serde_json::from_str(json).unwrap()
}

/// No flush delays an edit on its way to another's screen, but nobody is told that it is saved
/// before it is. If its author's machine dies in between, the others have it.
#[test]
fn a_slow_disk_holds_up_a_promise_and_no_edit() {
    World::new(1).run(async |world| {
        let agent = world.peer("agent").await;
        let host = agent.home().create_workspace("release train").await.unwrap();
        let [(ana, at_ana), (_ben, at_ben)] = world.people(&host, ["ana", "ben"]).await;
        let turn = host.start_turn("Deploy 1.4").await.unwrap();
        turn.ask(form()).await.unwrap();
        let request = at_ana.open_request().await.unwrap();
        let (opening, shown) = (request.opening(), at_ben.open_request().await.unwrap());

        ana.set_disk_latency(SLOW);
        let begun = Instant::now();
        let saving = async {
            request.submit("notes", "Not on a Friday.").await.unwrap();
            begun.elapsed()
        };
        let seeing = async {
            let mut states = shown.watch();
            while states.next().await.unwrap().projection.answers.is_empty() {}
            begun.elapsed()
        };
        let (saved, seen) = tokio::join!(saving, seeing);
        assert!(seen < Duration::from_secs(1), "on ben's screen after {seen:?}");
        assert!(saved >= SLOW, "said to be saved after {saved:?}");

        let dying = tokio::spawn(async move { request.submit("notes", "Nor on a Monday.").await });
        sleep(Duration::from_secs(1)).await;
        drop(at_ana);
        ana.crash().await;
        assert!(dying.await.unwrap().is_err(), "nobody was told that it is saved");
        ana.set_disk_latency(Duration::ZERO);
        ana.start().await.unwrap();
        let at_ana = ana.home().workspaces().await.unwrap().remove(0);
        at_ana.synced().await.unwrap();
        let view = at_ana.request_opened(opening).await.unwrap().unwrap().view().await.unwrap();
        assert!(view.projection.to_json().to_string().contains("Monday"), "{view:?}");
    });
}
