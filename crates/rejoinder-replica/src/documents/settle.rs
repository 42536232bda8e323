//! The documents as the finalizer reads them: what a completion or the end of a turn makes of the
//! answers.

use std::collections::BTreeMap;

use rejoinder_answers as answers;
use rejoinder_answers::{answer_from_json, answer_to_json};
use rejoinder_finalizer::{Completing, DisplacedAnswer, Settle, Settled, SettledAnswer};
use rejoinder_identity::{OpeningId, QuestionId};

use super::{Documents, Warm};
use crate::chain::Chain;

/// The documents beside the log that says whose they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settling<'a> {
    pub(crate) chain: &'a Chain,
    pub(crate) documents: &'a Documents,
}

impl<'a> Settling<'a> {
    /// The document of a request, which the host has read before it decides.
    ///
    /// # Panics
    ///
    /// When it is not in memory.
    pub(crate) fn document(self, opening: &OpeningId) -> &'a Warm {
        let request = self.chain.request(opening).ok();
        let warm = request.and_then(|request| self.documents.warm(&request.document()));
        warm.expect("the host reads the documents that it decides on before it does")
    }
}

impl Settle for Settling<'_> {
    fn completion(&self, opening: &OpeningId, completion: &Completing<'_>) -> Settled {
        let warm = self.document(opening);
        // What can't be read is an answer of no kind: to leave it out would turn the click into
        // something that was not on the screen, so its question counts as answered invalidly.
        let mut unreadable = Vec::new();
        let mut attached = BTreeMap::new();
        for (question, json) in completion.attached {
            match answer_from_json(json) {
                Ok(answer) => drop(attached.insert(question.clone(), answer)),
                Err(_) => unreadable.push(question.clone()),
            }
        }
        let mut settled = settled(warm.document().settle_completion(
            warm.form(),
            &answers::Completion {
                response: completion.response,
                attached: &attached,
                proposer: completion.proposer,
                seen: completion.seen,
            },
        ));
        settled.invalid.extend(unreadable);
        settled.invalid.sort();
        settled.invalid.dedup();
        settled
    }

    fn end(&self, opening: &OpeningId) -> Settled {
        let warm = self.document(opening);
        if rejoinder_identity::mutant!("mutant-turn-end-settles-nothing") {
            let version_vector = warm.document().version_vector().clone();
            return Settled { version_vector, ..Settled::default() };
        }
        settled(warm.document().settle_end(warm.form()))
    }
}

fn settled(settlement: answers::Settlement) -> Settled {
    let embedded = |(question, answer): (QuestionId, answers::Answer)| {
        let json = answer_to_json(&answer.answer).to_string();
        let answer = if rejoinder_identity::mutant!("mutant-decided-by-the-wrong-author") {
            answers::Answer { authors: vec![rejoinder_identity::PeerId([9; 32])], ..answer }
        } else {
            answer
        };
        (question, SettledAnswer { answer: json, authors: answer.authors })
    };
    let displaced = |one: answers::Displaced| DisplacedAnswer {
        question: one.question,
        author: one.author,
        actor: one.actor,
        seq: one.seq,
    };
    Settled {
        answers: settlement.answers.into_iter().map(embedded).collect(),
        displaced: settlement.displaced.into_iter().map(displaced).collect(),
        missing: settlement.missing,
        invalid: settlement.invalid,
        too_large: settlement.too_large,
        version_vector: settlement.version_vector,
    }
}
