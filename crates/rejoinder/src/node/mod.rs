//! A running replica: the one task that owns it, and all that it starts.
//!
//! The task feeds the replica with what happens, one thing after the other, and does what the
//! replica says. There is no lock around it: whoever wants to know something asks the task.

mod asks;
mod backoff;
mod dialer;
mod dialing;
mod disk;
mod door;
mod driver;
mod ending;
mod linking;
mod links;
mod network;
mod open;
mod port;
mod reach;
mod roster;
mod subscribers;
mod waits;

use std::collections::BTreeMap;

use rejoinder_identity::Timestamp;
use rejoinder_quic::CloseCode;
use rejoinder_replica::{Command, CommandId, Event, Input, Output, Refused, Replica, Reply};
use tokio::{
    sync::{mpsc, oneshot},
    time::sleep_until,
};

pub(crate) use self::open::{Opened, open};
use self::{asks::Asks, disk::Disk, network::Network, subscribers::Subscribers};
use crate::{
    clock::Clock,
    fault::{Fault, caught},
    handle::{Call, Look, Topic},
};

/// A running replica.
pub(crate) struct Node {
    clock: Clock,
    replica: Replica,
    disk: Disk,
    network: Network,
    subscribers: Subscribers,
    asks: Asks,
    calls: mpsc::UnboundedReceiver<Call>,
    replies: BTreeMap<CommandId, oneshot::Sender<Result<Reply, Refused>>>,
    next_command: u64,
    /// Those who wait for something to be so.
    looks: Vec<Look>,
    /// Until when the end may be put off.
    closing: Option<Timestamp>,
    fault: Fault,
}

/// The reason why a node ends.
enum NodeEnd {
    Closed,
    /// Nothing that was promised depends on the disk's driver; nothing more can be promised.
    DiskGone,
    /// It would go on alone, and nobody would know why.
    Deaf,
}

impl Node {
    /// Runs until it is closed, or a fault ends it. Dropping the future ends it and all that it
    /// started; what the disk was asked for is written all the same.
    pub(crate) async fn run(mut self) {
        let fault = self.fault.clone();
        let ended = match caught(self.live()).await {
            Ok(NodeEnd::Closed) => caught(self.end()).await,
            Ok(NodeEnd::DiskGone) => caught(self.fail("the disk's driver is gone")).await,
            Ok(NodeEnd::Deaf) => caught(self.fail("nothing comes from the socket any more")).await,
            Err(why) => caught(self.fail(&why)).await,
        };
        if let Err(why) = ended {
            tracing::error!(%why, "a fault while the home was closed");
            fault.set(&why);
        }
    }

    async fn live(&mut self) -> NodeEnd {
        loop {
            self.perform_all();
            if self.may_end() {
                return NodeEnd::Closed;
            }
            if self.network.deaf {
                return NodeEnd::Deaf;
            }
            let until = self.clock.instant(self.timeout());
            tokio::select! {
                biased;
                answer = self.disk.answered() => match answer {
                    Some(input) => self.disk_answered(input),
                    None => return NodeEnd::DiskGone,
                },
                // It is armed again a millisecond later at the earliest, so it starves nobody.
                () = sleep_until(until) => self.time_has_come(),
                Some(call) = self.calls.recv() => {
                    self.call(call);
                    // Many callers must not keep the links waiting.
                    if let Some(arrival) = self.network.try_next() {
                        self.arrived(arrival);
                    }
                }
                arrival = self.network.next() => self.arrived(arrival),
            }
        }
    }

    fn disk_answered(&mut self, answer: Input) {
        let loaded = matches!(answer, Input::Loaded(..));
        self.handle(answer);
        if loaded {
            // A document that was not in memory is: no event says so, but it is shown now.
            self.subscribers
                .bump(|topic| matches!(topic, Topic::Workspace(_) | Topic::Request(..)));
        }
    }

    fn handle(&mut self, input: Input) {
        self.replica.handle(self.clock.now(), input);
    }

    /// Does what the replica says until it says nothing more.
    fn perform_all(&mut self) {
        while let Some(output) = self.replica.poll_output() {
            self.perform(output);
        }
        let replica = &self.replica;
        self.looks.retain_mut(|look| !look(replica));
        self.reach_out();
    }

