//! Edits of this device's person.

use ahp_types::state::ChatInputAnswer;
use rejoinder_answers::{Admitted, Edit, EditRefused, Version};
use rejoinder_identity::{DocumentId, OpeningId, PeerId, QuestionId, Role, WorkspaceId};

use crate::{
    command::Command,
    core::{After, Core, Stored},
    documents::{Kept, Waiting, Warm},
    event::Event,
    input::CommandId,
    output::Reply,
    refused::Refused,
    store::Batch,
    workspace::Workspace,
};

/// The state of a command: done, or waiting for its document.
pub(crate) enum Done {
    /// Done; its reply follows.
    Yes,
    /// Its document must be read first: here is the command again.
    Later(Command, DocumentId),
}

impl Workspace {
    pub(super) fn edit(
        &mut self,
        core: &mut Core,
        id: CommandId,
        opening: OpeningId,
        edit: Edit,
    ) -> Result<Done, Refused> {
        let document = self.may_edit(core, &opening)?;
        if self.warm(&document).is_none() {
            let workspace = self.id;
            return Ok(Done::Later(Command::Edit { workspace, opening, edit }, document));
        }
        self.write(core, document, &edit, None, Some(id))?;
        Ok(Done::Yes)
    }

    /// An edit of somebody who saw the request open. That it has ended meanwhile they did not see:
    /// what they wrote is kept all the same.
    pub(super) fn edit_on(
        &mut self,
        core: &mut Core,
        id: CommandId,
        opening: OpeningId,
        edit: Box<Edit>,
        seen: Version,
    ) -> Result<Done, Refused> {
        self.may(&core.me, Role::Answerer)?;
        core.may_write()?;
        let document = self.request(&opening)?.document();
        if self.warm(&document).is_none() {
            let workspace = self.id;
            let command = Command::EditOn { workspace, opening, edit, seen };
            return Ok(Done::Later(command, document));
        }
        self.write(core, document, &edit, Some(&seen), Some(id))?;
        Ok(Done::Yes)
    }

    pub(super) fn take(
        &mut self,
        core: &mut Core,
        id: CommandId,
        opening: OpeningId,
        question: QuestionId,
        from: PeerId,
    ) -> Result<Done, Refused> {
        let document = self.may_edit(core, &opening)?;
        let Some(warm) = self.warm(&document) else {
            let workspace = self.id;
            let command = Command::Take { workspace, opening, question, from };
            return Ok(Done::Later(command, document));
        };
        let edit =
            taken(warm, &question, &from).ok_or(Refused::NothingToTake { question, from })?;
        self.write(core, document, &edit, None, Some(id))?;
        Ok(Done::Yes)
    }

    pub(super) fn read(
        &self,
        core: &mut Core,
        id: CommandId,
        workspace: WorkspaceId,
        opening: OpeningId,
    ) -> Result<Done, Refused> {
        let document = self.request(&opening)?.document();
        if self.warm(&document).is_none() {
            return Ok(Done::Later(Command::Read { workspace, opening }, document));
        }
        core.reply(id, Ok(Reply::Read));
        Ok(Done::Yes)
    }

    fn may_edit(&self, core: &Core, opening: &OpeningId) -> Result<DocumentId, Refused> {
        self.may(&core.me, Role::Answerer)?;
        core.may_write()?;
        Ok(self.open_request(opening)?.document())
    }

    /// Checks that a device's role allows what at least `least` may do.
    pub(super) fn may(&self, device: &PeerId, least: Role) -> Result<(), Refused> {
        let role = self.member(device).ok_or(Refused::NotMember)?.role;
        if role >= least { Ok(()) } else { Err(Refused::Role(role)) }
    }

