//! The field in which a person edits the answer to one question, of any kind.

use ahp_types::state::{ChatInputAnswer, ChatInputAnswerValue, ChatInputQuestion};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{choice::Choice, text::TextField};
use crate::{canonical, line};

/// The editable part of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field {
    Text(TextField),
    Number(TextField),
    Choice(Choice),
    /// A question of an unknown kind.
    Closed,
}

/// The effect of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyed {
    /// The key does nothing here.
    Nothing,
    /// Only the cursor moved.
    Moved,
    /// Text changed. It becomes a draft once typing pauses.
    Typed,
    /// A choice was made. It becomes a draft at once.
    Chosen,
}

impl Field {
    pub(super) fn new(question: &ChatInputQuestion) -> Self {
        match question {
            ChatInputQuestion::Text(_) => Self::Text(TextField::default()),
            ChatInputQuestion::Number(_) | ChatInputQuestion::Integer(_) => {
                Self::Number(TextField::default())
            }
            ChatInputQuestion::Boolean(_)
            | ChatInputQuestion::SingleSelect(_)
            | ChatInputQuestion::MultiSelect(_) => {
                Choice::new(question).map_or(Self::Closed, Self::Choice)
            }
            ChatInputQuestion::Unknown(_) => Self::Closed,
        }
    }

    /// Takes over the current answer; with `typing`, the field holds text that is not in a draft
    /// yet.
    pub(super) fn follow(&mut self, answer: Option<&ChatInputAnswer>, typing: bool) {
        let value = answer.and_then(value_of);
        let theirs = text_of(answer);
        match self {
            Self::Text(field) if !typing => field.follow(&theirs),
            Self::Number(field) if !typing && field.text() != theirs => {
                *field = TextField::new(&theirs);
            }
            Self::Choice(choice) => choice.follow(value, typing),
            Self::Text(_) | Self::Number(_) | Self::Closed => {}
        }
    }

    pub(super) fn paste(&mut self, text: &str) -> Keyed {
        match self {
            Self::Text(field) => field.insert(&text.replace("\r\n", "\n").replace('\r', "\n")),
            Self::Number(field) => field.insert(text.trim()),
            Self::Choice(choice) => {
                let Some(own) = choice.own.as_mut() else { return Keyed::Nothing };
                own.insert(text);
                choice.own_typed();
            }
            Self::Closed => return Keyed::Nothing,
        }
        Keyed::Typed
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> Keyed {
        match self {
            Self::Text(field) => {
                let new_line = key.code == KeyCode::Enter
                    && key.modifiers.contains(KeyModifiers::ALT)
                    || key.code == KeyCode::Char('j') && key.modifiers == KeyModifiers::CONTROL;
                if new_line {
                    field.insert("\n");
                    return Keyed::Typed;
                }
                text_key(field, key, |_| true)
            }
            Self::Number(field) => {
                text_key(field, key, |c| c.is_ascii_digit() || "+-.eE".contains(c))
            }
            Self::Choice(choice) => choice_key(choice, key),
            Self::Closed => Keyed::Nothing,
        }
    }

    /// Returns the text typed in this field, if it takes text.
    pub(super) fn words(&self) -> Option<&str> {
        let text = match self {
            Self::Text(field) | Self::Number(field) => field.text(),
            Self::Choice(choice) => choice.own.as_ref()?.text(),
            Self::Closed => return None,
        };
        Some(text).filter(|text| !text.is_empty())
    }

    /// Returns the answer in this field: `None` if there is none, an error if what was typed is not
    /// one.
    pub(super) fn value(&self) -> Result<Option<ChatInputAnswerValue>, String> {
        match self {
            Self::Text(field) => Ok(Some(line::text(field.text().to_owned()))),
            Self::Number(field) if field.text().trim().is_empty() => Ok(None),
            Self::Number(field) => {
                let number = field.text().trim().parse::<f64>().ok().filter(|n| n.is_finite());
                number
                    .map(|number| Some(line::number(number)))
                    .ok_or_else(|| format!("{:?} is no number", field.text()))
            }
            Self::Choice(choice) => Ok(choice.value()),
            Self::Closed => Ok(None),
        }
    }
}

/// Returns the text that a text or number question shows for an answer.
pub(super) fn text_of(answer: Option<&ChatInputAnswer>) -> String {
    match answer.and_then(value_of) {
        Some(ChatInputAnswerValue::Text(text)) => text.value.clone(),
        Some(ChatInputAnswerValue::Number(number)) => canonical::number(number.value).to_string(),
        Some(
            ChatInputAnswerValue::Boolean(_)
            | ChatInputAnswerValue::Selected(_)
            | ChatInputAnswerValue::SelectedMany(_)
            | ChatInputAnswerValue::Unknown(_),
        )
        | None => String::new(),
    }
}

pub(super) fn value_of(answer: &ChatInputAnswer) -> Option<&ChatInputAnswerValue> {
    match answer {
        ChatInputAnswer::Draft(answered) | ChatInputAnswer::Submitted(answered) => {
            Some(&answered.value)
        }
        ChatInputAnswer::Skipped(_) => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "keys are many, and most mean nothing")]
fn text_key(field: &mut TextField, key: KeyEvent, takes: impl Fn(char) -> bool) -> Keyed {
    let is_plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    match key.code {
        KeyCode::Char(c) if is_plain && takes(c) => field.insert(c.encode_utf8(&mut [0; 4])),
        KeyCode::Backspace => return if field.backspace() { Keyed::Typed } else { Keyed::Moved },
        KeyCode::Delete => return if field.delete() { Keyed::Typed } else { Keyed::Moved },
        KeyCode::Left => {
            field.left();
            return Keyed::Moved;
        }
        KeyCode::Right => {
            field.right();
            return Keyed::Moved;
        }
        KeyCode::Home => {
            field.home();
            return Keyed::Moved;
        }
        KeyCode::End => {
            field.end();
            return Keyed::Moved;
        }
        _ => return Keyed::Nothing,
    }
    Keyed::Typed
}

#[expect(clippy::wildcard_enum_match_arm, reason = "keys are many, and most mean nothing")]
fn choice_key(choice: &mut Choice, key: KeyEvent) -> Keyed {
    match key.code {
        KeyCode::Up | KeyCode::Down => {
            choice.go(key.code == KeyCode::Down);
            return Keyed::Moved;
        }
        _ => {}
    }
    if choice.is_on_own() {
        let own = choice.own.as_mut().expect("being on its row means there is one");
        let keyed = text_key(own, key, |_| true);
        if keyed == Keyed::Typed {
            choice.own_typed();
        }
        return keyed;
    }
    let boolean = choice.kind == super::choice::Kind::Boolean;
    let chosen = match key.code {
        KeyCode::Char(' ') => choice.choose(choice.at),
        KeyCode::Char('y' | 'Y') if boolean => choice.choose(0),
        KeyCode::Char('n' | 'N') if boolean => choice.choose(1),
        KeyCode::Char(digit @ '1'..='9') if key.modifiers.is_empty() => {
            let at = usize::from(digit as u8 - b'1');
            at < choice.rows.len() && choice.choose(at)
        }
        _ => return Keyed::Nothing,
    };
    if chosen { Keyed::Chosen } else { Keyed::Moved }
}
