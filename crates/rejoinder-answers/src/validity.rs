//! Validity: whether a value fits its question's kind, and whether a submitted one keeps the
//! question's rules.

use ahp_types::state::ChatInputAnswerValue;
use rejoinder_identity::OptionId;
use rejoinder_schema::Broken;

use crate::{
    form::{Kind, Question, TextFormat},
    format,
};

/// A JSON number can't tell integers beyond it apart.
pub(crate) const WHOLE: f64 = 9_007_199_254_740_992.0;

/// The rule that a value breaks.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Invalid {
    /// It is of another kind than the question.
    #[error("the value is of another kind")]
    WrongKind,
    /// Fewer characters than the question asks for.
    #[error("{length} characters, at least {min}")]
    TooShort {
        /// Characters there are.
        length: usize,
        /// Characters there should be.
        min: i64,
    },
    /// More characters than the question allows.
    #[error("{length} characters, at most {max}")]
    TooLong {
        /// Characters there are.
        length: usize,
        /// Characters there may be.
        max: i64,
    },
    /// Not in the question's format.
    #[error("not {0}")]
    Format(TextFormat),
    /// Against a rule for which AHP has no word.
    #[error(transparent)]
    Rule(Broken),
    /// A smaller number than the question allows.
    #[error("{}", below(*min))]
    Below {
        /// The smallest.
        min: f64,
    },
    /// A larger number than the question allows.
    #[error("{}", above(*max))]
    Above {
        /// The largest.
        max: f64,
    },
    /// Not a whole number.
    #[error("not a whole number")]
    NotWhole,
    /// A whole number that JSON can't tell from its neighbours.
    #[error("too large for a whole number")]
    BeyondWhole,
    /// Not a number, or infinite.
    #[error("not a finite number")]
    NotFinite,
    /// No such option.
    #[error("there is no option \"{0}\"")]
    NoSuchOption(OptionId),
    /// Neither an option nor freeform text.
    #[error("nothing is chosen")]
    NothingChosen,
    /// The question takes no freeform text.
    #[error("no text of one's own is taken here")]
    NoFreeform,
    /// Fewer choices than the question asks for.
    #[error("{chosen} chosen, at least {min}")]
    TooFew {
        /// Choices there are.
        chosen: usize,
        /// Choices there should be.
        min: i64,
    },
    /// More choices than the question allows.
    #[error("{chosen} chosen, at most {max}")]
    TooMany {
        /// Choices there are.
        chosen: usize,
        /// Choices there may be.
        max: i64,
    },
}

fn below(min: f64) -> String {
    match excluded_bound(min, f64::next_down) {
        Some(bound) => format!("not above {}", digits(bound)),
        None => format!("below {}", digits(min)),
    }
}

fn above(max: f64) -> String {
    match excluded_bound(max, f64::next_up) {
        Some(bound) => format!("not below {}", digits(bound)),
        None => format!("above {}", digits(max)),
    }
}

/// The bound that is meant, where a question's bound is the number next to it. AHP's bounds are
/// inclusive, so "above 0" is kept as "at least 5e-324", which nobody would read as that. `beyond`
/// is the neighbour on the side that is not allowed.
pub fn excluded_bound(bound: f64, beyond: impl Fn(f64) -> f64) -> Option<f64> {
    // Below 0 the neighbour is -0, which nobody would write.
    let meant = beyond(bound) + 0.0;
    // The neighbour has 17 digits where the bound itself has few.
    let is_next = digits(meant).len() + 4 < digits(bound).len() || bound.abs() == f64::from_bits(1);
    is_next.then_some(meant)
}

/// A number with as few digits as tell it from others: 1e300, where `Display` prints 301 digits.
fn digits(number: f64) -> String {
    let digits = format!("{:?}", number + 0.0);
    digits.strip_suffix(".0").map(str::to_owned).unwrap_or(digits)
}

impl Question {
    /// Whether a value is of the kind that this question takes, as a draft must be.
    pub fn fits(&self, value: &ChatInputAnswerValue) -> bool {
        match (self.kind(), value) {
            (Kind::Text { .. }, ChatInputAnswerValue::Text(_))
            | (Kind::Boolean, ChatInputAnswerValue::Boolean(_))
            | (Kind::SingleSelect { .. }, ChatInputAnswerValue::Selected(_))
            | (Kind::MultiSelect { .. }, ChatInputAnswerValue::SelectedMany(_)) => true,
            // What is not a number can't be told in JSON, not even as a draft.
            (Kind::Number { .. } | Kind::Integer { .. }, ChatInputAnswerValue::Number(number)) => {
                number.value.is_finite()
            }
            _ => false,
        }
    }

