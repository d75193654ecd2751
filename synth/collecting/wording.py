"""Questions of a form, written on a line, in a text file, or in JSON. PUBLIC.

>>> parse_closed("How often do you swim? [never | now and then | often]").options
('never', 'now and then', 'often')
>>> [q.text for q in read_closed("Do you smoke?\\n\\nDo you swim?\\n")]
['Do you smoke?', 'Do you swim?']
"""

import re
from collections.abc import Sequence
from pathlib import Path

from synth import limits
from synth.collecting.design import YES_NO_OPTIONS, ClosedQuestion
from synth.errors import LimitError, QuestionError, SynthError
from synth.foreign import load_file
from synth.util import Json, read_json

_WITH_OPTIONS = re.compile(r"(.*?)\[([^\[\]]*)\]\s*", re.DOTALL)
# Options without brackets: bars, half a bracket, or a list after a question mark.
_OPTIONS_BARE = re.compile(r"\||\[[^\]]*$|\?.*\S\s*[,;/]\s*\S", re.DOTALL)


def parse_closed(text: str) -> ClosedQuestion:
    """Read a question with its options in brackets at the end of the line.

    Without brackets the options are yes and no.

    Raises:
        QuestionError: A text is empty, an option is repeated, or the options have no
            brackets.
        LimitError: A text is too long.

    >>> parse_closed("How often? never | often")
    Traceback (most recent call last):
    synth.errors.QuestionError: Put the options in brackets, with bars between them: How often? \
[never | often]
    """  # noqa: E501
    match = _WITH_OPTIONS.fullmatch(text)
    # A text that seems to list options without brackets is refused, and is no yes or no.
    if match is None and _OPTIONS_BARE.search(text):
        raise QuestionError(
            "Put the options in brackets, with bars between them: How often? [never | often]"
        )
    if match is None:
        return ClosedQuestion(text)
    return ClosedQuestion(match[1], tuple(match[2].split("|")))


def closed_text(question: ClosedQuestion) -> str:
    """Return the line that `parse_closed` reads as this question.

    The options yes and no are left out, unless the text alone would seem to have options.

    >>> (
    ...     closed_text(ClosedQuestion("Do you smoke?")),
    ...     closed_text(ClosedQuestion("So?", ("a", "b"))),
    ... )
    ('Do you smoke?', 'So? [a | b]')
    """
    if question.options == YES_NO_OPTIONS and not _OPTIONS_BARE.search(question.text):
        return question.text
    return f"{question.text} [{' | '.join(question.options)}]"


def read_closed(source: str | bytes | Path) -> tuple[ClosedQuestion, ...]:
    """Read questions: one a line, or a JSON list of such texts and of objects.

    An object has a ``question``, and may have ``options``. The list may also be the only
    entry, ``questions``, of an object.

    Args:
        source: A path, or the text or bytes of a file.

    Raises:
        QuestionError: It has another form; the message names the line or question.
        LimitError: The file or a text is too large.
    """
    text = _text(source)
    if text.lstrip()[:1] in ("[", "{"):
        document: Json = read_json(text, "The list of questions", kind=QuestionError)
        if isinstance(document, dict) and list(document) == ["questions"]:
            document = document["questions"]
        if not isinstance(document, list) or not document:
            raise QuestionError(
                "The questions must be a JSON list of texts and objects, not empty."
            )
        return tuple(_read_numbered("Question", list(enumerate(document, 1))))
    lines = [
        (number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()
    ]
    if not lines:
        raise QuestionError("There is no question.")
    return tuple(_read_numbered("Line", lines))


def _read_numbered(noun: str, items: Sequence[tuple[int, Json]]) -> list[ClosedQuestion]:
    """Read questions, each given with its number, and return them in order.

    ``noun`` is "Line" or "Question": with the number it begins the message of an error.
    """
    questions: list[ClosedQuestion] = []
    for number, item in items:
        try:
            questions.append(_read_question(item))
        except SynthError as error:
            raise type(error)(f"{noun} {number}: {error}") from None
    return questions


def _read_question(item: Json) -> ClosedQuestion:
    """Read a question from a text, or an object with ``question`` and perhaps ``options``.

    Raises:
        QuestionError: It has another form, or a text is invalid.
    """
    if isinstance(item, str):
        return parse_closed(item)
    if not isinstance(item, dict) or not {"question"} <= set(item) <= {"question", "options"}:
        raise QuestionError("it must be a text, or an object with 'question' and 'options'.")
    options = item.get("options", list(YES_NO_OPTIONS))
    if not isinstance(options, list):
        raise QuestionError("its options must be a list of texts.")
    return ClosedQuestion(item["question"], tuple(options))


def _text(source: str | bytes | Path) -> str:
    """Return the questions as text: the text itself, or the content of a file or of bytes.

    Raises:
        QuestionError: A file cannot be read, or the bytes are not UTF-8.
        LimitError: They are too large.
    """
    if isinstance(source, str):
        return source
    max_bytes = limits.FORM_MB * 2**20
    if isinstance(source, Path):
        source = load_file(source, max_bytes, "The file of questions", kind=QuestionError)
    if len(source) > max_bytes:
        raise LimitError(f"The questions are larger than {limits.FORM_MB} MB.")
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise QuestionError("The questions are not UTF-8 text.") from None
