//! Elicitations that a server of 2025-11-25 asks as tasks: it is told at once that there is one,
//! looks how it stands, and fetches the result when it likes.

use rejoinder_identity::Timestamp;

use super::{Effect, ElicitationKey, Proxy, Withdrawn, open::INVALID_PARAMS, server::RELATED_TASK};
use crate::{
    limits,
    members::Members,
    message::{Id, error, quoted, response},
};

/// How often a server should look, in milliseconds: people are not faster.
const POLL_MS: u32 = 1_000;

/// An elicitation as a task.
#[derive(Debug)]
pub(super) struct Task {
    key: ElicitationKey,
    state: TaskState,
    created: Timestamp,
    updated: Timestamp,
    /// As the server gave it, as JSON.
    ttl: String,
    /// Requests for the result that wait for it.
    waiting: Vec<Id>,
}

#[derive(Debug, Clone, PartialEq)]
enum TaskState {
    InputRequired,
    /// The result as JSON.
    Completed(String),
    Failed(i32, String),
    Cancelled,
}

impl TaskState {
    fn word(&self) -> &'static str {
        match self {
            Self::InputRequired => "input_required",
            Self::Completed(_) => "completed",
            Self::Failed(..) => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    fn is_over(&self) -> bool {
        *self != Self::InputRequired
    }
}

impl Task {
    fn json(&self, id: &str) -> String {
        let (created, updated) = (self.created.to_rfc3339(), self.updated.to_rfc3339());
        let (status, ttl) = (self.state.word(), &self.ttl);
        format!(
            r#"{{"taskId":{},"status":"{status}","createdAt":"{created}","lastUpdatedAt":"{updated}","ttl":{ttl},"pollInterval":{POLL_MS}}}"#,
            quoted(id)
        )
    }

    fn result(&self, task: &str, id: &Id) -> String {
        match &self.state {
            TaskState::Completed(result) => {
                let mut result = Members::read(result).unwrap_or_default();
                let meta = format!(r#"{{"{RELATED_TASK}":{{"taskId":{}}}}}"#, quoted(task));
                result.set("_meta", meta);
                response(id, &result.json())
            }
            TaskState::Failed(code, words) => error(id, *code, words),
            TaskState::Cancelled | TaskState::InputRequired => {
                error(id, INVALID_PARAMS, "the task was cancelled")
            }
        }
    }
}

impl Proxy {
    /// Makes a task of an elicitation. Returns its id, and what the server hears.
    pub(super) fn create_task(
        &mut self,
        key: ElicitationKey,
        request: &Id,
        params: &Members<'_>,
        now: Timestamp,
    ) -> (String, Effect) {
        self.forget_a_task();
        let id = format!("rejoinder-{}", self.next());
        let ttl = params.get("ttl").unwrap_or("null").to_owned();
        let state = TaskState::InputRequired;
        let task = Task { key, state, created: now, updated: now, ttl, waiting: Vec::new() };
        let created = response(request, &format!(r#"{{"task":{}}}"#, task.json(&id)));
        self.tasks.insert(id.clone(), task);
        (id, Effect::ToServer(created))
    }

    /// Those that are over are kept for a server that asks again, but not all of them.
    fn forget_a_task(&mut self) {
        if self.tasks.len() >= limits::TASKS {
            let over = self.tasks.iter().filter(|(_, task)| task.state.is_over());
            let oldest = over.min_by_key(|(_, task)| task.key).map(|(id, _)| id.clone());
            oldest.and_then(|id| self.tasks.remove(&id));
        }
    }

    pub(super) fn finish_task(
        &mut self,
        id: &str,
        result: Result<&str, (i32, &str)>,
        now: Timestamp,
    ) -> Vec<Effect> {
        self.end_task(
            id,
            now,
            match result {
                Ok(result) => TaskState::Completed(result.to_owned()),
                Err((code, words)) => TaskState::Failed(code, words.to_owned()),
            },
        )
    }

    fn end_task(&mut self, id: &str, now: Timestamp, state: TaskState) -> Vec<Effect> {
        let Some(task) = self.tasks.get_mut(id) else { return Vec::new() };
        (task.state, task.updated) = (state, now);
        let waiting = std::mem::take(&mut task.waiting);
        waiting.iter().map(|request| Effect::ToServer(task.result(id, request))).collect()
    }

    /// A request of the server about a task, if it is one of these.
    pub(super) fn task_request(
        &mut self,
        request: &Id,
        method: &str,
        params: &str,
        now: Timestamp,
    ) -> Option<Vec<Effect>> {
        if method == "tasks/list" && !self.client_keeps_tasks {
            let tasks = self.tasks.iter().map(|(id, task)| task.json(id));
            let tasks = tasks.collect::<Vec<_>>().join(",");
            return Some(vec![Effect::ToServer(response(
                request,
                &format!(r#"{{"tasks":[{tasks}]}}"#),
            ))]);
        }
        let id = Members::read(params)?.text("taskId")?;
        let task = self.tasks.get_mut(&id)?;
        match method {
            "tasks/get" => Some(vec![Effect::ToServer(response(request, &task.json(&id)))]),
            "tasks/result" if task.state.is_over() => {
                Some(vec![Effect::ToServer(task.result(&id, request))])
            }
            "tasks/result" => {
                task.waiting.push(request.clone());
                Some(Vec::new())
            }
            "tasks/cancel" => Some(self.cancel_task(&id, request, now)),
            _ => None,
        }
    }

    fn cancel_task(&mut self, id: &str, request: &Id, now: Timestamp) -> Vec<Effect> {
        let Some(task) = self.tasks.get(id) else { return Vec::new() };
        if task.state.is_over() {
            let words = format!("the task is {} already", task.state.word());
            return vec![Effect::ToServer(error(request, INVALID_PARAMS, &words))];
        }
        let key = task.key;
        self.open.remove(&key);
        let mut effects = vec![Effect::Withdraw(key, Withdrawn::Cancelled { reason: None })];
        effects.extend(self.end_task(id, now, TaskState::Cancelled));
        if let Some(task) = self.tasks.get(id) {
            effects.push(Effect::ToServer(response(request, &task.json(id))));
        }
        effects
    }
}
