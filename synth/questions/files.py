"""Several questions in a file: a JSON list of texts and objects. PUBLIC.

>>> list(map(str, read_questions('["count", {"kind": "table", "columns": ["sex"]}]')))
['count', 'table sex']
"""

from collections.abc import Iterable
from pathlib import Path

from synth import limits
from synth.domain import Domain
from synth.errors import LimitError, QuestionError, SynthError
from synth.foreign import load_file
from synth.questions.rewording import read_question
from synth.questions.wording.language import parse
from synth.questions.wording.question import Question
from synth.questions.wording.spelling import refuse_question
from synth.util import Json, read_json


def read_questions(
    source: str | Path | bytes, domain: Domain | None = None
) -> tuple[Question, ...]:
    """Read questions from a JSON list, or from an object with a list under "questions".

    Args:
        source: A path, or the text or bytes of a file.
        domain: The declared columns, with which messages suggest questions; None for no
            suggestions.

    Raises:
        QuestionError: It is something else; the message names the question.
        LimitError: There are too many, or the file is too large.
    """
    # Half a character (a lone surrogate) passes here, and is refused below as no UTF-8.
    if isinstance(source, str):
        content = source.encode("utf-8", "surrogatepass")
    elif isinstance(source, bytes):
        content = source
    else:
        largest_size = limits.QUESTIONS_MB * 2**20
        content = load_file(source, largest_size, "The file of questions", kind=QuestionError)
    if len(content) > limits.QUESTIONS_MB * 2**20:
        raise LimitError(f"The questions are larger than {limits.QUESTIONS_MB} MB.")
    # `exact` keeps numbers with a fraction as texts, so that a weight of 0.1 is one tenth.
    document: Json = read_json(
        content, "The list of questions", exact=True, kind=QuestionError
    )
    if isinstance(document, dict) and list(document) == ["questions"]:
        document = document["questions"]
    if not isinstance(document, list):
        refuse_question(
            "The questions must be a JSON list of texts and objects, or an object with such "
            "a list under 'questions' and nothing else."
        )
    return tuple(read_listed(document, domain))


def read_listed(items: list[Json], domain: Domain | None = None) -> Iterable[Question]:
    """Yield questions from texts or JSON objects; a message names the number of a wrong one.

    Args:
        items: The texts and objects of a JSON list.
        domain: The declared columns, with which messages suggest questions; None for no
            suggestions.

    Raises:
        QuestionError: There is none, or one is wrong.
        LimitError: There are too many, or one is too long.
    """
    if not items:
        refuse_question("There is no question.")
    if len(items) > limits.QUESTIONS:
        raise LimitError(
            f"There are {len(items):,} questions; the limit is {limits.QUESTIONS:,}."
        )
    for number, item in enumerate(items, 1):
        try:
            if isinstance(item, str):
                yield read_question(item, domain) if domain else parse(item)
            else:
                yield Question.from_json(item)
        except SynthError as error:
            message = f"Question {number}: {error}" if len(items) > 1 else str(error)
            raise type(error)(message) from None
