//! What a client says that it can do: with a proxy before the server it can elicit.

use crate::members::Members;

/// The member of `_meta` in which a client of 2026-07-28 says with each request what it can do.
const IN_META: &str = "io.modelcontextprotocol/clientCapabilities";

/// The kinds of elicitations that somebody can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Modes {
    pub(super) form: bool,
    pub(super) url: bool,
}

impl Modes {
    /// Those of a client's capabilities. `{}` is form only, as 2025-06-18 has it.
    fn of(capabilities: &Members<'_>) -> Self {
        let Some(elicitation) = capabilities.get("elicitation").and_then(Members::read) else {
            return Self::default();
        };
        let url = elicitation.get("url").is_some();
        Self { form: elicitation.get("form").is_some() || !url, url }
    }
}

/// The parameters of `initialize` as the server gets them, and what the client itself can do.
pub(super) struct Initialize {
    pub(super) params: String,
    pub(super) modes: Modes,
    pub(super) keeps_tasks: bool,
}

impl Initialize {
    pub(super) fn read(params: &str) -> Option<Self> {
        let mut params = Members::read(params)?;
        let own = params.object("capabilities");
        let (modes, keeps_tasks) = (Modes::of(&own), own.get("tasks").is_some());
        let capabilities = with_tasks(with_elicitation(own.clone())).json();
        drop(own);
        params.set("capabilities", capabilities);
        Some(Self { params: params.json(), modes, keeps_tasks })
    }
}

/// The parameters of any request as the server gets them, if they say what the client can do.
pub(super) fn in_meta(params: &str) -> Option<String> {
    let mut params = Members::read(params)?;
    let mut meta = Members::read(params.get("_meta")?)?;
    let capabilities = with_elicitation(Members::read(meta.get(IN_META)?)?).json();
    meta.set(IN_META, capabilities);
    let meta = meta.json();
    params.set("_meta", meta);
    Some(params.json())
}

fn with_elicitation(mut capabilities: Members<'_>) -> Members<'_> {
    let mut elicitation = capabilities.object("elicitation");
    for mode in ["form", "url"] {
        if elicitation.get(mode).is_none() {
            elicitation.set(mode, "{}".to_owned());
        }
    }
    let elicitation = elicitation.json();
    capabilities.set("elicitation", elicitation);
    capabilities
}

/// A server of 2025-11-25 may ask as a task, which it polls.
fn with_tasks(mut capabilities: Members<'_>) -> Members<'_> {
    let mut tasks = capabilities.object("tasks");
    for word in ["list", "cancel"] {
        if tasks.get(word).is_none() {
            tasks.set(word, "{}".to_owned());
        }
    }
    let mut requests = tasks.object("requests");
    let mut elicitation = requests.object("elicitation");
    if elicitation.get("create").is_none() {
        elicitation.set("create", "{}".to_owned());
    }
    let elicitation = elicitation.json();
    requests.set("elicitation", elicitation);
    let requests = requests.json();
    tasks.set("requests", requests);
    let tasks = tasks.json();
    capabilities.set("tasks", tasks);
    capabilities
}
