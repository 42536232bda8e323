//! Commands on stdin. Each is answered by one line, in order.

use std::time::Duration;

use rejoinder::{ChatInputResponseKind, Closed, NotDone, PeerId, QuestionId, Request, Value};
use tokio::{task::yield_now, time::timeout};

use super::{
    Joined,
    follow::Following,
    pick::{NotPicked, Pick},
};
use crate::{
    event::Reply,
    failure::Failure,
    limits,
    line::{Line, RawValue, Until},
    outcome::Exit,
    stdin, view,
};

/// Runs commands until the end of stdin, `quit`, or with `--once` the first decision.
pub(super) async fn run(joined: &Joined<'_>, following: &Following) -> Result<Exit, Failure> {
    let mut lines = stdin::lines();
    let pick = Pick::new(&joined.workspace);
    let mut commands = Commands { joined, following, pick, refused: false };
    let mut number = 0;
    loop {
        let line = tokio::select! {
            biased;
            // A line that was read already is obeyed, even if the decision is there too.
            line = lines.recv() => line,
            () = following.settled(), if joined.join.once => None,
        };
        let Some(line) = line else { break };
        number += 1;
        if commands.obey(number, &line).await? == Next::Quit {
            break;
        }
    }
    let_in(joined).await?;
    let refused = commands.refused || following.refused();
    Ok(if joined.join.strict && refused { Exit::Failed } else { Exit::Done })
}

const NOT_LET_IN: &str = "this device has not been let in yet";

/// Fails if this device was never let in: then it has not answered, whatever the commands were.
async fn let_in(joined: &Joined<'_>) -> Result<(), Failure> {
    if joined.workspace.view().await?.member {
        return Ok(());
    }
    let message = format!(
        "{NOT_LET_IN}, and leaves; what it asks is kept in this home, and the next `rejoinder \
         join` of the home asks again"
    );
    Err(Failure::new("not-let-in", message))
}

#[derive(Debug, PartialEq, Eq)]
enum Next {
    Line,
    Quit,
}

struct Commands<'a> {
    joined: &'a Joined<'a>,
    following: &'a Following,
    pick: Pick<'a>,
    refused: bool,
}

/// The reason why a command was not done.
struct No {
    error: String,
    message: Option<String>,
    questions: Vec<String>,
}

