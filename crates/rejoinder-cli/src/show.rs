//! `show`: what a home holds.

use rejoinder::{Workspace, WorkspaceView};

use crate::{
    args::Common, console::Console, event::Event, failure::Failure, home, outcome::Exit, report,
    shown, view::HomeView,
};

/// Runs it.
pub async fn run(common: &Common, console: &Console) -> Result<Exit, Failure> {
    let home = home::open_copy(common).await?;
    let mut workspaces = Vec::new();
    for workspace in home.workspaces().await? {
        workspaces.push(shown::workspace(&whole(&workspace).await?));
    }
    let view = HomeView {
        directory: home::directory(common)?.display().to_string(),
        device: home.me().to_string(),
        workspaces,
    };
    let events: Vec<Event> = view.workspaces.iter().flat_map(|one| one.events()).collect();
    console.answer(&events, &report::home(&view));
    home.close().await;
    Ok(Exit::Done)
}

/// A workspace with every answer: those too that came too late for a decision, which are known
/// only once the request's document was read.
async fn whole(workspace: &Workspace) -> Result<WorkspaceView, Failure> {
    let mut view = workspace.view().await?;
    for request in &mut view.requests {
        if let Some(handle) = workspace.request_opened(request.opening).await? {
            *request = handle.read().await?;
        }
    }
    Ok(view)
}
