//! Makes the embedded answers fit in a record.

use rejoinder_identity::{QuestionId, to_bytes};

use crate::settle::Embedded;

/// Room for the rest of a record beside the embedded answers: ids, signatures, the action.
const BESIDE: usize = 16 * 1_024;

/// Leaves answers out, the largest first, until all fit in one record; they stay in the documents.
/// Names the first that it left out.
///
/// This can happen with everybody in the right: several people each wrote within the limits, or a
/// turn ends with many requests.
pub(super) fn fit(embedded: &mut [&mut Embedded], limit: usize) -> Option<QuestionId> {
    let budget = limit.saturating_sub(BESIDE);
    let mut size: usize = embedded.iter().map(|one| to_bytes(*one).len()).sum();
    let mut first = None;
    while size > budget {
        let Some((index, question)) = largest_answer(embedded) else { break };
        let one = &mut *embedded[index];
        if let Some(settled) = one.answers.remove(&question) {
            size = size.saturating_sub(to_bytes(&settled).len());
            one.left_out.push(question.clone());
            first.get_or_insert(question);
        }
    }
    if size > budget {
        drop_version_vectors(embedded, size, budget);
    }
    first
}

fn largest_answer(embedded: &[&mut Embedded]) -> Option<(usize, QuestionId)> {
    let answers = embedded.iter().enumerate().flat_map(|(index, one)| {
        one.answers.iter().map(move |(question, settled)| (settled.answer.len(), index, question))
    });
    answers.max().map(|(_, index, question)| (index, question.clone()))
}

/// The last resort: somebody wrote as so many actors that naming them fills a record. A request
/// without its version vector shows everything as written later, but its turn can end.
fn drop_version_vectors(embedded: &mut [&mut Embedded], mut size: usize, budget: usize) {
    let mut by_size: Vec<_> = embedded.iter_mut().map(|one| &mut one.version_vector).collect();
    by_size.sort_by_key(|version_vector| std::cmp::Reverse(version_vector.len()));
    for version_vector in by_size {
        if size <= budget {
            return;
        }
        size = size.saturating_sub(to_bytes(version_vector).len());
        version_vector.clear();
    }
}
