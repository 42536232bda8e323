//! Machines that sleep: time has passed when they wake, and dead links are noticed.

use std::time::Duration;

use rejoinder::{Event, HomeEvent, Invite};
use rejoinder_sim::World;
use tokio::time::{Instant, sleep, timeout};

const NIGHT_MILLIS: i64 = 8 * 3_600_000;

#[test]
fn a_ticket_of_the_evening_is_not_good_the_next_morning() {
    World::new(31).run(async |world| {
        let agent = world.peer("agent").await;
        let host = agent.home().create_workspace("release train").await.unwrap();
        let ticket = host.ticket(Invite::default()).await.unwrap();
        agent.jump_clock(NIGHT_MILLIS);
        let ana = world.peer("ana").await;
        let mut at_ana = ana.home().events().unwrap();
        ana.home().join(ticket).await.unwrap();
        let refused = async {
            loop {
                let event = at_ana.next().await.unwrap();
                if let HomeEvent::Plain(Event::JoinRefused { why, .. }) = event {
                    return why;
                }
            }
        };
        let why = timeout(Duration::from_secs(60), refused).await.expect("the host says no");
        assert!(why.contains("expired"), "{why}");
    });
}

#[test]
fn a_link_that_died_in_the_night_is_found_out_in_the_morning() {
    World::new(32).run(async |world| {
        let agent = world.peer("agent").await;
        let host = agent.home().create_workspace("release train").await.unwrap();
        let [(ana, at_ana)] = world.people(&host, ["ana"]).await;
        at_ana.synced().await.unwrap();
        // Something was heard just now, so QUIC itself would go on waiting for 20 seconds.
        sleep(Duration::from_secs(1)).await;
        world.cut(&agent, &ana);
        ana.jump_clock(NIGHT_MILLIS);
        let woke = Instant::now();
        ana.home().until_links(<[_]>::is_empty).await.unwrap();
        let found = woke.elapsed();
        assert!(found < Duration::from_secs(12), "the link passed for a living one for {found:?}");
        world.mend(&agent, &ana);
        at_ana.synced().await.unwrap();
    });
}
