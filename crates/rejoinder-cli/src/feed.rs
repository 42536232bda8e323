//! The events of a home, turned into those that are printed. Nothing is printed twice.

use std::{collections::BTreeMap, sync::Arc};

use rejoinder::{
    Event as Told, HomeEvent, MemberView, OpeningId, PeerId, ProposalId, RequestView, Role,
};

use crate::{
    damage,
    event::{Event, Fate, LinkState, Waiting},
    shown, view,
};

/// Follows a home's events.
#[derive(Debug)]
pub(crate) struct Feed {
    me: PeerId,
    requests: BTreeMap<OpeningId, Arc<RequestView>>,
    members: BTreeMap<PeerId, (String, Role)>,
    fates: BTreeMap<ProposalId, Fate>,
    settled: Option<OpeningId>,
}

impl Feed {
    /// Makes the feed of this device.
    pub(crate) fn new(me: PeerId) -> Self {
        Self {
            me,
            requests: BTreeMap::new(),
            members: BTreeMap::new(),
            fates: BTreeMap::new(),
            settled: None,
        }
    }

    /// Takes in the members as they are at the start.
    pub(crate) fn know_members(&mut self, members: &[MemberView]) -> Vec<Event> {
        members.iter().flat_map(|member| self.member(member)).collect()
    }

    /// Takes in a request as it is at the start. An open one is printed; one that was over before
    /// is not.
    pub(crate) fn know(&mut self, request: RequestView) -> Vec<Event> {
        let events = if view::is_over(&request.status) {
            Vec::new()
        } else {
            shown::request::events(&request)
        };
        self.requests.insert(request.opening, Arc::new(request));
        events
    }

    /// Takes the last request that was seen open and has ended since the last call.
    pub(crate) fn take_settled(&mut self) -> Option<OpeningId> {
        std::mem::take(&mut self.settled)
    }

    /// Turns an event into those to print.
    pub(crate) fn take(&mut self, event: &HomeEvent) -> Vec<Event> {
        match event {
            HomeEvent::Listening { addresses } => {
                let address = |address: &std::net::SocketAddr| address.to_string();
                let events = addresses.iter().map(address);
                events.map(|address| Event::Listening { address }).collect()
            }
            HomeEvent::LinkUp { peer } => {
                vec![Event::Link { peer: peer.to_string(), state: LinkState::Up, reason: None }]
            }
            HomeEvent::LinkDown { peer, closed } => {
                let (peer, reason) = (peer.to_string(), Some(closed.to_string()));
                vec![Event::Link { peer, state: LinkState::Down, reason }]
            }
            HomeEvent::NotReached { peer, why } => {
                vec![Event::Waiting(Waiting::Answer {
                    peer: peer.to_string(),
                    reason: why.clone(),
                })]
            }
            HomeEvent::Member { member, .. } => self.member(member),
            HomeEvent::Request { event: Told::Opened { .. }, request } => self.opened(request),
            HomeEvent::Request { request, .. } => self.changed(request),
            HomeEvent::Plain(event) => self.plain(event),
            HomeEvent::Missed(count) => {
                vec![error("missed", format!("{count} events were missed; the state is right"))]
            }
            // `join` reports it, and ends.
            HomeEvent::Failed { .. } => Vec::new(),
        }
    }

    fn plain(&mut self, event: &Told) -> Vec<Event> {
        match event {
            Told::JoinWaits { at, .. } => {
                vec![Event::Waiting(Waiting::LetIn { peer: at.to_string() })]
            }
            Told::Fate { proposal, fate, .. } => self.fate(*proposal, shown::fate(fate, self.me)),
            Told::Void { opening, .. } => self.void(opening),
            Told::NotAdmitted { from, why } => {
                let message = format!("something from {} was not let in: {why}", from.short());
                vec![error("not-admitted", message)]
            }
            Told::DiskFailing(why) => {
                let message = format!("the disk refuses writes, nothing is saved: {why}");
                vec![error("disk", message)]
            }
            Told::Unreadable { opening, why, .. } => {
                let message = format!("the answers of request {opening} can't be read: {why}");
                vec![error("disk", message)]
            }
            Told::Damaged { .. }
            | Told::Salvaged(_)
            | Told::OwnMissing { .. }
            | Told::OwnCopy => damage::said(event)
                .into_iter()
                .map(|(word, message)| error(word, message))
                .collect(),
            // These come with their request or member.
            Told::Opened { .. }
            | Told::Answer { .. }
            | Told::NotIncluded { .. }
            | Told::Decided { .. }
            | Told::Ended { .. }
            | Told::Resumed { .. }
            | Told::Member { .. }
            // `join` reports it, and ends.
            | Told::JoinRefused { .. }
            // `ask --approve` asks about it.
            | Told::ApprovalNeeded { .. }
            | Told::Joined(_)
            | Told::Chat(_)
            | Told::InSync { .. }
            | Told::Uncarried { .. }
            | Told::DiskRecovered
            | Told::PeersChanged => Vec::new(),
        }
    }

    /// Prints each state once: a host takes its seat again at every start.
    fn member(&mut self, member: &MemberView) -> Vec<Event> {
        let now = (member.name.clone(), member.role);
        let before = self.members.insert(member.device, now.clone());
        if before == Some(now) { Vec::new() } else { vec![shown::member(member)] }
    }

    fn opened(&mut self, request: &Arc<RequestView>) -> Vec<Event> {
        let asked = self.requests.get(&request.opening).map(|known| &known.request);
        if asked.is_none_or(|asked| *asked == request.request) {
            return self.changed(request);
        }
        // It is the next revision: it is printed again, followed by the changes to its answers.
        let mut events = vec![shown::request::opened(request)];
        events.extend(self.changed(request));
        events
    }

    /// Prints each fate once, though the engine may report it again.
    fn fate(&mut self, proposal: ProposalId, fate: Fate) -> Vec<Event> {
        if self.fates.get(&proposal) == Some(&fate) {
            return Vec::new();
        }
        self.fates.insert(proposal, fate.clone());
        vec![Event::Fate { proposal: proposal.to_string(), fate }]
    }

    fn changed(&mut self, request: &Arc<RequestView>) -> Vec<Event> {
        let before = self.requests.insert(request.opening, Arc::clone(request));
        let was_open = before.as_ref().is_some_and(|before| !view::is_over(&before.status));
        if was_open && view::is_over(&request.status) {
            self.settled = Some(request.opening);
        }
        shown::request::changes_since(request, before.as_deref())
    }

    fn void(&mut self, opening: &OpeningId) -> Vec<Event> {
        let known = self.requests.remove(opening);
        let named = known.map_or_else(|| opening.to_string(), |request| request.request.id.clone());
        vec![error("void", format!("request {named} is void: its host started anew without it"))]
    }
}

fn error(word: &str, message: String) -> Event {
    Event::Error { error: word.to_owned(), message }
}

#[cfg(test)]
mod tests;
