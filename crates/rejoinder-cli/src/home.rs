//! Opens the home named on the command line, and finds the workspace in it.

use std::path::PathBuf;

use etcetera::{AppStrategy, AppStrategyArgs, choose_app_strategy};
use rejoinder::{Home, NotDone, PeerId, Workspace, WorkspaceView, environment::Directory};

use crate::{
    args::{Common, Network},
    failure::Failure,
    plain,
};

/// Returns the home's directory.
pub(crate) fn directory(common: &Common) -> Result<PathBuf, Failure> {
    if let Some(home) = &common.home {
        return Ok(home.clone());
    }
    let names = AppStrategyArgs {
        top_level_domain: "dev".to_owned(),
        author: "rejoinder".to_owned(),
        app_name: "rejoinder".to_owned(),
    };
    let strategy = choose_app_strategy(names).map_err(|error| {
        Failure::new("home", format!("no directory for this device ({error}); name one by --home"))
    })?;
    Ok(strategy.data_dir())
}

/// The homes that a command may open to ask or to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opens {
    /// One that exists.
    Existing,
    /// One that exists, or else a new one.
    First,
    /// As [`First`](Self::First); a key or a store that was lost is made again.
    New,
}

impl Opens {
    /// Translates `--new`, for a command that may make a home.
    pub(crate) fn making(new: bool) -> Self {
        if new { Self::New } else { Self::First }
    }
}

/// Opens the home to ask or to answer.
pub(crate) async fn open(
    common: &Common,
    opens: Opens,
    network: &Network,
    name: Option<&str>,
) -> Result<Home, Failure> {
    let mut options = Home::options();
    if let Some(address) = network.listen {
        options = options.listen(address);
    }
    if !network.only.is_empty() {
        options = options.only(peers(&network.only)?);
    }
    let place = Directory::new(directory(common)?);
    let place = match opens {
        Opens::Existing => place.existing(),
        Opens::First => place,
        Opens::New => place.anew(),
    };
    let home = options.open_at(place).await?;
    match name {
        Some(name) => home.rename(name).await.map_err(|why| unnamed(&why))?,
        None => name_first(&home).await?,
    }
    Ok(home)
}

fn unnamed(why: &NotDone) -> Failure {
    Failure::unreadable(why.code(), format!("--name: {why}"))
}

/// Names a device in no workspace yet after its user.
async fn name_first(home: &Home) -> Result<(), Failure> {
    if let Some(user) = user()
        && home.workspaces().await?.is_empty()
        && let Err(why) = home.rename(user).await
    {
        // People then know the device by its key.
        tracing::info!(%why, "the login name can't be this device's name");
    }
    Ok(())
}

/// Opens a copy of the home, to look at what is on the disk: another process may have the home
/// open.
pub(crate) async fn open_copy(common: &Common) -> Result<Home, Failure> {
    Ok(Home::options().open_copy(directory(common)?).await?)
}

/// Returns the home's device.
pub(crate) fn device(common: &Common) -> Result<PeerId, Failure> {
    Ok(Directory::new(directory(common)?).device()?)
}

fn peers(given: &[String]) -> Result<Vec<PeerId>, Failure> {
    let peer = |text: &String| {
        text.parse().map_err(|error| {
            Failure::unreadable("peer", format!("--only {}: {error}", plain::line(text)))
        })
    };
    given.iter().map(peer).collect()
}

fn user() -> Option<String> {
    let user = std::env::var("USER").or_else(|_| std::env::var("USERNAME")).ok()?;
    Some(user).filter(|user| !user.trim().is_empty())
}

/// Returns the workspace with that name or, if there is none, with that id or start of an id;
/// without a name, the only one there is. Only workspaces accepted by `which` count.
pub(crate) async fn workspace(
    home: &Home,
    named: Option<&str>,
    which: impl Fn(&WorkspaceView) -> bool,
) -> Result<Option<Workspace>, Failure> {
    let mut all = Vec::new();
    for workspace in home.workspaces().await? {
        let view = workspace.view().await?;
        if which(&view) {
            all.push((view.title, workspace.id().to_string(), workspace));
        }
    }
    let called = |found: &dyn Fn(&str, &str) -> bool| {
        let found = all.iter().filter(|(title, id, _)| found(title, id));
        found.cloned().collect::<Vec<_>>()
    };
    let mut found = match named {
        None => called(&|_, _| true),
        Some(name) => match called(&|title, _| title == name) {
            none if none.is_empty() => called(&|_, id| is_start(name, id)),
            found => found,
        },
    };
    if found.len() > 1 {
        let found = found.iter().map(|(title, id, _)| {
            format!("{} {}", plain::name(title), id.get(..SHOWN).unwrap_or(id))
        });
        let message = format!(
            "several workspaces are meant ({}); choose one by --workspace and its name or the \
             start of its id",
            found.collect::<Vec<_>>().join(", ")
        );
        return Err(Failure::new("several-workspaces", message));
    }
    Ok(found.pop().map(|(_, _, workspace)| workspace))
}

/// The number of characters of a workspace's id that are shown beside its name.
const SHOWN: usize = 8;
/// The fewest characters that can be the start of an id. A shorter word is always a name:
/// `ask --workspace main` makes a workspace of that name, whatever ids there are.
const START: usize = 6;

fn is_start(word: &str, id: &str) -> bool {
    word.len() >= START && id.starts_with(word)
}
