//! The main job: one asks, others answer, the host decides.

use rejoinder::{Fate, Outcome, RequestStatus, TurnEnd};

use crate::support::{directories, form, let_in, open, seats, soon, submitted, until_answer};

#[tokio::test(flavor = "multi_thread")]
async fn one_asks_another_answers_and_the_host_decides() {
    let [at_host, at_peer] = directories();
    let host_home = open("host", at_host.path()).await;
    let host = host_home.create_workspace("release train").await.unwrap();
    let turn = host.start_turn("Deploy 1.4").await.unwrap();
    let asked = turn.ask(form("r1")).await.unwrap();

    let peer_home = open("ben", at_peer.path()).await;
    let workspace = let_in(&host, &peer_home).await;
    let request = soon("the request", workspace.open_request()).await.unwrap();
    assert_eq!(request.id().as_str(), "r1");
    request.draft("notes", "on a Friday").await.unwrap();
    request.submit("env", "prod").await.unwrap();
    request.submit("replicas", 3).await.unwrap();

    let proposal = request.accept().await.unwrap();
    assert_eq!(soon("the host's answer", proposal.decided()).await.unwrap(), Fate::Granted);
    let told = soon("the outcome", asked.outcome()).await;
    let Outcome::Accepted(answers) = told.taken().await.unwrap() else { panic!("not accepted") };
    // A draft is no answer.
    assert_eq!(answers.keys().map(|id| id.as_str()).collect::<Vec<_>>(), ["env", "replicas"]);
    let env = rejoinder::form::answer_to_json(&answers["env"]);
    assert_eq!(env["value"], serde_json::json!({ "kind": "selected", "value": "prod" }));

    let here = asked.request().view().await.unwrap();
    let there = soon("the decision", request.settled()).await.unwrap();
    assert_eq!(here.projection, there.projection, "a decided part is the same everywhere");
    let RequestStatus::Decided { by, .. } = there.status else { panic!("{:?}", there.status) };
    assert_eq!(by, peer_home.me());
    turn.complete().await.unwrap();

    peer_home.close().await;
    host_home.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_is_started_again_and_goes_on() {
    let [at_host, at_peer] = directories();
    let host_home = open("host", at_host.path()).await;
    let host = host_home.create_workspace("release train").await.unwrap();
    let id = host.workspace().id();
    host.start_turn("Deploy 1.4").await.unwrap().ask(form("r1")).await.unwrap();
    let peer_home = open("ben", at_peer.path()).await;
    let workspace = let_in(&host, &peer_home).await;
    let request = soon("the request", workspace.open_request()).await.unwrap();
    request.submit("env", "staging").await.unwrap();
    until_answer(host.asked("r1").await.unwrap().unwrap().request(), "env", submitted("staging"))
        .await;

    peer_home.close().await;
    let peer_home = open("ben", at_peer.path()).await;
    let workspace = peer_home.workspace(id).await.unwrap().unwrap();
    let request = workspace.request("r1").await.unwrap().unwrap();
    until_answer(&request, "env", submitted("staging")).await;

    host_home.close().await;
    request.submit("replicas", 2).await.unwrap();
    let proposal = request.accept().await.unwrap();
    let host_home = open("host", at_host.path()).await;
    let host = host_home.host(id).await.unwrap();
    let asked = host.asked("r1").await.unwrap().expect("it waited when the host began");
    let told = soon("the outcome", asked.outcome()).await;
    assert!(
        matches!(told.taken().await.unwrap(), Outcome::Accepted(answers) if answers.len() == 2)
    );
    assert_eq!(soon("the host's answer", proposal.decided()).await.unwrap(), Fate::Granted);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outcome_is_told_until_it_is_taken_whatever_became_of_its_turn() {
    let [at_host] = directories();
    let home = open("host", at_host.path()).await;
    let host = home.create_workspace("release train").await.unwrap();
    let id = host.workspace().id();
    let turn = host.start_turn("Deploy 1.4").await.unwrap();
    let asked = turn.ask(form("r1")).await.unwrap();
    assert_eq!(host.handed_over(asked.request().opening()).await.unwrap_err().code(), "not-over");
    asked.request().decline().await.unwrap();
    // A program that forgets to take it.
    assert_eq!(soon("the outcome", asked.outcome()).await.outcome(), &Outcome::Declined);
    let shared = turn.ask(form("r2")).await.unwrap();
    turn.complete().await.unwrap();
    home.close().await;

    for _run in 0..2 {
        let home = open("host", at_host.path()).await;
        let host = home.host(id).await.unwrap();
        let again = host.asked("r1").await.unwrap().expect("nobody has taken its outcome");
        assert_eq!(again.request().opening(), asked.request().opening());
        assert_eq!(soon("the outcome", again.outcome()).await.outcome(), &Outcome::Declined);
        home.close().await;
    }
    let home = open("host", at_host.path()).await;
    let host = home.host(id).await.unwrap();
    assert_eq!(host.untold().await.unwrap().len(), 2);
    for (request, expected) in
        [("r1", Outcome::Declined), ("r2", Outcome::Ended(TurnEnd::Completed))]
    {
        let asked = host.asked(request).await.unwrap().expect("nobody has taken its outcome");
        let told = soon("the outcome", asked.outcome()).await;
        assert_eq!(told.taken().await.unwrap(), expected);
        assert!(host.asked(request).await.unwrap().is_none());
    }
    home.close().await;
    let home = open("host", at_host.path()).await;
    let host = home.host(id).await.unwrap();
    assert!(host.asked("r1").await.unwrap().is_none(), "it was taken");
    assert_eq!(host.untold().await.unwrap(), []);
    let anew = host.start_turn("again").await.unwrap().ask(form("r1")).await.unwrap();
    assert_ne!(anew.request().opening(), asked.request().opening());
    assert_ne!(anew.request().opening(), shared.request().opening());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_accept_without_a_required_answer_is_refused_and_the_second_is_told_who_decided() {
    let [at_host] = directories();
    let home = open("host", at_host.path()).await;
    let host = home.create_workspace("release train").await.unwrap();
    let turn = host.start_turn("Deploy 1.4").await.unwrap();
    let asked = turn.ask(form("r1")).await.unwrap();
    let request = asked.request();

    let early = request.accept().await.unwrap_err();
    assert_eq!(early.code(), "required-unanswered");
    assert!(early.to_string().contains("env"), "{early}");
    assert_eq!(request.view().await.unwrap().status, RequestStatus::Open);

    request.submit("env", "prod").await.unwrap();
    assert_eq!(request.decline().await.unwrap().decided().await.unwrap(), Fate::Granted);
    assert_eq!(asked.outcome().await.taken().await.unwrap(), Outcome::Declined);
    assert_eq!(request.accept().await.unwrap_err().code(), "already-decided");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_ends_ends_its_request_and_a_closed_home_interrupts() {
    let [at_host] = directories();
    let home = open("host", at_host.path()).await;
    let host = home.create_workspace("release train").await.unwrap();
    let turn = host.start_turn("Deploy 1.4").await.unwrap();
    let asked = turn.ask(form("r1")).await.unwrap();
    turn.cancel().await.unwrap();
    let told = asked.outcome().await;
    assert_eq!(told.taken().await.unwrap(), Outcome::Ended(TurnEnd::Cancelled));

    let turn = host.start_turn("Deploy 1.5").await.unwrap();
    let asked = turn.ask(form("r2")).await.unwrap();
    let waiting = tokio::spawn(async move { asked.outcome().await });
    home.close().await;
    let told = soon("the interruption", waiting).await.unwrap();
    assert_eq!(told.outcome(), &Outcome::Interrupted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_subscriber_sees_how_things_stand() {
    let [at_host] = directories();
    let home = open("host", at_host.path()).await;
    let host = home.create_workspace("release train").await.unwrap();
    let turn = host.start_turn("Deploy 1.4").await.unwrap();
    turn.ask(form("r1")).await.unwrap();
    turn.ask(form("r2")).await.unwrap();
    let mut requests = host.workspace().requests();
    let ids = |requests: Vec<rejoinder::RequestView>| {
        requests.into_iter().map(|request| request.id.0).collect::<Vec<_>>()
    };
    assert_eq!(ids(requests.next().await.unwrap()), ["r1", "r2"]);
    home.close().await;
    assert!(requests.next().await.is_none(), "a closed home has no states");
}

#[tokio::test(flavor = "multi_thread")]
async fn three_in_a_line_need_no_link_between_the_ends() {
    let [at_a, at_b, at_c] = directories();
    let c = open("c", at_c.path()).await;
    let host = c.create_workspace("release train").await.unwrap();
    let id = host.workspace().id();
    let b = open("b", at_b.path()).await;
    let in_b = let_in(&host, &b).await;
    let a = open("a", at_a.path()).await;
    let ticket = host.ticket(seats(1)).await.unwrap();
    assert_eq!(ticket.hints.len(), 2, "the ticket names the linked member too");
    let in_a = a.join(ticket).await.unwrap();
    soon("being let in", in_a.joined()).await.unwrap();
    soon("b and a in sync", in_b.synced()).await.unwrap();

    let (me_a, me_b, me_c) = (a.me(), b.me(), c.me());
    a.close().await;
    c.close().await;
    let only_b = |name| crate::support::options(name).only([me_b]);
    let a = only_b("a").open(at_a.path()).await.unwrap();
    let c = only_b("c").open(at_c.path()).await.unwrap();
    let (mut at_a, mut at_c) = (a.events().unwrap(), c.events().unwrap());

    let host = c.host(id).await.unwrap();
    let asked = host.start_turn("Deploy 1.4").await.unwrap().ask(form("r1")).await.unwrap();
    let in_a = a.workspace(id).await.unwrap().unwrap();
    let request = soon("the request, through b", in_a.open_request()).await.unwrap();
    request.submit("env", "prod").await.unwrap();
    let proposal = request.accept().await.unwrap();
    let told = soon("the outcome", asked.outcome()).await;
    assert!(matches!(told.outcome(), Outcome::Accepted(_)));
    assert_eq!(soon("the decision, through b", proposal.decided()).await.unwrap(), Fate::Granted);

    a.close().await;
    c.close().await;
    while let Some(event) = at_a.next().await {
        assert!(!matches!(event, rejoinder::HomeEvent::LinkUp { peer } if peer == me_c));
    }
    while let Some(event) = at_c.next().await {
        assert!(!matches!(event, rejoinder::HomeEvent::LinkUp { peer } if peer == me_a));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_proposes_a_turn_and_the_host_starts_one_at_a_time() {
    let [at_host, at_ana] = directories();
    let (host_home, ana) = (open("host", at_host.path()).await, open("ana", at_ana.path()).await);
    let host = host_home.create_workspace("release train").await.unwrap();
    let workspace = let_in(&host, &ana).await;

    let proposal = workspace.start_turn("Look at the logs, please").await.unwrap();
    assert_eq!(soon("the host's answer", proposal.decided()).await.unwrap(), Fate::Granted);
    let turn = host.active_turn().await.unwrap().expect("it was granted");
    let second = workspace.start_turn("And at the graphs").await.unwrap();
    let fate = soon("the host's answer", second.decided()).await.unwrap();
    assert!(matches!(&fate, Fate::Refused(why) if why.code() == "turn-active"), "{fate:?}");
    assert!(
        host_home.backlog().await.unwrap().is_within(&rejoinder::environment::Backlog::most(1))
    );

    let over = workspace.cancel_turn(turn.id().clone()).await.unwrap();
    assert_eq!(soon("the host's answer", over.decided()).await.unwrap(), Fate::Granted);
    assert!(host.active_turn().await.unwrap().is_none());
}
