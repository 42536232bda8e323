//! The form, drawn as rows.

use ahp_types::state::{ChatInputAnswer, ChatInputQuestion};

use rejoinder::{RequestStatus, RequestView};

use super::{
    Focus, Frame, Prompt, Row, Tone,
    choice::{Choice, Kind},
    field::Field,
};
use crate::{
    limits,
    names::Names,
    plain, report,
    view::{self, Held},
};

/// Rows under construction, and the row that must stay in sight.
struct Page {
    columns: usize,
    rows: Vec<Row>,
    focus: usize,
    cursor: Option<(usize, usize)>,
}

pub(super) fn frame(prompt: &Prompt) -> Frame {
    let columns = prompt.columns.max(limits::COLUMNS_MIN);
    let mut page = Page { columns, rows: Vec::new(), focus: 0, cursor: None };
    let mut foot = Page { columns, rows: Vec::new(), focus: 0, cursor: None };
    match &prompt.request {
        None => page.wrap(Tone::Faint, "no request is open; waiting for the next"),
        Some(request) => {
            page.head(request);
            match &prompt.focus {
                Focus::Question(id) => page.question(prompt, request, id),
                Focus::Overview(at) => page.overview(prompt, request, *at),
            }
        }
    }
    foot.foot(prompt);
    page.fit(foot, prompt.rows, prompt.scroll)
}

/// Returns an answer and its authors, in words. Until the decision a submitted answer is called
/// ready: only the decision submits it.
pub(super) fn held(request: &RequestView, question: &str, held: Held<'_>, names: &Names) -> String {
    let by = names.list(held.by);
    let question = view::question(request, question);
    match held.answer {
        ChatInputAnswer::Draft(given) => {
            format!("{} (draft by {by})", view::value(question, &given.value))
        }
        ChatInputAnswer::Submitted(given) => match request.status {
            RequestStatus::Open | RequestStatus::Suspended => {
                format!("{} (ready, by {by})", view::value(question, &given.value))
            }
            RequestStatus::Decided { .. } | RequestStatus::Ended(_) => {
                format!("{} (submitted by {by})", view::value(question, &given.value))
            }
        },
        ChatInputAnswer::Skipped(_) => format!("skipped by {by}"),
    }
}

impl Page {
    fn wrap(&mut self, tone: Tone, text: &str) {
        for line in plain::wrap(text, self.columns) {
            self.rows.push(Row::new(tone, line));
        }
    }

    /// Wraps text for the foot, which must leave room for the edited field, however much others
    /// wrote.
    fn wrap_at_most(&mut self, tone: Tone, text: &str) {
        let text = plain::truncate(text, self.columns * limits::FOOT_ROWS);
        let lines = plain::wrap(&text, self.columns);
        self.rows
            .extend(lines.into_iter().take(limits::FOOT_ROWS).map(|line| Row::new(tone, line)));
    }

    /// Shortens a title, to leave room for the answer beside it.
    fn clipped(&self, title: &str) -> String {
        plain::truncate(title, self.columns / 2)
    }

    fn head(&mut self, request: &RequestView) {
        let message = request.request.message.as_deref().unwrap_or_default();
        for line in plain::lines(message) {
            if !line.is_empty() {
                self.wrap(Tone::Strong, &line);
            }
        }
        if let Some(url) = &request.request.url {
            self.wrap(Tone::Plain, &format!("to review: {}", view::url(url)));
        }
    }

    fn question(&mut self, prompt: &Prompt, request: &RequestView, id: &str) {
        let questions = view::questions(request);
        let Some(at) = questions.iter().position(|question| view::id(question) == id) else {
            return;
        };
        let question = &questions[at];
        let required = if view::is_required(question) { ", required" } else { "" };
        let title = view::title(question);
        self.wrap(Tone::Strong, &format!("[{} of {}{required}] {title}", at + 1, questions.len()));
        for line in view::message(question) {
            if line != title && !line.is_empty() {
                self.wrap(Tone::Plain, &line);
            }
        }
        self.wrap(Tone::Faint, &view::constraints(request, question));
        self.focus = self.rows.len();
        if let Some(entry) = prompt.entries.get(id) {
            self.field(&entry.field);
            self.answer(prompt, request, question, entry.unsent);
        }
    }

    fn field(&mut self, field: &Field) {
        match field {
            Field::Text(text) | Field::Number(text) => self.text("> ", text),
            Field::Choice(choice) => self.choice(choice),
            Field::Closed => {}
        }
    }

