//! The rules of one question.

use serde_json::{Map, Value};

use crate::pattern::Pattern;

const PATTERN: &str = "pattern";
const MULTIPLE_OF: &str = "multipleOf";

/// The rules of a question for which AHP has no word.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rules {
    /// The pattern that a text must match.
    pub pattern: Option<Pattern>,
    /// The step that a number must be a multiple of; above 0.
    pub multiple_of: Option<f64>,
}

/// A rule that an answer breaks.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Broken {
    /// The text does not match, or not within the work that is spent on it.
    #[error("it does not match {0}")]
    Pattern(String),
    /// The number is no multiple.
    #[error("not a multiple of {0}")]
    MultipleOf(f64),
}

impl Rules {
    /// Reads the rules of a question, a JSON object. A rule that can't be read is left out.
    pub fn read(question: &Map<String, Value>) -> Self {
        let pattern = question.get(PATTERN).and_then(Value::as_str);
        let step = question.get(MULTIPLE_OF).and_then(Value::as_f64);
        Self {
            pattern: pattern.and_then(|pattern| Pattern::read(pattern).ok()),
            multiple_of: step.filter(|step| Self::is_step(*step)),
        }
    }

    /// Writes them into a question.
    pub fn write(&self, question: &mut Map<String, Value>) {
        if let Some(pattern) = &self.pattern {
            question.insert(PATTERN.to_owned(), Value::from(pattern.as_str()));
        }
        if let Some(step) = self.multiple_of {
            question.insert(MULTIPLE_OF.to_owned(), Value::from(step));
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pattern.is_none() && self.multiple_of.is_none()
    }

    /// Whether numbers can be multiples of it.
    pub fn is_step(step: f64) -> bool {
        step.is_finite() && step > 0.0
    }

    /// Checks that a text keeps them.
    ///
    /// # Errors
    ///
    /// The rule that it breaks.
    pub fn check_text(&self, text: &str) -> Result<(), Broken> {
        match &self.pattern {
            Some(pattern) if !pattern.matches(text) => {
                Err(Broken::Pattern(pattern.as_str().to_owned()))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Checks that a number keeps them. It divides as servers do: 0.07 is no multiple of 0.01.
    ///
    /// # Errors
    ///
    /// The rule that it breaks.
    pub fn check_number(&self, number: f64) -> Result<(), Broken> {
        match self.multiple_of {
            // An infinite quotient has no fraction that is 0.
            Some(step) if (number / step).fract() != 0.0 => Err(Broken::MultipleOf(step)),
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rules(question: &Value) -> Rules {
        Rules::read(question.as_object().unwrap())
    }

    #[test]
    fn what_is_written_is_read() {
        let question = json!({"id": "q", "pattern": "^a$", "multipleOf": 0.5});
        let read = rules(&question);
        let mut written = Map::from_iter([("id".to_owned(), json!("q"))]);
        read.write(&mut written);
        assert_eq!(Value::Object(written), question);
        assert!(rules(&json!({"pattern": "(", "multipleOf": 0})).is_empty());
        assert!(rules(&json!({"pattern": 1, "multipleOf": "1"})).is_empty());
    }

    #[test]
    fn what_breaks_them() {
        let read = rules(&json!({"pattern": "^a$", "multipleOf": 5}));
        assert_eq!(read.check_text("a"), Ok(()));
        assert_eq!(read.check_text("b").unwrap_err().to_string(), "it does not match ^a$");
        assert_eq!(read.check_number(-10.0), Ok(()));
        assert_eq!(read.check_number(7.0).unwrap_err().to_string(), "not a multiple of 5");
        let cents = rules(&json!({"multipleOf": 0.01}));
        assert_eq!(cents.check_number(0.5), Ok(()));
        assert_eq!(cents.check_number(0.07), Err(Broken::MultipleOf(0.01)));
        assert_eq!(cents.check_number(1e308), Err(Broken::MultipleOf(0.01)));
    }
}
