//! `withdraw`: end a request that nobody needs answered any more.

use std::{
    io::{self, IsTerminal},
    time::Duration,
};

use rejoinder::{Home, Host, RequestStatus, RequestView, TurnEnd, Workspace};
use tokio::time::timeout;

use crate::{
    args::{Common, Network, Withdraw},
    console::Console,
    event::Event,
    failure::Failure,
    home, limits,
    outcome::Exit,
    plain, report, stdin,
};

/// Runs the command.
pub(crate) async fn run(
    withdraw: &Withdraw,
    common: &Common,
    console: &Console,
) -> Result<Exit, Failure> {
    let network = Network { listen: None, only: Vec::new() };
    let home =
        home::open(common, home::Opens::Existing, &network, None).await.map_err(explained)?;
    let (workspace, request) = find(&home, withdraw.id.as_deref()).await?;
    let requests = with_its_turn(&workspace, request).await?;
    if !withdraw.all
        && let [_named, others @ ..] = &requests[..]
        && !others.is_empty()
        && !may_end(others, console).await?
    {
        home.close().await;
        let message = "nothing is withdrawn: it would end the others too; --all does that";
        return Err(Failure::new("several-end", message));
    }
    let host = home.host(workspace.id()).await?;
    host.turn(requests[0].turn.clone()).cancel().await?;
    let how = TurnEnd::Cancelled;
    let event = |request: &RequestView| Event::Ended { request: request.id.to_string(), how };
    let events: Vec<_> = requests.iter().map(event).collect();
    let line = |request: &RequestView| {
        format!("request {}: {}", plain::name(request.id.as_str()), report::ended_in_words(how))
    };
    let lines: Vec<_> = requests.iter().map(line).collect();
    console.answer(&events, &lines);
    // The asker is told here. No `ask` has to say it again, unless the output could not be written.
    if console.whole().is_ok() {
        for request in &requests {
            host.handed_over(request.opening).await?;
        }
    }
    hand_over(&home, &host, console).await?;
    home.close().await;
    Ok(Exit::Done)
}

/// Returns the request, and the open requests of its turn, which end with it.
async fn with_its_turn(
    workspace: &Workspace,
    request: RequestView,
) -> Result<Vec<RequestView>, Failure> {
    let mut requests = workspace.view().await?.requests;
    requests.retain(|other| {
        is_open(other) && other.turn == request.turn && other.opening != request.opening
    });
    requests.insert(0, request);
    Ok(requests)
}

/// Asks on a terminal if these may end too. Elsewhere there is nobody to ask, and they may not.
async fn may_end(others: &[RequestView], console: &Console) -> Result<bool, Failure> {
    let ids: Vec<_> = others.iter().map(|other| plain::name(other.id.as_str())).collect();
    console.say(&format!("its turn is theirs too, and these end with it: {}", ids.join(", ")));
    if !io::stdin().is_terminal() || console.is_json() {
        return Ok(false);
    }
    console.say("withdraw them all? y or n");
    let line = stdin::lines().recv().await.unwrap_or_default();
    Ok(line.trim_ascii() == b"y")
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

/// Tells members that are linked. Others hear of it later, from those or from the next `ask`.
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
