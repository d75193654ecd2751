"""Example questions that a release answers: each is tried before it is shown. PUBLIC."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np

from synth.analysis.conclusion import Conclusion
from synth.errors import QuestionError
from synth.estimate import Record, relations
from synth.questions import answerable, questions_about, questions_about_both

# Most questions that are tried for a list of examples.
MAX_TRIED = 16
# Columns that the examples of a whole release are about.
MAX_COLUMNS = 4
# Pairs of columns that a list of examples is about.
MAX_PAIRS = 2


def released_examples(
    record: Record, ask: Callable[[str], Sequence[Conclusion]], name: str = ""
) -> list[str]:
    """Return example questions that a release answers with an estimate, the simplest first.

    Questions about two columns are about those that were measured together, the most accurate
    pairs first. A question that has only bounds, or no answer, is no example.

    Args:
        record: The public part of the release.
        ask: It answers a question from the release, or raises a SynthError.
        name: A column that all examples are about; empty for the whole release.
    """

    def try_question(question: str) -> None:
        """Ask a question; QuestionError if its answer is no estimate.

        A conclusion that is only a bound has none, and a choice among values needs none.
        """
        for conclusion in ask(question):
            if conclusion.bound or not (conclusion.chosen or _has_estimate(conclusion)):
                raise QuestionError

    return answerable(islice(_candidates(record, name), MAX_TRIED), try_question)


def _has_estimate(conclusion: Conclusion) -> bool:
    return not np.isnan(conclusion.estimate).all()


def _candidates(record: Record, name: str) -> Iterator[str]:
    """Yield questions of which the release may answer some."""
    domain = record.domain
    names = (name,) if name else domain.names[:MAX_COLUMNS]
    for column in names:
        # All questions about one column, or the simplest one about each of several.
        yield from questions_about(column, domain)[: None if name else 1]
    pairs = (
        relation.names
        for relation in reversed(relations(record, 2))
        if relation.measured and (not name or name in relation.names)
    )
    found_pairs = 0
    for first, second in pairs:
        questions = questions_about_both(first, second, domain)
        found_pairs += bool(questions)
        yield from questions
        if found_pairs == MAX_PAIRS:
            return
