"""Reads what people sent: a file each, in a folder or a zip, or many lines in one file. PUBLIC.

A line is a JSON object with the form's identifier, its epsilon, a number drawn for the person and
the randomised answers; a CSV file has these as columns, the questions behind the first three. One
thing amiss refuses all, so that nothing is left out in silence; the files stay as they are.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn, cast

import numpy as np

from synth import limits
from synth.arrays import Codes, Ints
from synth.check import Document, Json, once
from synth.collecting.design import FormDesign
from synth.errors import ArgumentError, CollectError, LimitError
from synth.foreign.text import line as on_one_line

FIELDS = ("form", "epsilon", "person", "answers")
PERSON = re.compile("[0-9a-f]{32}")

Content = tuple[str, bytes]
"""A file's name and what is in it."""


@dataclass(frozen=True, eq=False)
class Collected:
    """Randomised answers of some people.

    Attributes:
        design: The form they are of.
        codes: Which option each person's file names, shape (people, questions).
    """

    design: FormDesign
    codes: Codes

    @property
    def people(self) -> int:
        """How many people answered, at least 1."""
        return len(self.codes)

    def counts(self, number: int) -> Ints:
        """How many files name each option of a question, shape (options,)."""
        return np.bincount(self.codes[:, number], minlength=self.design.shape[number])


class _Amiss(Exception):
    """What is wrong with a line, as the end of a sentence that begins with its place."""


def _refuse(what: str) -> NoReturn:
    raise _Amiss(what)


def read_collected(files: Iterable[Content], design: FormDesign) -> Collected:
    """Read answers from files of any of the three kinds.

    Raises:
        CollectError: One is damaged, of another form or epsilon, or a person is there twice; the
            message names the first place, and says how many more there are.
        LimitError: There are too many people, or a file is too large.
    """
    reader = _Reader(design)
    for name, content in files:
        reader.read(name, content)
    return reader.collected()


class _Reader:
    """Goes through all lines; keeps answers, the places of persons, and what is amiss."""

    def __init__(self, design: FormDesign) -> None:
        self.design = design
        self.places = [{o: i for i, o in enumerate(q.options)} for q in design.questions]
        self.rows: list[tuple[int, ...]] = []
        self.persons: dict[str, str] = {}
        self.first = ""
        self.amiss = 0

    def read(self, name: str, content: bytes) -> None:
        """Read a file."""
        shown = f"'{on_one_line(name, 120)}'"
        if len(content) > limits.COLLECTED_MB * 2**20:
            message = f"{shown} is larger than {limits.COLLECTED_MB} MB."
            raise LimitError(message)
        try:
            for where, document in _documents(shown, name, content, self.design):
                self._take(where, document)
        except _Amiss as error:
            self._note(shown, str(error))

    def _take(self, where: str, document: Json | _Amiss) -> None:
        try:
            if isinstance(document, _Amiss):
                raise document
            person, row = self._checked(document)
            if person in self.persons:
                _refuse(f"has the person of {self.persons[person]} again; leave one of them")
        except _Amiss as error:
            return self._note(where, str(error))
        if len(self.rows) == limits.COLLECTED_PEOPLE:
            message = f"There are more than {limits.COLLECTED_PEOPLE:,} people."
            raise LimitError(message)
        self.persons[person] = where
        self.rows.append(row)
        return None

    def _checked(self, document: Json) -> tuple[str, tuple[int, ...]]:
        """The person's number and the places of the answers."""
        if not isinstance(document, dict) or set(document) != set(FIELDS):
            _refuse(f"is no answer: it must hold {', '.join(FIELDS)} and nothing else")
        if document["form"] != self.design.identifier:
            _refuse(_other_form(document, self.design))
        if document["epsilon"] != str(self.design.epsilon):
            _refuse("says another epsilon than its form")
        person, answers = document["person"], document["answers"]
        if not isinstance(person, str) or not PERSON.fullmatch(person):
            _refuse("holds no person's number of 32 hexadecimal digits")
        if not isinstance(answers, list) or len(answers) != len(self.places):
            _refuse(f"does not answer {len(self.places)} questions")
        return person, tuple(self._place(number, said) for number, said in enumerate(answers))

    def _place(self, number: int, said: Json) -> int:
        found = self.places[number].get(said) if isinstance(said, str) else None
        if found is None:
            _refuse(f"answers question {number + 1} with none of its options")
        return found

    def _note(self, where: str, what: str) -> None:
        self.first = self.first or f"{where} {what}"
        self.amiss += 1

    def collected(self) -> Collected:
        """All answers, if nothing is amiss."""
        if self.amiss:
            more = f" ({self.amiss - 1:,} more are amiss)" if self.amiss > 1 else ""
            message = f"{self.first}{more}."
            raise CollectError(message)
        if not self.rows:
            raise CollectError("There are no answers.")
        return Collected(self.design, np.array(self.rows, dtype=np.int32))


def _other_form(document: Document, design: FormDesign) -> str:
    epsilon = document["epsilon"]
    if isinstance(epsilon, str) and epsilon != str(design.epsilon) and _is_number(epsilon):
        return f"was made with epsilon {epsilon}, and this form has epsilon {design.epsilon}"
    return "is of another form"


def _is_number(text: str) -> bool:
    try:
        return len(text) <= limits.NUMBER_TEXT and Fraction(text) > 0
    except (ValueError, ZeroDivisionError):
        return False


def _documents(
    shown: str, name: str, content: bytes, design: FormDesign
) -> Iterator[tuple[str, Json | _Amiss]]:
    """Each answer of a file with its place, or what is amiss there.

    Raises:
        _Amiss: The file cannot be read at all.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _Amiss("is not UTF-8 text") from None
    if not text.strip():
        _refuse("is empty")
    if name.lower().endswith(".csv"):
        yield from _csv_documents(shown, text, design)
        return
    lines = [(n, said) for n, said in enumerate(text.split("\n"), 1) if said.strip()]
    whole = _parsed(text)
    if len(lines) == 1 or not isinstance(whole, _Amiss):
        yield shown, whole
        return
    for number, said in lines:
        yield f"{shown}, line {number},", _parsed(said)


def _parsed(text: str) -> Json | _Amiss:
    try:
        return cast("Json", json.loads(text, object_pairs_hook=once))
    except ArgumentError:
        return _Amiss("says something twice")
    except (ValueError, RecursionError):
        return _Amiss("is damaged: it is no whole JSON object")


def _csv_documents(
    shown: str, text: str, design: FormDesign
) -> Iterator[tuple[str, Json | _Amiss]]:
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    asked = [question.text for question in design.questions]
    numbers = [str(number) for number in range(1, len(asked) + 1)]
    try:
        header = next(rows)
        if header[:3] != list(FIELDS[:3]) or header[3:] not in (asked, numbers):
            _refuse("must begin with a line of form, epsilon, person and the questions")
        for row in rows:
            if not row:
                continue
            where = f"{shown}, line {rows.line_num},"
            if len(row) != len(header):
                yield where, _Amiss(f"has {len(row):,} cells, and the first has {len(header):,}")
            else:
                yield where, {**dict(zip(FIELDS, row[:3], strict=False)), "answers": row[3:]}
    except csv.Error:
        _refuse(f"is damaged at line {rows.line_num}")
