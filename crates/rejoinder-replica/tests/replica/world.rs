//! A few replicas in one loop. Each step does one thing that is due, chosen by the seed: a frame
//! arrives, a write becomes durable, a read comes back.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ahp_types::state::{ChatInputRequest, ChatInputResponseKind};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use rejoinder_finalizer::{Checked, Join};
use rejoinder_identity::{
    Hint, Incarnation, Nonce, OpeningId, PeerId, ProposalId, QuestionId, Role, SecretKey, Ticket,
    Timestamp, TurnId, WorkspaceId,
};
use rejoinder_replica::{
    AskId, Batch, Command, CommandId, Config, Edit, Event, Fate, HostAct, Input, LinkId, Load,
    LoadId, Loaded, Output, Refused, Replica, Reply, RequestView, RestoreError, Restored, RowOp,
    Salvaged, Table, WriteId, is_let_in,
};

pub(crate) type Peer = usize;

pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) now: i64,
    pub(crate) peers: Vec<Node>,
    rng: ChaCha20Rng,
    /// Links that are up, by their two ends.
    links: BTreeMap<(Peer, Peer), Link>,
    /// Pairs that link whenever both run.
    wanted: BTreeSet<(Peer, Peer)>,
    next_link: u64,
    pub(crate) frames: u64,
    /// Frames as they were sent, while they are kept.
    pub(crate) kept: Option<Vec<Vec<u8>>>,
    /// Links that were closed over what came; none while nobody may misbehave.
    pub(crate) closed: Option<Vec<(LinkId, String)>>,
}

#[derive(Default)]
struct Link {
    id: u64,
    /// Frames from the first end to the second, and back.
    under_way: [VecDeque<Vec<u8>>; 2],
}

pub(crate) struct Node {
    pub(crate) name: &'static str,
    pub(crate) key: SecretKey,
    pub(crate) replica: Option<Replica>,
    pub(crate) disk: BTreeMap<(Table, Vec<u8>), Vec<u8>>,
    /// Rows that are not what was written any more.
    pub(crate) damaged: BTreeSet<(Table, Vec<u8>)>,
    /// Its file was made anew when it was opened last.
    pub(crate) salvaged: Option<Salvaged>,
    writes: VecDeque<(WriteId, Batch)>,
    loads: VecDeque<(LoadId, Load)>,
    /// Writes are asked for and never become durable.
    pub(crate) stalled: bool,
    /// Writes fail.
    pub(crate) full: bool,
    /// Reads of rows whose keys begin so fail.
    pub(crate) unreadable: Vec<Vec<u8>>,
    /// Reads are asked for and never come back.
    pub(crate) unanswered: bool,
    /// How many reads it was asked for.
    pub(crate) reads: u64,
    /// How many frames it sent on each link.
    pub(crate) sent: BTreeMap<LinkId, u64>,
    /// What it sends stays under way.
    pub(crate) silent: bool,
    next_command: u64,
    pub(crate) replies: BTreeMap<u64, Result<Reply, Refused>>,
    pub(crate) events: Vec<Event>,
    asks: BTreeMap<AskId, (Peer, WorkspaceId)>,
    /// What it answered to others than its peers' joins.
    answers: BTreeMap<AskId, Vec<u8>>,
    next_ask: u64,
}

