//! A partition test: two people answer while everybody is cut off from everybody; nothing is lost.

use std::error::Error;

use rejoinder::Outcome;
use rejoinder_sim::World;

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    World::new(7).run(async |world| {
        let agent = world.peer("agent").await;
        let host = agent.home().create_workspace("release train").await?;
        let [(ana, at_ana), (ben, at_ben)] = world.people(&host, ["ana", "ben"]).await;
        let turn = host.start_turn("Deploy 1.4").await?;
        let form = r#"{ "id": "deploy", "questions": [
            { "kind": "text", "id": "notes", "message": "Anything to know?" },
            { "kind": "boolean", "id": "sure", "message": "Sure?" } ] }"#;
        let asked = turn.ask(serde_json::from_str(form)?).await?;
        let anas = at_ana.open_request().await?;
        let bens = at_ben.open_request().await?;
        world.partition("alone", &[&[&agent], &[&ana], &[&ben]]);
        anas.submit("notes", "Not on a Friday.").await?;
        bens.submit("sure", true).await?;
        world.heal();
        at_ben.synced().await?;
        anas.accept().await?;
        let outcome = asked.outcome().await.taken().await?;
        let Outcome::Accepted(answers) = outcome else { panic!("not accepted") };
        assert_eq!(answers.len(), 2);
        Ok(())
    })
}
