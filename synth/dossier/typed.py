"""Typed answers to the questions of a dossier, and their file. PUBLIC.

>>> answers = TypedAnswers(certificate_sha256="0" * 64, answers={"purpose": "research"})
>>> read_typed_answers(answers.to_bytes()) == answers
True
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import NoReturn

from synth import limits
from synth.bundle import DOSSIER_FORMAT
from synth.dossier.pieces import Question
from synth.dossier.questions import QUESTIONS
from synth.errors import ReleaseError
from synth.foreign import load_file
from synth.util import Document, read_json

ANSWERS_FILE = "answers.json"
# Most bytes of a file of answers.
MAX_BYTES = 2**20


@dataclass(frozen=True)
class TypedAnswers:
    """Answers of the organisation.

    Attributes:
        answers: The typed texts, by the key of the question; none is empty.
        certificate_sha256: The certificate of the bundle that they are about; empty if they
            are about any.
    """

    answers: Mapping[str, str]
    certificate_sha256: str = ""

    def to_bytes(self, questions: Iterable[Question] = ()) -> bytes:
        """Return the answers as the bytes of their file.

        Args:
            questions: The questions that are open if nobody answered them. The file names
                them with an empty text, as a place to type.
        """
        open_keys = {question.key for question in questions}
        content: Document = {"format": DOSSIER_FORMAT}
        if self.certificate_sha256:
            content["certificate_sha256"] = self.certificate_sha256
        content["answers"] = {
            key: self.answers.get(key, "")
            for key in QUESTIONS
            if key in self.answers or key in open_keys
        }
        return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def check_answers(answers: Mapping[str, str]) -> dict[str, str]:
    """Return typed answers without blanks around them, and without empty ones.

    Raises:
        ReleaseError: There is no such question, or a text is no answer to it.

    >>> check_answers({"purpose": " research ", "contact": ""})
    {'purpose': 'research'}
    """
    checked = {}
    for key, answer in answers.items():
        if key not in QUESTIONS:
            raise ReleaseError(
                "The answers of a dossier name a question that this version of Synth does "
                "not ask."
            )
        stripped = answer.strip() if isinstance(answer, str) else _refuse_text(key)
        if stripped:
            _check_answer(QUESTIONS[key], stripped)
            checked[key] = stripped
    return checked


def _check_answer(question: Question, answer: str) -> None:
    """Refuse a text that is no answer to a question.

    Raises:
        ReleaseError: It is too long, none of the choices, or no day.
    """
    if len(answer) > limits.DOSSIER_ANSWER:
        raise ReleaseError(
            f"The answer '{question.key}' has more than {limits.DOSSIER_ANSWER:,} characters."
        )
    if any("\ud800" <= character <= "\udfff" for character in answer):
        _refuse_text(question.key)
    if question.choices and answer not in question.choices:
        raise ReleaseError(
            f"The answer '{question.key}' is one of {', '.join(question.choices)}."
        )
    if question.is_date:
        try:
            is_day = date.fromisoformat(answer).isoformat() == answer
        except ValueError:
            is_day = False
        if not is_day:
            raise ReleaseError(f"The answer '{question.key}' is a day, such as 2026-11-30.")


def _refuse_text(key: str) -> NoReturn:
    raise ReleaseError(f"The answer '{key}' is no text.")


def read_typed_answers(content: bytes) -> TypedAnswers:
    """Read a file of answers.

    Raises:
        ReleaseError: It is none, or an answer is not valid.
    """
    value = read_json(content, "The file of answers", kind=ReleaseError)
    if not isinstance(value, dict) or value.get("format") != DOSSIER_FORMAT:
        raise ReleaseError(
            f"The file of answers is no file of the form '{DOSSIER_FORMAT}'; take the "
            f"{ANSWERS_FILE} of a dossier and type into it."
        )
    answers = value.get("answers")
    digest_text = value.get("certificate_sha256", "")
    is_known = value.keys() <= {"format", "certificate_sha256", "answers"}
    if not is_known or not isinstance(answers, dict) or not isinstance(digest_text, str):
        raise ReleaseError(
            "The file of answers has a part that this version of Synth does not know, or "
            "lacks one."
        )
    return TypedAnswers(
        check_answers({key: _as_text(key, answers[key]) for key in answers}), digest_text
    )


def load_typed_answers(path: str | Path) -> TypedAnswers:
    """Read the file of answers at a path.

    Raises:
        ReleaseError: It cannot be read, is none, or an answer is not valid.
    """
    content = load_file(path, MAX_BYTES, "The file of answers", kind=ReleaseError)
    if len(content) > MAX_BYTES:
        raise ReleaseError("The file of answers is too large to be one.")
    return read_typed_answers(content)


def _as_text(key: str, answer: object) -> str:
    return (
        answer if isinstance(answer, str) else _refuse_text(key if key in QUESTIONS else "")
    )