    fn text(&mut self, mark: &str, text: &super::text::TextField) {
        let indent = plain::width(mark);
        // One column stays free for the cursor after the last character.
        let layout = text.layout(self.columns.saturating_sub(indent + 1));
        self.focus = self.rows.len() + layout.row;
        self.cursor = Some((self.focus, indent + layout.column));
        for (at, row) in layout.rows.iter().enumerate() {
            let mark = if at == 0 { mark.to_owned() } else { " ".repeat(indent) };
            self.rows.push(Row::new(Tone::Plain, format!("{mark}{row}")));
        }
    }

    fn choice(&mut self, choice: &Choice) {
        for (at, (id, label)) in choice.rows.iter().enumerate() {
            let here = at == choice.at;
            let mark = mark(choice.kind, choice.chosen.contains(id));
            if here {
                self.focus = self.rows.len();
            }
            let first = self.rows.len();
            let pointer = if here { "›" } else { " " };
            let tone = if here { Tone::Strong } else { Tone::Plain };
            // A long label continues below in full: nobody should have to choose blind.
            let lines = plain::wrap(&plain::name(label), self.columns.saturating_sub(6));
            for (row, line) in lines.iter().enumerate() {
                let lead = if row == 0 { format!("{pointer} {mark} ") } else { " ".repeat(6) };
                self.rows.push(Row::new(tone, format!("{lead}{line}")));
            }
            if here {
                self.cursor = Some((first, 3));
            }
        }
        if let Some(own) = &choice.own {
            let chosen = choice.own_chosen || choice.kind == Kind::Many && !own.text().is_empty();
            let here = choice.is_on_own();
            let pointer = if here { "›" } else { " " };
            let (focus, cursor) = (self.focus, self.cursor);
            self.text(&format!("{pointer} {} other: ", mark(choice.kind, chosen)), own);
            if !here {
                (self.focus, self.cursor) = (focus, cursor);
            }
        }
    }

    /// Draws the current answer to this question, and those in conflict with it.
    fn answer(
        &mut self,
        prompt: &Prompt,
        request: &RequestView,
        question: &ChatInputQuestion,
        typing: bool,
    ) {
        let id = view::id(question);
        match view::answer(request, id) {
            _ if typing => self.wrap(Tone::Faint, "typing…"),
            None => {
                self.wrap(
                    Tone::Faint,
                    &format!("no answer yet{}", view::instead(request, question)),
                );
            }
            Some(answer) => {
                self.wrap(
                    Tone::Plain,
                    &format!("now: {}", held(request, id, answer, &prompt.names)),
                );
            }
        }
        for other in view::conflicts(request, id) {
            let other = held(request, id, other, &prompt.names);
            self.wrap(Tone::Alert, &format!("in conflict: {other}"));
        }
    }

    fn overview(&mut self, prompt: &Prompt, request: &RequestView, selected: usize) {
        let open = prompt.is_open();
        for (at, question) in view::questions(request).iter().enumerate() {
            let here = open && at == selected;
            if here {
                self.focus = self.rows.len();
            }
            let id = view::id(question);
            let star = if view::is_required(question) { "*" } else { " " };
            let answer = match view::answer(request, id) {
                None => view::no_answer(request, question),
                Some(answer) => held(request, id, answer, &prompt.names),
            };
            let conflicts = view::conflicts(request, id).len();
            let conflict = match conflicts {
                0 => String::new(),
                n => format!(", and {n} in conflict"),
            };
            let pointer = if here { "›" } else { " " };
            let title = self.clipped(&view::title(question));
            let line = format!("{pointer}{star} {title}: {answer}{conflict}");
            let tone = if conflicts > 0 { Tone::Alert } else { Tone::Plain };
            self.rows.push(Row::new(tone, plain::truncate(&line, self.columns)));
        }
        match &request.status {
            RequestStatus::Open => {}
            RequestStatus::Suspended => {
                self.wrap(Tone::Alert, "the turn failed; it may be resumed, and this goes on");
            }
            RequestStatus::Decided { response, by, .. } => {
                let by = prompt.names.show_or_you(&by.to_string());
                let line = format!("{} by {by}", report::response_in_words(*response));
                self.wrap(Tone::Strong, &line);
            }
            RequestStatus::Ended(how) => {
                self.wrap(Tone::Strong, report::ended_in_words(*how));
            }
        }
    }

