//! The meaning of an event for the form: the state that it outdates, the work to do, the news to
//! show.

use rejoinder::{Event, HomeEvent, PeerId};

use super::{FormOnTerminal, Stale};
use crate::{damage, failure::Failure, prompt::Input, shown};

impl FormOnTerminal<'_> {
    pub(super) async fn event(&mut self, event: HomeEvent) -> Result<(), Failure> {
        self.outdate(self.outdated_by(&event));
        if let Some(event) = event.event() {
            self.react(event).await?;
        }
        if let Some(news) = self.news(&event) {
            self.tell(Input::Said(news));
        }
        Ok(())
    }

    /// Returns the part of the form's state that an event outdates. The request on the screen is
    /// watched separately.
    fn outdated_by(&self, event: &HomeEvent) -> Stale {
        if let HomeEvent::Missed(_) = event {
            return Stale::Workspace;
        }
        let here = event.subject().workspace() == Some(self.joined.workspace.id());
        // These come with every edit, and change neither the list of requests nor any name.
        let of_edits = matches!(
            event.event(),
            Some(
                Event::Answer { .. }
                    | Event::NotIncluded { .. }
                    | Event::Fate { .. }
                    | Event::InSync { .. }
                    | Event::Uncarried { .. }
            )
        );
        if here && !of_edits { Stale::Workspace } else { Stale::Nothing }
    }

    /// Does what an event requires, apart from reporting it.
    async fn react(&mut self, event: &Event) -> Result<(), Failure> {
        if let Event::Fate { proposal, fate, .. } = event
            && self.proposed == Some(*proposal)
        {
            let fate = shown::fate(fate, self.joined.home.me());
            self.refused |= matches!(fate, crate::event::Fate::Refused { .. });
            self.tell(Input::Fate(fate));
        }
        if let Event::JoinRefused { why, .. } = event
            && !self.joined.workspace.view().await?.member
        {
            let message = format!("the host does not let this device in: {why}");
            return Err(Failure::new("join-refused", message));
        }
        if let Event::DiskFailing(why) = event {
            self.disk_fails = true;
            self.tell(Input::Disk(Some(why.clone())));
        }
        if let Event::DiskRecovered = event {
            self.disk_fails = false;
            self.tell(Input::Disk(None));
        }
        Ok(())
    }

    /// Returns the line of news for an event, if it is news. The state of requests is seen in the
    /// form itself.
    #[expect(clippy::wildcard_enum_match_arm, reason = "few events are news")]
    fn news(&self, event: &HomeEvent) -> Option<String> {
        let name = |peer: &PeerId| self.joined.console.names().show(&peer.to_string());
        Some(match event {
            HomeEvent::LinkUp { peer } => format!("link to {} up", name(peer)),
            HomeEvent::LinkDown { peer, .. } => {
                format!("link to {} down; what you write is saved here", name(peer))
            }
            HomeEvent::NotReached { peer, .. } => {
                format!("{} does not answer; what you write is saved here", name(peer))
            }
            HomeEvent::Plain(Event::Unreadable { why, .. }) => {
                format!("the answers of a request can't be read: {why}")
            }
            HomeEvent::Plain(Event::DiskRecovered) => "the disk takes writes again".to_owned(),
            HomeEvent::Plain(Event::Joined(_)) => "the host has let you in".to_owned(),
            HomeEvent::Plain(event) => damage::said(event)?.1,
            _ => return None,
        })
    }
}