impl Commands<'_> {
    async fn obey(&mut self, number: u64, line: &[u8]) -> Result<Next, Failure> {
        let line = match Line::from_bytes(line) {
            Ok(None) => return Ok(Next::Line),
            Ok(Some(line)) => line,
            Err(error) => {
                let reply = Reply::refused(number, &error.command, error.problem.code());
                self.reply(reply.because(error.problem));
                return Ok(Next::Line);
            }
        };
        let command = line.command();
        let mut reply = Reply::done(number, command, line.subject());
        match self.done(&line, &mut reply).await {
            Ok(()) => {}
            Err(No { error, message, questions }) => {
                reply = Reply { message, ..Reply::refused(number, command, &error) };
                reply = reply.about(questions);
            }
        }
        self.reply(reply);
        self.joined.console.release();
        Ok(if line == Line::Quit { Next::Quit } else { Next::Line })
    }

    fn reply(&mut self, reply: Reply) {
        self.refused |= !reply.ok;
        self.joined.console.reply(reply);
    }

    async fn done(&mut self, line: &Line, reply: &mut Reply) -> Result<(), No> {
        match line {
            Line::Show => {
                let view = self.pick.for_show().await?;
                self.joined.console.show(&view);
            }
            Line::Use { request } => self.pick.choose(request).await?,
            Line::Quit => {}
            Line::Draft { question, value } => {
                let request = self.pick.for_answer().await?;
                let value = meant(&request, question, value).await?;
                self.saved(request.draft(question.as_str(), value)).await?;
            }
            Line::Submit { question, value: Some(value) } => {
                let request = self.pick.for_answer().await?;
                let value = meant(&request, question, value).await?;
                self.saved(request.submit(question.as_str(), value)).await?;
            }
            Line::Submit { question, value: None } => {
                let request = self.pick.for_answer().await?;
                self.saved(request.submit_draft(question.as_str())).await?;
            }
            Line::Skip { question } => {
                let request = self.pick.for_answer().await?;
                self.saved(request.skip(question.as_str())).await?;
            }
            Line::Clear { question } => {
                let request = self.pick.for_answer().await?;
                self.saved(request.clear(question.as_str())).await?;
            }
            Line::Take { question, peer } => {
                let request = self.pick.for_answer().await?;
                let peer = self.peer(peer).await?;
                self.saved(request.take(question.as_str(), peer)).await?;
            }
            Line::Accept => self.complete(ChatInputResponseKind::Accept, reply).await?,
            Line::Decline => self.complete(ChatInputResponseKind::Decline, reply).await?,
            Line::Cancel => self.complete(ChatInputResponseKind::Cancel, reply).await?,
            Line::Offline => self.joined.home.offline().await?,
            Line::Online => self.joined.home.online().await?,
            Line::Wait { until, within } => self.wait(*until, *within).await?,
        }
        Ok(())
    }

    /// Returns the result of a write, or the error of a disk that refuses it. The engine keeps
    /// trying; the command does not wait for the disk.
    async fn saved<T>(&self, write: impl Future<Output = Result<T, NotDone>>) -> Result<T, No> {
        tokio::select! {
            biased;
            written = write => Ok(written?),
            why = self.following.disk_fails() => {
                let message = format!(
                    "the disk refuses writes ({why}); this stands, and is saved when it takes them \
                     again"
                );
                Err(No::because("unsaved", message))
            }
        }
    }

    async fn complete(
        &mut self,
        response: ChatInputResponseKind,
        reply: &mut Reply,
    ) -> Result<(), No> {
        let request = self.pick.for_completion(self.following.last_settled()).await?;
        // Its fate is printed after the reply, which names the proposal.
        self.joined.console.hold();
        let proposal = self.saved(request.complete(response, Default::default())).await?;
        reply.proposal = Some(proposal.id().to_string());
        Ok(())
    }

    async fn wait(&mut self, until: Until, within: Duration) -> Result<(), No> {
        let waited = match until {
            Until::Open => self.pick.open(within).await,
            Until::Decided => self.pick.decided(within).await,
            Until::Synced => {
                match timeout(within.max(limits::LOOK), self.joined.workspace.synced()).await {
                    Ok(synced) => synced.map_err(NotPicked::from),
                    Err(_) => Err(NotPicked::NoRequest),
                }
            }
        };
        let timeout = format!("not {} after {} s", until.word(), within.as_secs_f64());
        match waited {
            Ok(()) => {
                // The state's events were sent before it was seen; this has them printed before the
                // reply.
                yield_now().await;
                Ok(())
            }
            Err(NotPicked::NoRequest) => Err(No::because("timeout", timeout)),
            Err(NotPicked::NotLetIn) => {
                Err(No::because("timeout", format!("{timeout}: {NOT_LET_IN}")))
            }
            Err(why @ (NotPicked::Several(_) | NotPicked::Closed(_))) => Err(why.into()),
        }
    }

    /// Returns a member named by its id, the start of its id, or its name.
    async fn peer(&self, given: &str) -> Result<PeerId, No> {
        let members = self.joined.workspace.members().await?;
        let by_id = |given: &str| {
            let id = |member: &rejoinder::MemberView| member.device.to_string();
            members.iter().filter(move |member| id(member).starts_with(given)).collect::<Vec<_>>()
        };
        let mut found: Vec<_> = members.iter().filter(|member| member.name == given).collect();
        if found.is_empty() && !given.is_empty() {
            found = by_id(given);
        }
        match found.as_slice() {
            [one] => Ok(one.device),
            [] => Err(No::because("no-such-peer", format!("no member is called {given}"))),
            [..] => Err(No::because("several-peers", format!("{given} can be several members"))),
        }
    }
}

/// Returns the meaning of a value for its question.
async fn meant(request: &Request, question: &str, value: &RawValue) -> Result<Value, No> {
    let view = request.view().await?;
    let Some(asked) = view::question(&view, question) else {
        let message = format!("the request has no question {question:?}");
        let about = No::because("no-such-question", message);
        return Err(No { questions: vec![question.to_owned()], ..about });
    };
    match value.for_question(asked) {
        Ok(value) => Ok(Value::Ahp(value)),
        Err(error) => Err(No {
            questions: vec![question.to_owned()],
            ..No::because(error.code(), error.to_string())
        }),
    }
}

impl No {
    fn because(error: &str, message: String) -> Self {
        Self { error: error.to_owned(), message: Some(message), questions: Vec::new() }
    }
}

impl From<NotPicked> for No {
    fn from(why: NotPicked) -> Self {
        match why {
            NotPicked::NoRequest => {
                Self { error: "no-request".to_owned(), message: None, questions: Vec::new() }
            }
            NotPicked::NotLetIn => Self::because("no-request", NOT_LET_IN.to_owned()),
            NotPicked::Several(ids) => {
                let message = format!("say which one by `use`: {}", ids.join(", "));
                Self::because("several-open", message)
            }
            NotPicked::Closed(closed) => closed.into(),
        }
    }
}

impl From<Closed> for No {
    fn from(closed: Closed) -> Self {
        NotDone::from(closed).into()
    }
}

impl From<NotDone> for No {
    fn from(why: NotDone) -> Self {
        let questions = questions(&why);
        // The questions say it all.
        let message = questions.is_empty().then(|| why.to_string());
        Self { error: why.code().to_owned(), message, questions }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only the host's reasons list questions")]
fn questions(why: &NotDone) -> Vec<String> {
    match why {
        NotDone::Refused(rejoinder::Refused::Host(refusal)) => {
            refusal.questions().iter().map(QuestionId::to_string).collect()
        }
        _ => Vec::new(),
    }
}