    fn foot(&mut self, prompt: &Prompt) {
        let news = prompt.request.as_ref().zip(prompt.news.as_ref());
        let news = news.and_then(|(request, id)| Some((request, id, view::answer(request, id)?)));
        if let Some((request, id, answer)) = news
            && answer.by.iter().any(|peer| !prompt.names.is_me(&peer.to_string()))
        {
            let title = view::question(request, id).map(view::title).unwrap_or_default();
            let title = self.clipped(&title);
            let news = format!("{title}: {}", held(request, id, answer, &prompt.names));
            self.rows.push(Row::new(Tone::Faint, plain::truncate(&news, self.columns)));
        }
        if let Some(fate) = &prompt.fate {
            let fate = report::fate_in_words(fate, &prompt.names);
            self.wrap_at_most(Tone::Strong, &format!("your response: {fate}"));
        }
        if let Some(why) = &prompt.disk {
            let line = format!("the disk refuses writes, what you write is not saved: {why}");
            self.wrap_at_most(Tone::Alert, &line);
        }
        if !prompt.said.is_empty() {
            self.wrap_at_most(Tone::Alert, &prompt.said);
        }
        match prompt.others {
            0 => {}
            1 => self.wrap_at_most(Tone::Strong, "1 more request is open: Ctrl-N shows it"),
            n => self.wrap_at_most(
                Tone::Strong,
                &format!("{n} more requests are open: Ctrl-N shows the next"),
            ),
        }
        self.keys(keys(prompt), prompt.rows);
    }

    /// Draws the keys, the most important first, in at most a third of the terminal's rows.
    fn keys(&mut self, keys: &str, rows: usize) {
        let mut lines: Vec<String> = Vec::new();
        for key in keys.split(" · ") {
            match lines.last_mut() {
                Some(line) if plain::width(line) + 3 + plain::width(key) <= self.columns => {
                    line.push_str(" · ");
                    line.push_str(key);
                }
                Some(_) | None => lines.push(key.to_owned()),
            }
        }
        for line in lines.iter().take((rows / 3).max(1)) {
            self.rows.push(Row::new(Tone::Faint, plain::truncate(line, self.columns)));
        }
    }

    /// Fits the page into the terminal's rows with the edited field in sight. The foot is always
    /// shown, or its end if there are few rows.
    fn fit(mut self, mut foot: Self, rows: usize, scroll: isize) -> Frame {
        // The last row stays free: a terminal that scrolls would lose the first row.
        let rows = rows.saturating_sub(1).max(1);
        let keep = foot.rows.len().min((rows * 2 / 3).max(1));
        let foot = foot.rows.split_off(foot.rows.len() - keep);
        let room = rows - keep;
        let hidden = self.rows.len().saturating_sub(room);
        let wanted = self.focus.saturating_sub(room / 2).min(hidden);
        let start = wanted.saturating_add_signed(scroll).min(hidden);
        let below = hidden - start;
        self.rows.drain(..start);
        self.rows.truncate(room);
        if start > 0 && room > 2 {
            self.rows[0] = Row::new(
                Tone::Faint,
                plain::truncate(&format!("  ↑ {} more, PgUp", start + 1), self.columns),
            );
        }
        if below > 0 && room > 2 {
            let last = self.rows.len() - 1;
            self.rows[last] = Row::new(
                Tone::Faint,
                plain::truncate(&format!("  ↓ {} more, PgDn", below + 1), self.columns),
            );
        }
        let cursor = self.cursor.and_then(|(row, column)| Some((row.checked_sub(start)?, column)));
        let cursor = cursor.filter(|(row, _)| *row < self.rows.len());
        self.rows.extend(foot);
        Frame { rows: self.rows, cursor }
    }
}

fn keys(prompt: &Prompt) -> &'static str {
    match (&prompt.focus, prompt.is_open()) {
        (_, false) => "Ctrl-C leaves",
        (Focus::Overview(_), true) => {
            "a accept · d decline · c cancel · Enter edit · ↑↓ choose · Ctrl-C leave, it stays open"
        }
        (Focus::Question(id), true) => match prompt.entries.get(id).map(|entry| &entry.field) {
            Some(Field::Choice(_)) => {
                "Space choose · Enter answer · Esc all, accept · Tab next · ^S skip · ^X clear · \
                 ^T take · ^C leave"
            }
            Some(Field::Text(_) | Field::Number(_)) => {
                "Enter answer · Esc all, accept · Tab next · ^S skip · ^X clear · ^T take · \
                 ^C leave"
            }
            Some(Field::Closed) | None => "Tab next · Esc all, accept · Ctrl-C leave",
        },
    }
}

fn mark(kind: Kind, chosen: bool) -> &'static str {
    match (kind, chosen) {
        (Kind::Many, true) => "[x]",
        (Kind::Many, false) => "[ ]",
        (Kind::Boolean | Kind::Single, true) => "(•)",
        (Kind::Boolean | Kind::Single, false) => "( )",
    }
}
