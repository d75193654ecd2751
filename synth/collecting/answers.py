"""Reader of collected answers, in the child process. PUBLIC.

An answer is a JSON object with the form's identifier, its epsilon, a number drawn for the
person and the randomised answers. A file holds one, or a line for each; a CSV file has these
as columns, then the questions. One error refuses all answers, so that none is left out in
silence; the files stay unchanged.

Randomised answers of some people, which a child process reads.

Collected files by name and content, from folders, zips or single files.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import cast

import numpy as np
import numpy.typing as npt

from synth import limits
from synth.collecting.design import FormDesign
from synth.errors import ArgumentError, CollectError, LimitError
from synth.foreign import (
    JOINED_FILE,
    Fault,
    Folder,
    Reply,
    Request,
    join_members,
    load_file,
    read_apart,
)
from synth.foreign import line as on_one_line
from synth.util import Codes, Document, Ints, Json, read_json

RESPONSE_ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".txt")
"""Files to read from a folder or a zip; other and hidden files are skipped."""


Content = tuple[str, bytes]


def find_responses(request: Request) -> Iterator[Content]:
    """Yield the files under some paths, each with a name for messages.

    Raises:
        CollectError: A path can't be read, or holds no file of answers.
        LimitError: There are too many files, or one is too large.
    """
    for path, name in ((Path(path), str(name)) for path, name in request["sources"]):
        if path.is_dir():
            yield from _in_folder(path)
        elif name.lower().endswith(".zip"):
            yield from _in_zip(path, name, request)
        else:
            yield name, _load(path)


def _in_folder(path: Path) -> Iterator[Content]:
    found = sorted(one for one in path.rglob("*") if _is_read(one.name) and not one.is_dir())
    if not found:
        _refuse_empty(path.name)
    _check_number(path.name, len(found))
    for one in found:
        yield str(one.relative_to(path)), _load(one)


def _in_zip(path: Path, name: str, request: Request) -> Iterator[Content]:
    shown, joined = on_one_line(name, 120), Path(request["folder"]) / JOINED_FILE
    _load(path, 0)
    members: list[tuple[str, int]] = []
    try:
        members = join_members({**request, "source": str(path)})
    except Fault as fault:
        if "members" in fault.answer:
            _check_number(shown, int(str(fault.answer["members"])))
        large = f"unpacks to more than {limits.COLLECTED_MB} MB"
        told = {"twice": "holds two files of the same name", "size": large, "ratio": large}
        said = told.get(str(fault.answer["fault"]), "is not a whole zip file")
        raise CollectError(f"'{shown}' {said}.") from None
    if not any(_is_in_zip(name) for name, _ in members):
        _refuse_empty(shown)
    with joined.open("rb") as file:
        for name, size in members:
            content = file.read(size)
            if _is_in_zip(name):
                yield name, content
    joined.unlink()


def _is_in_zip(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return not name.endswith("/") and "__MACOSX" not in path.parts and _is_read(path.name)


def _is_read(name: str) -> bool:
    return not name.startswith(".") and name.lower().endswith(RESPONSE_ENDINGS)


def _check_number(name: str, number: int) -> None:
    if number > limits.COLLECTED_FILES:
        raise LimitError(
            f"'{name}' holds {number:,} files; the limit is {limits.COLLECTED_FILES:,}, so "
            "put the answers into one file, a line each."
        )


def _load(path: Path, most: int = limits.COLLECTED_MB * 2**20) -> bytes:
    return load_file(path, most, "The file", kind=CollectError)


def _refuse_empty(name: str) -> None:
    raise CollectError(
        f"'{on_one_line(name, 120)}' holds no files of answers "
        f"({', '.join(RESPONSE_ENDINGS)})."
    )


ANSWER_KEYS = ("form", "epsilon", "person", "answers")
PERSON = re.compile("[0-9a-f]{32}")
# The child's result: positions of options, fewer than 256.
CODES_FILE = "codes.npy"

OptionPlaces = npt.NDArray[np.uint8]


class _Amiss(Exception):
    """The error of a line, as the end of a sentence that begins with its place."""


def answer_codes(request: Request) -> Reply:
    """Read the answers to a form, and write the positions of the options that they name.

    Errors as in `read_places`.
    """
    design = FormDesign.from_json(request["design"])
    np.save(
        Path(request["folder"]) / CODES_FILE, read_places(find_responses(request), design)
    )
    return {}


def read_places(files: Iterable[Content], design: FormDesign) -> OptionPlaces:
    """Read answers from files: the option that each person names, shape (people, questions).

    Raises as `synth.collecting.read_collected`, which starts the child process.
    """
    reader = _Reader(design)
    for name, content in files:
        reader.read(name, content)
    return reader.codes()


class _Reader:
    def __init__(self, design: FormDesign) -> None:
        self.design = design
        self.places = [{o: i for i, o in enumerate(q.options)} for q in design.questions]
        self.rows = bytearray()
        self.persons: dict[str, str] = {}
        self.first = ""
        self.amiss = 0

    def read(self, name: str, content: bytes) -> None:
        shown = f"'{on_one_line(name, 120)}'"
        if len(content) > limits.COLLECTED_MB * 2**20:
            raise LimitError(f"{shown} is larger than {limits.COLLECTED_MB} MB.")
        try:
            for where, document in _documents(shown, name, content, design=self.design):
                self._take(where, document)
        except _Amiss as error:
            self._note(shown, str(error))

    def _take(self, where: str, document: Json | _Amiss) -> None:
        try:
            if isinstance(document, _Amiss):
                raise document
            person, row = self._check_response(document)
            if person in self.persons:
                raise _Amiss(
                    f"has the person of {self.persons[person]} again; leave one of them"
                )
        except _Amiss as error:
            return self._note(where, str(error))
        if len(self.persons) == limits.COLLECTED_PEOPLE:
            raise LimitError(f"There are more than {limits.COLLECTED_PEOPLE:,} people.")
        self.persons[person] = where
        self.rows += row
        return None

    def _check_response(self, document: Json) -> tuple[str, bytes]:
        if not isinstance(document, dict) or set(document) != set(ANSWER_KEYS):
            raise _Amiss(
                f"is no answer: it must hold {', '.join(ANSWER_KEYS)} and nothing else"
            )
        if document["form"] != self.design.identifier:
            raise _Amiss(_other_form(document, self.design))
        if document["epsilon"] != str(self.design.epsilon):
            raise _Amiss("says another epsilon than its form")
        person, answers = document["person"], document["answers"]
        if not isinstance(person, str) or not PERSON.fullmatch(person):
            raise _Amiss("holds no person's number of 32 hexadecimal digits")
        if not isinstance(answers, list) or len(answers) != len(self.places):
            raise _Amiss(f"does not answer {len(self.places)} questions")
        return person, bytes(self._place(number, said) for number, said in enumerate(answers))

    def _place(self, number: int, said: Json) -> int:
        found = self.places[number].get(said) if isinstance(said, str) else None
        if found is None:
            raise _Amiss(f"answers question {number + 1} with none of its options")
        return found

    def _note(self, where: str, what: str) -> None:
        self.first = self.first or f"{where} {what}"
        self.amiss += 1

    def codes(self) -> OptionPlaces:
        if self.amiss:
            more = f" ({self.amiss - 1:,} more are amiss)" if self.amiss > 1 else ""
            raise CollectError(f"{self.first}{more}.")
        if not self.rows:
            raise CollectError("There are no answers.")
        return np.frombuffer(self.rows, np.uint8).reshape(len(self.persons), -1)


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
    shown: str, name: str, content: bytes, *, design: FormDesign
) -> Iterator[tuple[str, Json | _Amiss]]:
    # Yields each answer with its place, or the error there; raises _Amiss for an unreadable
    # file.
    if name.lower().endswith(".csv"):
        yield from _csv_documents(shown, _lines(content, ""), design)
        return
    if len(content) <= limits.ANSWER_LENGTH:  # one answer may stand on many lines
        text = "".join(_lines(content))
        whole = _parse_line(text)
        alone = sum(map(bool, map(str.strip, text.split("\n")))) == 1
        if alone or not isinstance(whole, _Amiss):
            yield shown, whole
            return
    found = False
    for number, said in enumerate(_lines(content), 1):
        if said.strip():
            found = True
            yield f"{shown}, line {number},", _parse_line(said)
    if not found:
        raise _Amiss("is empty")


def _lines(content: bytes, ends: str = "\n") -> Iterator[str]:
    # One by one: all lines together could take a hundred times the memory.
    most = limits.ANSWER_LENGTH
    with io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline=ends) as text:
        try:
            while said := text.readline(most + 1):
                if len(said) > most:
                    raise _Amiss(f"holds a line of more than {most:,} characters")
                yield said
        except UnicodeDecodeError:
            raise _Amiss("is not UTF-8 text") from None


def _parse_line(text: str) -> Json | _Amiss:
    try:
        return cast("Json", read_json(text, "The answer"))
    except ArgumentError:
        return _Amiss("is damaged: it is no whole JSON object, or says something twice")


def _csv_documents(
    shown: str, lines: Iterator[str], design: FormDesign
) -> Iterator[tuple[str, Json | _Amiss]]:
    rows = csv.reader(lines, strict=True)
    asked = [question.text for question in design.questions]
    numbers = [str(number) for number in range(1, len(asked) + 1)]
    try:
        header = next(rows, None)
        if header is None:
            raise _Amiss("is empty")
        if header[:3] != list(ANSWER_KEYS[:3]) or header[3:] not in (asked, numbers):
            raise _Amiss("must begin with a line of form, epsilon, person and the questions")
        for row in rows:
            if not row:
                continue
            where = f"{shown}, line {rows.line_num},"
            if len(row) != len(header):
                yield (
                    where,
                    _Amiss(f"has {len(row):,} cells, and the first has {len(header):,}"),
                )
            else:
                yield (
                    where,
                    {**dict(zip(ANSWER_KEYS, row[:3], strict=False)), "answers": row[3:]},
                )
    except csv.Error:
        raise _Amiss(f"is damaged at line {rows.line_num}") from None


@dataclass(frozen=True, eq=False)
class Collected:
    """Randomised answers of some people.

    ``codes`` is the option that each person's file names, shape (people, questions).
    """

    design: FormDesign
    codes: Codes

    @property
    def people(self) -> int:
        """Number of people who answered, at least 1."""
        return len(self.codes)

    def counts(self, number: int) -> Ints:
        """Count how often each option of a question is named, shape (options,)."""
        return np.bincount(self.codes[:, number], minlength=self.design.shape[number])


def read_collected(files: Iterable[Path | Content], design: FormDesign) -> Collected:
    """Read answers from files, folders and zips; uploads are given by name and content.

    Raises:
        CollectError: An answer is damaged, belongs to another form or epsilon, or a person
        occurs
            twice. The message names the first place and the number of others.
        LimitError: There are too many people, a file is too large, or reading needs more
        memory or
            time than there is.
    """
    with Folder() as folder:
        sources = [_source(folder, number, one) for number, one in enumerate(files)]
        if not sources:
            raise CollectError("There are no answers.")
        read_apart(
            "answers",
            sources[0][0],
            folder,
            name=sources[0][1],
            sources=[(str(path.resolve()), name) for path, name in sources],
            design=design.to_json(),
            members=limits.COLLECTED_FILES,
            unpacked_mb=limits.COLLECTED_MB,
        )
        return Collected(design, np.load(folder / CODES_FILE).astype(np.int32))


def _source(folder: Path, number: int, one: Path | Content) -> tuple[Path, str]:
    if isinstance(one, Path):
        return one, one.name
    path = folder / str(number)
    path.write_bytes(one[1])
    return path, one[0]