    /// Writes in a document that is in memory: sent at once and stored at once; the reply waits
    /// for the disk.
    pub(super) fn write(
        &mut self,
        core: &mut Core,
        document: DocumentId,
        edit: &Edit,
        seen: Option<&Version>,
        command: Option<CommandId>,
    ) -> Result<(), Refused> {
        let mut batch = Batch::default();
        let what = (edit, seen);
        let kept =
            match self.documents.edit(document, (&core.key, &core.writer()), what, &mut batch) {
                // This incarnation has made all changes there that one may, or all but a few.
                Err(EditRefused::TooManyChanges(_)) => {
                    core.begin_incarnation();
                    self.documents.edit(document, (&core.key, &core.writer()), what, &mut batch)
                }
                kept => kept,
            };
        let kept = kept.map_err(Refused::Edit)?;
        core.work.changes += kept.len() as u64;
        let count = kept.len();
        for one in &kept {
            tracing::debug!(%document, seq = one.admitted.seq, "own edit");
            self.pass_on(core, one, None);
        }
        match kept.last() {
            Some(Kept { admitted: Admitted { actor, seq, .. }, .. }) => {
                let (actor, seq) = (*actor, *seq);
                if rejoinder_identity::mutant!("mutant-acknowledged-before-the-disk")
                    && let Some(command) = command
                {
                    core.reply(command, Ok(Reply::Saved));
                }
                let stored = Stored::Envelopes { document, actor, seq, count, command };
                core.store(batch, After::In(self.id, stored));
            }
            // Nothing to write: what is there says it already.
            None => {
                if let Some(command) = command {
                    core.reply(command, Ok(Reply::Saved));
                }
            }
        }
        Ok(())
    }

    /// Lets a command wait for its document.
    pub(super) fn later(
        &mut self,
        core: &mut Core,
        id: CommandId,
        command: Command,
        document: DocumentId,
    ) {
        match self.documents.wait(&document, Waiting::Command(id, Box::new(command))) {
            None => core.reply(id, Err(Refused::NoRequest)),
            Some(true) => core.load(self.id, document),
            Some(false) => {}
        }
    }

    /// Writes the answers with which the host raised a request again: its own edits, as anybody's.
    pub(super) fn write_answers(
        &mut self,
        core: &mut Core,
        opening: &OpeningId,
        answers: Vec<(QuestionId, ChatInputAnswer)>,
    ) {
        let Ok(request) = self.open_request(opening) else { return };
        let document = request.document();
        if self.warm(&document).is_none() {
            return;
        }
        for (question, answer) in answers {
            let edit = as_edit(question, answer);
            if let Err(refused) = self.write(core, document, &edit, None, None) {
                core.tell(Event::NotAdmitted { from: core.me, why: refused.to_string() });
            }
        }
    }
}

/// Another's answer as an edit of one's own.
fn taken(warm: &Warm, question: &QuestionId, from: &PeerId) -> Option<Edit> {
    let projection = warm.document().projection(warm.form());
    let conflicts = projection.conflicts.get(question).into_iter().flatten();
    let in_conflict = conflicts.map(|conflict| (&conflict.authors, &conflict.answer));
    let answers = projection.answers.get(question).into_iter();
    let mut all = in_conflict.chain(answers.map(|answer| (&answer.authors, &answer.answer)));
    let (_, answer) = all.find(|(authors, _)| authors.contains(from))?;
    Some(match answer {
        ChatInputAnswer::Draft(answered) | ChatInputAnswer::Submitted(answered) => {
            Edit::Submit { question: question.clone(), value: Some(answered.value.clone()) }
        }
        ChatInputAnswer::Skipped(skipped) => {
            let freeform = skipped.freeform_values.clone().unwrap_or_default();
            Edit::Skip { question: question.clone(), freeform }
        }
    })
}

/// An answer that a host gives with a request, as an edit.
pub(crate) fn as_edit(question: QuestionId, answer: ChatInputAnswer) -> Edit {
    match answer {
        ChatInputAnswer::Draft(answered) => Edit::Draft { question, value: answered.value },
        ChatInputAnswer::Submitted(answered) => {
            Edit::Submit { question, value: Some(answered.value) }
        }
        ChatInputAnswer::Skipped(skipped) => {
            Edit::Skip { question, freeform: skipped.freeform_values.unwrap_or_default() }
        }
    }
}
