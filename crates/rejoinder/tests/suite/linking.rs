//! Links: one between two homes, gone when offline, back when online.

use rejoinder::{CloseCode, Events, HomeEvent, PeerId};

use crate::support::{directories, form, let_in, open, soon, submitted, until_answer};

#[tokio::test(flavor = "multi_thread")]
async fn two_who_dial_each_other_at_once_end_with_one_link() {
    let [at_host, at_peer] = directories();
    let host_home = open("host", at_host.path()).await;
    let host = host_home.create_workspace("release train").await.unwrap();
    let peer_home = open("ben", at_peer.path()).await;
    let workspace = let_in(&host, &peer_home).await;
    soon("sync", workspace.synced()).await.unwrap();
    for _ in 0..30 {
        tokio::try_join!(host_home.offline(), peer_home.offline()).unwrap();
        assert_eq!(host_home.links().await.unwrap(), []);
        tokio::try_join!(host_home.online(), peer_home.online()).unwrap();
        let one = |links: &[rejoinder::LinkView]| links.len() == 1;
        let both = async { tokio::join!(host_home.until_links(one), peer_home.until_links(one)) };
        let (a, b) = soon("one link", both).await;
        assert_eq!(a.unwrap()[0].peer, peer_home.me());
        assert_eq!(b.unwrap()[0].peer, host_home.me());
        soon("sync", workspace.synced()).await.unwrap();
    }
    let one = |links: &[rejoinder::LinkView]| links.len() == 1;
    soon("one link", host_home.until_links(one)).await.unwrap();
    soon("one link", peer_home.until_links(one)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_written_offline_arrives_when_online() {
    let [at_host, at_peer] = directories();
    let host_home = open("host", at_host.path()).await;
    let host = host_home.create_workspace("release train").await.unwrap();
    let asked = host.start_turn("Deploy 1.4").await.unwrap().ask(form("r1")).await.unwrap();
    let peer_home = open("ben", at_peer.path()).await;
    let workspace = let_in(&host, &peer_home).await;
    let request = soon("the request", workspace.open_request()).await.unwrap();
    let (me, host_id) = (peer_home.me(), host_home.me());
    let mut at_host = host_home.events().unwrap();
    let mut at_peer = peer_home.events().unwrap();

    peer_home.offline().await.unwrap();
    assert_eq!(peer_home.links().await.unwrap(), []);
    assert_eq!(soon("the end at the host", next_down(&mut at_host)).await, (me, said_goodbye()));
    assert_eq!(soon("the end here", next_down(&mut at_peer)).await, (host_id, said_goodbye()));

    request.submit("env", "staging").await.unwrap();
    asked.request().submit("notes", "meanwhile").await.unwrap();
    assert_eq!(crate::support::answer(&asked.request().view().await.unwrap(), "env"), None);

    peer_home.online().await.unwrap();
    until_answer(asked.request(), "env", submitted("staging")).await;
    until_answer(&request, "notes", submitted("meanwhile")).await;
    soon("sync", workspace.synced()).await.unwrap();
}

async fn next_down(events: &mut Events) -> (PeerId, Option<CloseCode>) {
    loop {
        if let HomeEvent::LinkDown { peer, closed } = events.next().await.unwrap() {
            return (peer, closed.code());
        }
    }
}

fn said_goodbye() -> Option<CloseCode> {
    Some(CloseCode::Goodbye)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newcomer_links_with_a_member_that_was_away_when_the_host_let_it_in() {
    let [at_host, at_ana, at_ben] = directories();
    let host_home = open("host", at_host.path()).await;
    let host = host_home.create_workspace("release train").await.unwrap();
    host.start_turn("Deploy 1.4").await.unwrap().ask(form("r1")).await.unwrap();
    let ana_home = open("ana", at_ana.path()).await;
    let at_ana = let_in(&host, &ana_home).await;
    let ana_request = soon("the request", at_ana.open_request()).await.unwrap();
    soon("sync", at_ana.synced()).await.unwrap();
    ana_home.offline().await.unwrap();

    let ben_home = open("ben", at_ben.path()).await;
    let at_ben = let_in(&host, &ben_home).await;
    let ben_request = soon("the request", at_ben.open_request()).await.unwrap();
    soon("sync", at_ben.synced()).await.unwrap();
    soon("the host's end", host_home.close()).await;
    ben_request.submit("env", "staging").await.unwrap();

    ana_home.online().await.unwrap();
    until_answer(&ana_request, "env", submitted("staging")).await;
    ana_request.submit("notes", "seen").await.unwrap();
    until_answer(&ben_request, "notes", submitted("seen")).await;
    assert_eq!(at_ana.members().await.unwrap().len(), 3);
}