impl World {
    pub(crate) fn new(seed: u64, names: &[&'static str]) -> Self {
        let rng = ChaCha20Rng::seed_from_u64(seed);
        let mut world = Self {
            seed,
            now: 1_000_000,
            peers: Vec::new(),
            rng,
            links: BTreeMap::new(),
            wanted: BTreeSet::new(),
            next_link: 0,
            frames: 0,
            kept: None,
            closed: None,
        };
        for name in names {
            world.add(name);
        }
        for peer in 0..names.len() {
            world.start(peer);
        }
        world
    }

    fn add(&mut self, name: &'static str) -> Peer {
        let key = SecretKey::from_seed(self.draw());
        self.peers.push(Node {
            name,
            key,
            replica: None,
            disk: BTreeMap::new(),
            damaged: BTreeSet::new(),
            salvaged: None,
            writes: VecDeque::new(),
            loads: VecDeque::new(),
            stalled: false,
            full: false,
            unreadable: Vec::new(),
            unanswered: false,
            reads: 0,
            sent: BTreeMap::new(),
            silent: false,
            next_command: 0,
            replies: BTreeMap::new(),
            events: Vec::new(),
            asks: BTreeMap::new(),
            answers: BTreeMap::new(),
            next_ask: 0,
        });
        self.peers.len() - 1
    }

    /// A device that is new in this world.
    pub(crate) fn newcomer(&mut self, name: &'static str) -> Peer {
        let peer = self.add(name);
        self.start(peer);
        peer
    }

    pub(crate) fn draw<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.rng.fill_bytes(&mut bytes);
        bytes
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.rng.next_u64() % bound as u64).unwrap()
    }

    pub(crate) fn id(&self, peer: Peer) -> PeerId {
        self.peers[peer].key.public()
    }

    /// The key of a device, for a test that writes in its name what no replica would.
    pub(crate) fn key(&self, peer: Peer) -> SecretKey {
        self.peers[peer].key.clone()
    }

    pub(crate) fn replica(&self, peer: Peer) -> &Replica {
        self.peers[peer].replica.as_ref().expect("it runs")
    }

    // ---- running and crashing

    pub(crate) fn start(&mut self, peer: Peer) {
        self.try_start(peer).expect("its own rows");
    }

    pub(crate) fn try_start(&mut self, peer: Peer) -> Result<(), RestoreError> {
        let (incarnation, seed) = (Incarnation(self.draw()), self.draw());
        let node = &mut self.peers[peer];
        let mut restored = Restored::default();
        for ((table, key), value) in &node.disk {
            if Table::AT_OPEN.contains(table) {
                restored.rows.entry(*table).or_default().push((key.clone(), value.clone()));
            }
        }
        for (table, key) in &node.damaged {
            if Table::AT_OPEN.contains(table) {
                restored.damaged.entry(*table).or_default().push(key.clone());
            }
        }
        restored.salvaged = node.salvaged.take();
        let config = Config { key: node.key.clone(), incarnation, name: node.name.to_owned() };
        node.replica = Some(Replica::new(config, seed, restored)?);
        self.drain(peer);
        self.link_wanted();
        Ok(())
    }

    /// A bit of that row flips, on the disk of a peer that is down.
    pub(crate) fn rot(&mut self, peer: Peer, table: Table, key: &[u8]) {
        let node = &mut self.peers[peer];
        assert!(node.replica.is_none(), "{} is up", node.name);
        node.disk.remove(&(table, key.to_vec())).expect("there is such a row");
        node.damaged.insert((table, key.to_vec()));
    }

    pub(crate) fn keys(&self, peer: Peer, table: Table) -> Vec<Vec<u8>> {
        let keys = self.peers[peer].disk.keys().filter(|(other, _)| *other == table);
        keys.map(|(_, key)| key.clone()).collect()
    }

    /// The process is gone, and of its unfinished writes all but the first few.
    pub(crate) fn crash(&mut self, peer: Peer) {
        let survive = self.below(self.peers[peer].writes.len() + 1);
        for _ in 0..survive {
            let (_, batch) = self.peers[peer].writes.pop_front().unwrap();
            self.peers[peer].apply(batch);
        }
        let node = &mut self.peers[peer];
        node.replica = None;
        node.writes.clear();
        node.loads.clear();
        node.asks.clear();
        let gone: Vec<_> =
            self.links.keys().filter(|(a, b)| *a == peer || *b == peer).copied().collect();
        for ends in gone {
            self.drop_link(ends);
        }
    }

    // ---- links

    pub(crate) fn link(&mut self, a: Peer, b: Peer) {
        self.wanted.insert((a.min(b), a.max(b)));
        self.link_wanted();
    }

    pub(crate) fn cut(&mut self, a: Peer, b: Peer) {
        let ends = (a.min(b), a.max(b));
        self.wanted.remove(&ends);
        self.drop_link(ends);
    }

    fn drop_link(&mut self, ends: (Peer, Peer)) {
        if let Some(link) = self.links.remove(&ends) {
            for peer in [ends.0, ends.1] {
                self.handle(peer, Input::LinkDown { link: LinkId(link.id) });
            }
        }
    }

    /// The link between two that is up.
    pub(crate) fn link_of(&self, a: Peer, b: Peer) -> LinkId {
        LinkId(self.links[&(a.min(b), a.max(b))].id)
    }

    fn link_wanted(&mut self) {
        for (a, b) in self.wanted.clone() {
            let both = self.peers[a].replica.is_some() && self.peers[b].replica.is_some();
            if !both || self.links.contains_key(&(a, b)) {
                continue;
            }
            for (from, to) in [(a, b), (b, a)] {
                self.introduce(from, to);
            }
            let (one, two) = (self.replica(a), self.replica(b));
            if !one.may_link(&self.id(b)) || !two.may_link(&self.id(a)) {
                continue;
            }
            let hellos = [one.hello(&self.id(b)).to_bytes(), two.hello(&self.id(a)).to_bytes()];
            let id = self.next_link;
            self.next_link += 1;
            self.links.insert((a, b), Link { id, ..Link::default() });
            let [from_a, from_b] = hellos;
            let link = LinkId(id);
            self.handle(a, Input::LinkUp { link, peer: self.id(b), hello: from_b });
            self.handle(b, Input::LinkUp { link, peer: self.id(a), hello: from_a });
        }
    }

    /// One who is turned away shows that it is a member, as its node would.
    fn introduce(&mut self, from: Peer, to: Peer) {
        let (id, device) = (self.id(to), self.id(from));
        if !self.replica(from).may_link(&id) || self.replica(to).may_link(&device) {
            return;
        }
        for bytes in self.replica(from).introductions(&id) {
            if is_let_in(&self.ask_at_door(to, device, bytes)) {
                return;
            }
        }
    }

    /// What a device hears at once that asks something at a door.
    pub(crate) fn ask_at_door(&mut self, door: Peer, device: PeerId, bytes: Vec<u8>) -> Vec<u8> {
        let node = &mut self.peers[door];
        let ask = AskId(node.next_ask);
        node.next_ask += 1;
        self.handle(door, Input::JoinAsked { ask, device, bytes });
        self.peers[door].answers.remove(&ask).expect("it answers at once")
    }

    // ---- the loop

    /// Does one thing that is due; says whether there was any.
    pub(crate) fn step(&mut self) -> bool {
        let mut due = Vec::new();
        for (ends, link) in &self.links {
            for side in 0..2 {
                let from = if side == 0 { ends.0 } else { ends.1 };
                if !link.under_way[side].is_empty() && !self.peers[from].silent {
                    due.push(Due::Frame(*ends, side));
                }
            }
        }
        for (peer, node) in self.peers.iter().enumerate() {
            if node.replica.is_none() {
                continue;
            }
            if !node.writes.is_empty() && !node.stalled {
                due.push(Due::Write(peer));
            }
            if !node.loads.is_empty() && !node.unanswered {
                due.push(Due::Load(peer));
            }
        }
        if due.is_empty() {
            return false;
        }
        match due[self.below(due.len())] {
            Due::Frame(ends, side) => {
                let link = self.links.get_mut(&ends).unwrap();
                let bytes = link.under_way[side].pop_front().unwrap();
                let id = LinkId(link.id);
                let to = if side == 0 { ends.1 } else { ends.0 };
                self.frames += 1;
                self.handle(to, Input::Frame { link: id, bytes });
            }
            Due::Write(peer) => {
                let node = &mut self.peers[peer];
                let (id, batch) = node.writes.pop_front().unwrap();
                if node.full {
                    self.handle(peer, Input::StoreFailed(id, "no space left".into()));
                } else {
                    node.apply(batch);
                    self.handle(peer, Input::Stored(id));
                }
            }
            Due::Load(peer) => {
                let node = &mut self.peers[peer];
                let (id, Load { table, prefix }) = node.loads.pop_front().unwrap();
                node.reads += 1;
                if node.unreadable.contains(&prefix) {
                    self.handle(peer, Input::LoadFailed(id, "input/output error".into()));
                    return true;
                }
                let rows = node
                    .disk
                    .range((table, prefix.clone())..)
                    .take_while(|((other, key), _)| *other == table && key.starts_with(&prefix))
                    .map(|((_, key), value)| (key.clone(), value.clone()))
                    .collect();
                let damaged = node
                    .damaged
                    .iter()
                    .filter(|(other, key)| *other == table && key.starts_with(&prefix));
                let damaged = damaged.map(|(_, key)| key.clone()).collect();
                self.handle(peer, Input::Loaded(id, Loaded { rows, damaged }));
            }
        }
        true
    }

    /// Until nothing is due at this moment.
    pub(crate) fn quiet(&mut self) {
        for _ in 0..200_000 {
            self.link_wanted();
            if !self.step() {
                return;
            }
        }
        panic!("seed {}: the replicas never stop talking", self.seed);
    }

    /// Lets so much time pass, doing what becomes due.
    pub(crate) fn pass(&mut self, millis: i64) {
        let end = self.now + millis;
        self.quiet();
        loop {
            let next =
                self.peers.iter().enumerate().filter_map(|(peer, node)| {
                    Some((node.replica.as_ref()?.poll_timeout()?, peer))
                });
            let Some((at, peer)) = next.min() else { break };
            if at.as_millis() > end {
                break;
            }
            self.now = self.now.max(at.as_millis());
            self.handle(peer, Input::Timeout);
            self.quiet();
        }
        self.now = end;
    }

    pub(crate) fn handle(&mut self, peer: Peer, input: Input) {
        let now = Timestamp::from_millis(self.now);
        let Some(replica) = &mut self.peers[peer].replica else { return };
        replica.handle(now, input);
        self.drain(peer);
    }

    fn drain(&mut self, peer: Peer) {
        while let Some(output) = self.peers[peer].replica.as_mut().and_then(Replica::poll_output) {
            self.perform(peer, output);
        }
    }

    fn perform(&mut self, peer: Peer, output: Output) {
        match output {
            Output::Store(id, batch) => self.peers[peer].writes.push_back((id, batch)),
            Output::Load(id, load) => self.peers[peer].loads.push_back((id, load)),
            Output::Send(LinkId(id), bytes) => {
                *self.peers[peer].sent.entry(LinkId(id)).or_default() += 1;
                if let Some(kept) = &mut self.kept {
                    kept.push(bytes.clone());
                }
                for ((a, _), link) in &mut self.links {
                    if link.id == id {
                        let side = usize::from(*a != peer);
                        link.under_way[side].push_back(bytes);
                        break;
                    }
                }
            }
            Output::Close(LinkId(id), why) => match &mut self.closed {
                Some(closed) => closed.push((LinkId(id), why)),
                None => {
                    panic!("seed {}: {} closes link {id}: {why}", self.seed, self.peers[peer].name)
                }
            },
            Output::AnswerJoin(ask, bytes) => {
                let me = self.id(peer);
                // A stranger that is none of the peers only knocked.
                if let Some((asker, workspace)) = self.peers[peer].asks.remove(&ask) {
                    self.handle(asker, Input::JoinAnswered { by: me, bytes, workspace });
                } else {
                    self.peers[peer].answers.insert(ask, bytes);
                }
            }
            Output::Reply(CommandId(id), result) => {
                self.peers[peer].replies.insert(id, result);
            }
            Output::Tell(event) => self.peers[peer].events.push(event),
        }
    }

    // ---- commands

    pub(crate) fn ask_for(&mut self, peer: Peer, command: Command) -> u64 {
        let node = &mut self.peers[peer];
        let id = node.next_command;
        node.next_command += 1;
        self.handle(peer, Input::Command(CommandId(id), command));
        id
    }

    /// Sends a command and runs until its reply is there.
    pub(crate) fn run(&mut self, peer: Peer, command: Command) -> Result<Reply, Refused> {
        let id = self.ask_for(peer, command);
        for _ in 0..100_000 {
            if let Some(reply) = self.peers[peer].replies.remove(&id) {
                return reply;
            }
            assert!(self.step(), "seed {}: no reply ever comes", self.seed);
        }
        panic!("seed {}: no reply comes", self.seed);
    }

    pub(crate) fn found(&mut self, host: Peer) -> WorkspaceId {
        match self.run(host, Command::CreateWorkspace { title: "release".into() }) {
            Ok(Reply::Workspace(workspace)) => workspace,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn host(&mut self, peer: Peer, workspace: WorkspaceId) {
        self.run(peer, Command::Host(workspace)).unwrap();
    }

    pub(crate) fn act(
        &mut self,
        peer: Peer,
        workspace: WorkspaceId,
        act: HostAct,
    ) -> Result<Reply, Refused> {
        self.run(peer, Command::HostAct(workspace, act))
    }

    pub(crate) fn invite(&mut self, host: Peer, workspace: WorkspaceId) -> Ticket {
        let expires = Timestamp::from_millis(self.now + 1_000_000);
        let role = Role::Collaborator;
        let act = HostAct::Invite { seats: 20, expires, role, approve: false };
        match self.act(host, workspace, act) {
            Ok(Reply::Invited(mut ticket)) => {
                ticket.hints = vec![Hint { device: self.id(host), addresses: vec![] }];
                *ticket
            }
            other => panic!("{other:?}"),
        }
    }

    /// A device comes in through a member's door.
    pub(crate) fn join(&mut self, peer: Peer, ticket: &Ticket, door: Peer) {
        let mut ticket = ticket.clone();
        ticket.hints = vec![Hint { device: self.id(door), addresses: vec![] }];
        let workspace = ticket.workspace;
        self.run(peer, Command::Join(Box::new(ticket))).unwrap();
        self.knock(peer, workspace, door);
        self.quiet();
    }

    pub(crate) fn knock(&mut self, peer: Peer, workspace: WorkspaceId, door: Peer) {
        let Some((bytes, _)) = self.replica(peer).join_ask(&workspace) else { return };
        let device = self.id(peer);
        let node = &mut self.peers[door];
        let ask = AskId(node.next_ask);
        node.next_ask += 1;
        node.asks.insert(ask, (peer, workspace));
        self.handle(door, Input::JoinAsked { ask, device, bytes });
    }

    /// A device that is none of the peers asks to be let in.
    pub(crate) fn stranger_knocks(&mut self, door: Peer, ticket: &Ticket) {
        let key = SecretKey::from_seed(self.draw());
        let nonce = Nonce(self.draw());
        let join = Checked::<Join>::sign(&key, &ticket.invite, ticket.workspace, "stranger", nonce);
        let bytes = [&ticket.workspace.0[..], join.unwrap().bytes()].concat();
        let node = &mut self.peers[door];
        let ask = AskId(node.next_ask);
        node.next_ask += 1;
        self.handle(door, Input::JoinAsked { ask, device: key.public(), bytes });
    }

    pub(crate) fn start_turn(&mut self, host: Peer, workspace: WorkspaceId) -> TurnId {
        match self.act(host, workspace, HostAct::StartTurn { text: "Deploy".into() }) {
            Ok(Reply::Turn(turn)) => turn,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn raise(
        &mut self,
        host: Peer,
        workspace: WorkspaceId,
        request: ChatInputRequest,
    ) -> OpeningId {
        let act =
            HostAct::Ask { request: Box::new(request), rules: BTreeMap::new(), strict: false };
        match self.act(host, workspace, act) {
            Ok(Reply::Asked(opening)) => opening,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn edit(
        &mut self,
        peer: Peer,
        workspace: WorkspaceId,
        opening: OpeningId,
        edit: Edit,
    ) -> Result<Reply, Refused> {
        self.run(peer, Command::Edit { workspace, opening, edit })
    }

    pub(crate) fn complete(
        &mut self,
        peer: Peer,
        workspace: WorkspaceId,
        opening: OpeningId,
        response: ChatInputResponseKind,
    ) -> Result<ProposalId, Refused> {
        let answers = BTreeMap::new();
        let reply = self.run(peer, Command::Complete { workspace, opening, response, answers })?;
        let Reply::Proposed(proposal) = reply else { panic!("{reply:?}") };
        Ok(proposal)
    }

    // ---- looking

    pub(crate) fn view(
        &self,
        peer: Peer,
        workspace: WorkspaceId,
        opening: OpeningId,
    ) -> RequestView {
        self.replica(peer).request(&workspace, &opening).expect("the request is known")
    }

    /// The answers as they are shown, as JSON.
    pub(crate) fn answers(&self, peer: Peer, workspace: WorkspaceId, opening: OpeningId) -> String {
        self.view(peer, workspace, opening).projection.to_json()["answers"].to_string()
    }

    pub(crate) fn fate(
        &self,
        peer: Peer,
        workspace: WorkspaceId,
        proposal: ProposalId,
    ) -> Option<Fate> {
        self.replica(peer).fate(&workspace, &proposal)
    }

    pub(crate) fn running(&self) -> Vec<Peer> {
        (0..self.peers.len()).filter(|peer| self.peers[*peer].replica.is_some()).collect()
    }
}

#[derive(Clone, Copy)]
enum Due {
    Frame((Peer, Peer), usize),
    Write(Peer),
    Load(Peer),
}

impl Node {
    fn apply(&mut self, batch: Batch) {
        for change in batch.changes {
            match change {
                RowOp::Put(table, key, value) => {
                    self.damaged.remove(&(table, key.clone()));
                    self.disk.insert((table, key), value);
                }
                RowOp::Delete(table, key) => {
                    self.damaged.remove(&(table, key.clone()));
                    self.disk.remove(&(table, key));
                }
            }
        }
    }

    pub(crate) fn unwritten(&self) -> usize {
        self.writes.len()
    }
}

pub(crate) fn q(id: &str) -> QuestionId {
    QuestionId(id.to_owned())
}
