//! A partition test: somebody accepts while the agent's machine is cut off, and then it dies.

use std::error::Error;

use rejoinder::{Fate, Outcome};
use rejoinder_sim::World;

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    World::new(8).run(async |world| {
        let agent = world.peer("agent").await;
        let host = agent.home().create_workspace("release train").await?;
        let [(ana, at_ana)] = world.people(&host, ["ana"]).await;
        let turn = host.start_turn("Deploy 1.4").await?;
        let form = r#"{ "id": "deploy", "questions": [
            { "kind": "boolean", "id": "sure", "message": "Sure?" } ] }"#;
        turn.ask(serde_json::from_str(form)?).await?;
        let request = at_ana.open_request().await?;
        world.cut(&agent, &ana);
        request.submit("sure", true).await?;
        let proposal = request.accept().await?; // on her disk
        agent.crash().await;
        agent.start().await?;
        world.heal();
        let host = agent.home().host(at_ana.id()).await?;
        let asked = host.asked("deploy").await?.expect("it was on the agent's disk");
        assert!(matches!(asked.outcome().await.taken().await?, Outcome::Accepted(_)));
        assert_eq!(proposal.decided().await?, Fate::Granted);
        Ok(())
    })
}