    fn perform(&mut self, output: Output) {
        match output {
            Output::Store(id, batch) => self.disk.write(id, batch),
            Output::Load(id, load) => self.disk.load(id, load),
            Output::Send(link, frame) => self.network.links.send(link, frame),
            Output::Close(link, why) => {
                let closed = self.network.links.close(link, CloseCode::Misbehaved, &why);
                self.parted(closed);
            }
            Output::AnswerJoin(ask, answer) => self.asks.answer(ask, answer),
            Output::Reply(command, result) => self.reply(command, result),
            Output::Tell(event) => self.tell(event),
        }
    }

    fn reply(&mut self, command: CommandId, result: Result<Reply, Refused>) {
        if let Ok(Reply::Workspace(workspace)) = &result {
            self.network.refused.remove(workspace);
            self.subscribers.bump(|topic| *topic == Topic::Workspaces);
            self.update_targets();
        }
        if let Some(waiting) = self.replies.remove(&command) {
            let _gave_up = waiting.send(result);
        }
    }

    fn tell(&mut self, event: Event) {
        log(&event);
        if let Event::PeersChanged = event {
            self.peers_changed();
        }
        if let Event::Joined(_) = event {
            self.update_targets();
        }
        // To ask again would change nothing, until there is another ticket.
        if let Event::JoinRefused { workspace, .. } = event {
            self.network.refused.insert(workspace);
            self.update_targets();
        }
        // Each member is said to wait once, however often it answers.
        if let Event::JoinWaits { workspace, at } = event
            && !self.network.waits.answered(workspace, at)
        {
            return;
        }
        self.subscribers.event(&self.replica, event);
    }

    fn call(&mut self, call: Call) {
        match call {
            Call::Command(command, reply) => {
                let id = self.command(*command);
                self.replies.insert(id, reply);
            }
            Call::Read(read) => read(&self.replica),
            Call::Until(mut look) => {
                if !look(&self.replica) {
                    self.looks.push(look);
                }
            }
            Call::Watch(topic, notifier) => self.subscribers.watch(topic, notifier),
            Call::Listen(listener) => self.listen(listener),
            Call::Now(answer) => {
                let _gave_up = answer.send(self.clock.now());
            }
            Call::Addresses(answer) => {
                let _gave_up = answer.send(self.network.addresses.clone());
            }
            Call::Links(answer) => {
                let _gave_up = answer.send(self.network.links.views());
            }
            Call::Offline(done) => {
                self.go_offline();
                let _gave_up = done.send(());
            }
            Call::Online(done) => {
                self.go_online();
                let _gave_up = done.send(());
            }
            Call::Close => self.close(),
        }
    }

    fn command(&mut self, command: Command) -> CommandId {
        let id = CommandId(self.next_command);
        self.next_command += 1;
        self.handle(Input::Command(id, command));
        id
    }

    fn timeout(&self) -> Timestamp {
        let soonest = self.clock.now().after(std::time::Duration::from_millis(1));
        let all = [self.replica.poll_timeout(), self.network_timeout(), self.closing];
        let next = all.into_iter().flatten().min();
        next.map_or(Timestamp::from_millis(i64::MAX), |next| next.max(soonest))
    }

    fn time_has_come(&mut self) {
        let now = self.clock.now();
        if self.replica.poll_timeout().is_some_and(|due| due <= now) {
            self.handle(Input::Timeout);
        }
        self.network_time_has_come(now);
    }
}

/// Logs what whoever runs the node has to know. Others listen to the events themselves.
#[expect(clippy::wildcard_enum_match_arm, reason = "few events are trouble")]
fn log(event: &Event) {
    match event {
        Event::JoinWaits { at, .. } => tracing::debug!(at = %at.short(), "waiting to be let in"),
        Event::DiskFailing(why) => tracing::warn!(%why, "the disk refuses writes"),
        Event::DiskRecovered => tracing::info!("the disk takes writes again"),
        Event::Unreadable { opening, why, .. } => {
            tracing::error!(%opening, %why, "the answers of an open request can't be read");
        }
        Event::Damaged { rows } => tracing::warn!(?rows, "rows were damaged and are set aside"),
        Event::Salvaged(salvaged) => tracing::warn!(?salvaged, "the home's file is made anew"),
        Event::OwnMissing { changes, proposals } => {
            tracing::warn!(changes, proposals, "something of this device's own is missing");
        }
        Event::OwnCopy => tracing::warn!("others know something newer of this device"),
        Event::NotAdmitted { from, why } => {
            tracing::warn!(from = %from.short(), %why, "not admitted");
        }
        _ => {}
    }
}
