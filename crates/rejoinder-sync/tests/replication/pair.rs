//! Two replicas, story by story.

use std::time::Duration;

use rejoinder_sync::limits;

use super::net::World;

const A: usize = 0;
const B: usize = 1;

fn moment() -> Duration {
    limits::POSITION * 4
}

#[test]
fn an_edit_is_there_at_once_and_both_know_it() {
    let mut world = World::new(1, 2);
    let document = world.open();
    world.link(A, B);
    world.run(moment());
    assert!(world.all_in_sync());
    world.edit(B, document);
    assert!(!world.nodes[B].sync.in_sync(world.end_between(B, A).unwrap()));
    world.run(moment());
    world.check_converged();
    assert!(world.all_in_sync());
    assert_eq!(world.arrivals(A, B), 1);
}

#[test]
fn what_was_done_apart_comes_together() {
    let mut world = World::new(2, 2);
    let document = world.open();
    world.link(A, B);
    world.run(moment());
    world.unlink(A, B);
    for _ in 0..5 {
        world.edit(A, document);
        world.edit(B, document);
        world.propose(B);
    }
    let opened_meanwhile = world.open();
    world.edit(A, opened_meanwhile);
    world.link(A, B);
    world.run(moment());
    world.check_converged();
    assert!(world.all_in_sync());
    assert_eq!((world.arrivals(A, B), world.arrivals(B, A)), (10, 7), "and nothing twice");
    assert_eq!(world.counted("parked"), 0, "nothing before what it depends on");
}

#[test]
fn meeting_again_with_nothing_new_costs_two_positions() {
    let mut world = World::new(3, 2);
    let document = world.open();
    world.edit(A, document);
    world.link(A, B);
    world.run(moment());
    world.unlink(A, B);
    let before = world.counts.clone();
    world.link(A, B);
    world.run(Duration::from_secs(10));
    assert!(world.all_in_sync());
    let positions = world.counted("positions") - before["positions"];
    assert_eq!((positions, world.counted("summary parts")), (2, before["summary parts"]));
}

#[test]
fn thousands_of_documents_need_several_parts() {
    let mut world = World::new(4, 2);
    let documents: Vec<_> = (0..3000).map(|_| world.open()).collect();
    documents.iter().for_each(|document| world.edit(A, *document));
    world.link(A, B);
    world.run(moment());
    world.check_converged();
    assert!(world.all_in_sync());
    world.unlink(A, B);
    for document in &documents[..10] {
        world.edit(B, *document);
    }
    let before = world.counts.clone();
    world.link(A, B);
    world.run(moment());
    world.check_converged();
    assert!(world.counted("summary parts") - before["summary parts"] >= 6);
    assert_eq!(world.counted("admitted") - before["admitted"], 10);
}

#[test]
fn nothing_is_acknowledged_before_it_is_stored() {
    let mut world = World::new(5, 2);
    let document = world.open();
    world.link(A, B);
    world.run(moment());
    world.edit(A, document);
    let before = world.counts.clone();
    // B's disk stalls.
    while world.deliver_one() {}
    world.pass(moment());
    while world.deliver_one() {}
    assert_eq!(world.nodes[A].state(), world.nodes[B].state(), "shown at once");
    assert!(world.all_in_sync(), "held by both");
    assert_eq!(world.counted("carried"), before.get("carried").copied().unwrap_or(0));
    assert_eq!(world.counted("everything carried"), before["everything carried"]);
    // Nor after they met again, although B's disk holds all that came before.
    world.unlink(A, B);
    world.link(A, B);
    while world.deliver_one() {}
    assert_eq!(world.counted("everything carried"), before["everything carried"]);
    world.run(moment());
    assert!(world.counted("everything carried") > before["everything carried"]);
}

#[test]
fn what_a_receiver_dropped_comes_again_with_a_comparison() {
    let mut world = World::new(6, 2);
    let document = world.open();
    world.link(A, B);
    world.run(moment());
    world.drops = 1;
    world.edit(A, document);
    world.run(moment());
    world.drops = 0;
    assert!(!world.all_in_sync(), "and both know that something is lacking");
    world.edit(A, document);
    world.run(moment());
    assert_eq!(world.counted("parked"), 1, "what follows waits for it");
    world.run(limits::COMPARE * 3 / 2);
    world.check_converged();
    assert!(world.all_in_sync());
}

#[test]
fn what_is_always_dropped_is_not_sent_in_a_hot_loop() {
    let mut world = World::new(7, 2);
    let document = world.open();
    world.link(A, B);
    world.run(moment());
    world.drops = 1;
    world.edit(A, document);
    let hour = Duration::from_secs(3600);
    world.run(hour);
    let comparisons = hour.as_secs() / limits::COMPARE.as_secs() * 2;
    let arrivals = world.arrivals(B, A) as u64;
    assert!(arrivals > comparisons / 4, "{arrivals} in {comparisons}: it is tried again");
    assert!(arrivals < comparisons * 2, "{arrivals} in {comparisons}: but not all the time");
}

#[test]
fn a_stalled_peer_costs_a_window() {
    let mut world = World::new(8, 2);
    let document = world.open();
    world.link(A, B);
    world.run(moment());
    let now = world.now;
    world.nodes[B].sync.set_room(now, false);
    for _ in 0..200 {
        world.edit_of_size(A, document, 50_000);
    }
    world.run_until_quiet();
    let bytes = world.arrivals(B, A) * 50_000;
    assert!(bytes > limits::WINDOW / 2, "{bytes} were on their way");
    assert!(bytes < limits::WINDOW + limits::FRAME, "{bytes} were on their way");
    // It moves again, and gets the rest without a comparison.
    world.nodes[B].sync.set_room(now, true);
    world.drive(B);
    world.run(moment());
    world.check_converged();
    assert!(world.all_in_sync());
    assert_eq!(world.most_arrivals(), 1);
    assert_eq!(world.counted("parked"), 0);
}

#[test]
fn a_record_larger_than_a_window_gets_through() {
    let mut world = World::new(9, 2);
    world.link(A, B);
    world.run(moment());
    for _ in 0..3 {
        let (now, length) = (world.now, world.nodes[A].log_length());
        world.nodes[A].host_record(now, 1, length, None, None, 3_000_000);
        world.drive(A);
    }
    world.run(moment());
    world.check_converged();
}

#[test]
fn a_void_branch_is_replaced() {
    for (own, lost) in [(1, 0), (5, 3), (40, 15)] {
        let mut world = World::new(10, 3);
        world.link(0, 1);
        (0..20).for_each(|_| world.record());
        world.run(moment());
        world.unlink(0, 1);
        for _ in 0..own {
            let document = world.open();
            world.edit(0, document);
        }
        world.take_over(1, lost);
        world.open();
        world.link(0, 1);
        world.link(0, 2);
        world.run(limits::COMPARE * 3 / 2);
        world.check_converged();
        assert!(world.all_in_sync());
        assert_eq!(world.nodes[0].log_length(), 21 + 2 - lost as u64);
    }
}

#[test]
fn a_card_goes_to_all_but_its_bearer() {
    let mut world = World::new(11, 3);
    world.link(0, 1);
    world.link(0, 2);
    world.run(moment());
    let (now, bearer) = (world.now, world.end_between(0, 1).unwrap());
    world.nodes[0].sync.push_card(now, &vec![1; 100].into(), Some(bearer));
    world.drive(0);
    world.run(moment());
    let before = 1;
    assert_eq!((world.arrivals(1, 0), world.arrivals(2, 0)), (before, before + 1));
}