    /// Checks that a value may be submitted as this question's answer.
    ///
    /// # Errors
    ///
    /// The first rule that it breaks.
    pub fn check(&self, value: &ChatInputAnswerValue) -> Result<(), Invalid> {
        match (self.kind(), value) {
            (Kind::Text { format, min, max }, ChatInputAnswerValue::Text(text)) => {
                check_text(&text.value, *format, *min, *max)?;
                self.rules().check_text(&text.value).map_err(Invalid::Rule)
            }
            (Kind::Number { min, max }, ChatInputAnswerValue::Number(number)) => {
                check_number(number.value, *min, *max)?;
                self.rules().check_number(number.value).map_err(Invalid::Rule)
            }
            (Kind::Integer { min, max }, ChatInputAnswerValue::Number(number)) => {
                check_number(number.value, *min, *max)?;
                check_whole(number.value)?;
                self.rules().check_number(number.value).map_err(Invalid::Rule)
            }
            (Kind::Boolean, ChatInputAnswerValue::Boolean(_)) => Ok(()),
            (
                Kind::SingleSelect { options, freeform },
                ChatInputAnswerValue::Selected(selected),
            ) => {
                let own = selected.freeform_values.as_deref().unwrap_or_default();
                check_one(&selected.value, own, options, *freeform)
            }
            (
                Kind::MultiSelect { options, freeform, min, max },
                ChatInputAnswerValue::SelectedMany(selected),
            ) => {
                let own = selected.freeform_values.as_deref().unwrap_or_default();
                check_many(&selected.value, own, options, *freeform)?;
                check_count(&selected.value, own, *min, *max)
            }
            _ => Err(Invalid::WrongKind),
        }
    }
}

fn check_text(
    text: &str,
    format: Option<TextFormat>,
    min: Option<i64>,
    max: Option<i64>,
) -> Result<(), Invalid> {
    let length = text.chars().count();
    if let Some(min) = min.filter(|min| less(length, *min)) {
        return Err(Invalid::TooShort { length, min });
    }
    if let Some(max) = max.filter(|max| more(length, *max)) {
        return Err(Invalid::TooLong { length, max });
    }
    match format {
        Some(format) if !format::holds(format, text) => Err(Invalid::Format(format)),
        Some(_) | None => Ok(()),
    }
}

fn check_number(number: f64, min: Option<f64>, max: Option<f64>) -> Result<(), Invalid> {
    if !number.is_finite() {
        return Err(Invalid::NotFinite);
    }
    if let Some(min) = min.filter(|min| number < *min) {
        return Err(Invalid::Below { min });
    }
    if let Some(max) = max.filter(|max| number > *max) {
        return Err(Invalid::Above { max });
    }
    Ok(())
}

fn check_whole(number: f64) -> Result<(), Invalid> {
    if number.fract() != 0.0 {
        return Err(Invalid::NotWhole);
    }
    if number.abs() >= WHOLE { Err(Invalid::BeyondWhole) } else { Ok(()) }
}

/// A client with nothing but freeform text has to say something as the option: AHP does not say
/// what, so clients send the empty string or the text once more.
fn check_one(
    chosen: &str,
    own: &[String],
    options: &[OptionId],
    freeform: bool,
) -> Result<(), Invalid> {
    if !own.is_empty() && !freeform {
        return Err(Invalid::NoFreeform);
    }
    if options.iter().any(|option| option.as_str() == chosen) {
        return Ok(());
    }
    let said_instead = own.iter().any(|text| !text.is_empty());
    match (said_instead, chosen.is_empty() || own.iter().any(|text| text == chosen)) {
        (true, true) => Ok(()),
        (false, true) => Err(Invalid::NothingChosen),
        (_, false) => Err(Invalid::NoSuchOption(OptionId::from(chosen))),
    }
}

fn check_many(
    chosen: &[String],
    own: &[String],
    options: &[OptionId],
    freeform: bool,
) -> Result<(), Invalid> {
    if !own.is_empty() && !freeform {
        return Err(Invalid::NoFreeform);
    }
    match chosen.iter().find(|id| !options.iter().any(|option| option.as_str() == id.as_str())) {
        Some(unknown) => Err(Invalid::NoSuchOption(OptionId::from(unknown.as_str()))),
        None => Ok(()),
    }
}

/// Text of one's own is a choice too. An option named twice is one.
fn check_count(
    chosen: &[String],
    own: &[String],
    min: Option<i64>,
    max: Option<i64>,
) -> Result<(), Invalid> {
    let distinct: std::collections::BTreeSet<&String> = chosen.iter().collect();
    let chosen = distinct.len() + own.len();
    if let Some(min) = min.filter(|min| less(chosen, *min)) {
        return Err(Invalid::TooFew { chosen, min });
    }
    if let Some(max) = max.filter(|max| more(chosen, *max)) {
        return Err(Invalid::TooMany { chosen, max });
    }
    Ok(())
}

fn less(count: usize, min: i64) -> bool {
    i64::try_from(count).is_ok_and(|count| count < min)
}

fn more(count: usize, max: i64) -> bool {
    i64::try_from(count).map_or(true, |count| count > max)
}
