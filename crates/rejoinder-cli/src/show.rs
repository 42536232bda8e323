//! `show`: print the contents of a home.

use rejoinder::{Workspace, WorkspaceView};

use crate::{
    args::Common, console::Console, event::Event, failure::Failure, home, outcome::Exit, report,
    shown,
};

/// Runs the command.
pub(crate) async fn run(common: &Common, console: &Console) -> Result<Exit, Failure> {
    let home = home::open_copy(common).await?;
    let mut workspaces = Vec::new();
    for workspace in home.workspaces().await? {
        workspaces.push(whole(&workspace).await?);
    }
    let directory = home::directory(common)?.display().to_string();
    let events: Vec<Event> = workspaces.iter().flat_map(shown::events).collect();
    console.answer(&events, &report::home(&directory, home.me(), &workspaces));
    home.close().await;
    Ok(Exit::Done)
}

/// Returns a workspace with every answer, including those too late for a decision, which are known
/// only once the request's document has been read.
async fn whole(workspace: &Workspace) -> Result<WorkspaceView, Failure> {
    let mut view = workspace.view().await?;
    for request in &mut view.requests {
        if let Some(handle) = workspace.request_opened(request.opening).await? {
            *request = handle.read().await?;
        }
    }
    Ok(view)
}
