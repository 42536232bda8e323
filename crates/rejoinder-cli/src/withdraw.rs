//! `withdraw`: the asker changes their mind.

use std::time::Duration;

use rejoinder::{Home, Host, RequestStatus, RequestView, Workspace};
use tokio::time::timeout;

use crate::{
    args::{Common, Network, Withdraw},
    console::Console,
    event::Event,
    failure::Failure,
    home, limits,
    outcome::{Ended, Exit},
    plain, report,
};

/// Runs it.
pub async fn run(withdraw: &Withdraw, common: &Common, console: &Console) -> Result<Exit, Failure> {
    let network = Network { listen: None, only: Vec::new() };
    let home =
        home::open(common, home::Opens::Existing, &network, None).await.map_err(explained)?;
    let (workspace, request) = find(&home, withdraw.id.as_deref()).await?;
    let host = home.host(workspace.id()).await?;
    host.turn(request.turn.clone()).cancel().await?;
    let how = Ended::Cancelled;
    let id = plain::name(request.id.as_str());
    let line = format!("request {id}: {}", report::ended_in_words(how));
    console.answer(&[Event::Ended { request: request.id.to_string(), how }], &[line]);
    hand_over(&home, &host, console).await?;
    home.close().await;
    Ok(Exit::Done)
}

fn explained(mut failure: Failure) -> Failure {
    if failure.error == "home-in-use" {
        failure.message.push_str(
            "; if that is `rejoinder ask`, end it by Ctrl-C, which leaves the request open, and \
             withdraw again",
        );
    }
    failure
}

async fn find(home: &Home, id: Option<&str>) -> Result<(Workspace, RequestView), Failure> {
    let mut open = Vec::new();
    for workspace in home.workspaces().await? {
        let view = workspace.view().await?;
        let ours = view.requests.into_iter().filter(|_| view.can_host);
        open.extend(ours.filter(is_open).map(|request| (workspace.clone(), request)));
    }
    let ids: Vec<_> = open.iter().map(|(_, request)| plain::name(request.id.as_str())).collect();
    let ids = ids.join(", ");
    open.retain(|(_, request)| id.is_none_or(|id| request.id.as_str() == id));
    match (open.pop(), open.is_empty(), id) {
        (Some(found), true, _) => Ok(found),
        (Some(_), false, _) => {
            Err(Failure::new("several-open", format!("several requests are open: {ids}")))
        }
        (None, _, Some(id)) if ids.is_empty() => {
            let id = plain::name(id);
            Err(Failure::new("no-request", format!("no request {id} is open, nor any other")))
        }
        (None, _, Some(id)) => {
            let id = plain::name(id);
            Err(Failure::new("no-request", format!("no request {id} is open; open are: {ids}")))
        }
        (None, _, None) => Err(Failure::new("no-request", "no request of this home is open")),
    }
}

fn is_open(request: &RequestView) -> bool {
    match request.status {
        RequestStatus::Open | RequestStatus::Suspended => true,
        RequestStatus::Decided { .. } | RequestStatus::Ended(_) => false,
    }
}

/// Members hear of it when they are linked; those who are not, later, from those who are or from
/// the next `ask`.
async fn hand_over(home: &Home, host: &Host, console: &Console) -> Result<(), Failure> {
    if host.workspace().members().await?.len() < 2 {
        return Ok(());
    }
    let handed_over = async {
        home.until_links(|links| !links.is_empty()).await?;
        host.workspace().delivered().await
    };
    match timeout(Duration::from_secs(limits::WITHDRAW_SECONDS), handed_over).await {
        Ok(done) => Ok(done?),
        Err(_) => {
            console.say("no member could be reached: they hear of it when this home links again");
            Ok(())
        }
    }
}
