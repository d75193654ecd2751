"""Reader of collected answers, in the child process. PUBLIC.

An answer is a JSON object with the form's identifier, its epsilon, a number drawn for the
person and the randomised answers. A file holds one, or a line for each; a CSV file has these
as columns, then the questions. One error refuses all answers, so that none is left out in
silence; the files stay unchanged.
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

# Files to read from a folder or a zip; other and hidden files are skipped.
RESPONSE_ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".txt")

# A file's name, for messages, and its content.
Content = tuple[str, bytes]


def find_responses(request: Request) -> Iterator[Content]:
    """Yield the content of all files of answers, each with a name for messages.

    ``request["sources"]`` lists pairs of a path and its name: files, folders or zip files. An
    uploaded file lies at a temporary path, so its name is passed along.

    Raises:
        CollectError: A path can't be read, or holds no file of answers.
        LimitError: There are too many files, or one is too large.
    """
    for source, name in request["sources"]:
        path = Path(source)
        if path.is_dir():
            yield from _in_folder(path)
        elif name.lower().endswith(".zip"):
            yield from _in_zip(path, name, request)
        else:
            yield name, _load(path)


def _in_folder(path: Path) -> Iterator[Content]:
    """Yield the content of the files of answers below a folder, each with its relative path.

    Raises:
        CollectError: There is no such file, or one cannot be read.
        LimitError: There are too many files.
    """
    paths = sorted(
        below for below in path.rglob("*") if _is_read(below.name) and not below.is_dir()
    )
    if not paths:
        _refuse_empty(path.name)
    _check_number(path.name, len(paths))
    for below in paths:
        yield str(below.relative_to(path)), _load(below)


def _in_zip(path: Path, name: str, request: Request) -> Iterator[Content]:
    """Yield the content of the files of answers in a zip, each with its name there.

    Another process unpacks the zip: it writes all members one after the other into one file,
    and returns their names and sizes in this order.

    Args:
        path: The zip file.
        name: What messages call the file.
        request: The limits of unpacking, and the folder for the unpacked file.

    Raises:
        CollectError: The zip is damaged, too large, or without any file of answers.
        LimitError: It has too many files.
    """
    short_name = on_one_line(name, 120)
    _load(path, 0)  # reads no byte, but refuses a path that cannot be read
    try:
        members = join_members({**request, "source": str(path)})
    except Fault as fault:
        if "members" in fault.answer:  # there are too many files, so this raises
            _check_number(short_name, int(str(fault.answer["members"])))
        reason = _zip_fault_in_words(str(fault.answer["fault"]))
        raise CollectError(f"'{short_name}' {reason}.") from None
    if not any(_is_in_zip(member) for member, _ in members):
        _refuse_empty(short_name)
    joined_path = Path(request["folder"]) / JOINED_FILE
    with joined_path.open("rb") as file:
        for member, size in members:
            content = file.read(size)
            if _is_in_zip(member):
                yield member, content
    joined_path.unlink()  # the next zip is unpacked into a file of the same name


def _zip_fault_in_words(fault: str) -> str:
    """Return the end of a sentence on the fault that the unpacking process reports.

    ``fault`` is "twice" for a repeated name. It is "size" or "ratio" if the zip unpacks to
    too many bytes, in all or for its own size. Any other fault means a damaged zip.
    """
    if fault == "twice":
        return "holds two files of the same name"
    if fault in ("size", "ratio"):
        return f"unpacks to more than {limits.COLLECTED_MB} MB"
    return "is not a whole zip file"


def _is_in_zip(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return not name.endswith("/") and "__MACOSX" not in path.parts and _is_read(path.name)


def _is_read(name: str) -> bool:
    return not name.startswith(".") and name.lower().endswith(RESPONSE_ENDINGS)


def _check_number(name: str, number: int) -> None:
    """Raise LimitError if a folder or zip of this name holds too many files."""
    if number > limits.COLLECTED_FILES:
        raise LimitError(
            f"'{name}' holds {number:,} files; the limit is {limits.COLLECTED_FILES:,}, so "
            "put the answers into one file, a line each."
        )


def _load(path: Path, max_bytes: int = limits.COLLECTED_MB * 2**20) -> bytes:
    return load_file(path, max_bytes, "The file", kind=CollectError)


def _refuse_empty(name: str) -> None:
    """Raise CollectError, as a folder or zip of this name holds no file of answers."""
    raise CollectError(
        f"'{on_one_line(name, 120)}' holds no files of answers "
        f"({', '.join(RESPONSE_ENDINGS)})."
    )


ANSWER_KEYS = ("form", "epsilon", "person", "answers")
PERSON = re.compile("[0-9a-f]{32}")
# The child's result: positions of options, fewer than 256.
CODES_FILE = "codes.npy"

OptionPlaces = npt.NDArray[np.uint8]


class _AnswerFault(Exception):
    """The error of an answer, as the end of a sentence that begins with its place."""


def answer_codes(request: Request) -> Reply:
    """Read the answers to a form in the child process, and save the positions of the options.

    ``request`` has the form's design, the sources, and the folder for the array of shape
    (people, questions). The reply is empty. The errors are those of `read_places`.
    """
    design = FormDesign.from_json(request["design"])
    places = read_places(find_responses(request), design)
    np.save(Path(request["folder"]) / CODES_FILE, places)
    return {}


def read_places(files: Iterable[Content], design: FormDesign) -> OptionPlaces:
    """Read answers from files; return the positions of the options that people name.

    A position counts from 0 in the question's list of options. The shape is (people,
    questions). The errors are those of `synth.collecting.read_collected`, which starts the
    child process.

    Args:
        files: The name, for messages, and the content of each file.
        design: The form that was answered.
    """
    reader = _Reader(design)
    for name, content in files:
        reader.read(name, content)
    return reader.codes()


class _Reader:
    """Reads answers, and counts the faulty ones.

    Attributes:
        design: The form.
        places: For each question the position of every option, counted from 0.
        rows: The positions of the options that people name, one byte for each answer.
        persons: From a person's random number to the file and line of the answer.
        first_fault: The sentence about the first faulty answer, without its full stop.
        faults: The number of faulty answers.
    """

    def __init__(self, design: FormDesign) -> None:
        """Start without any answer; ``design`` is the form that people answered."""
        self.design = design
        self.places = [
            {option: place for place, option in enumerate(question.options)}
            for question in design.questions
        ]
        self.rows = bytearray()
        self.persons: dict[str, str] = {}
        self.first_fault = ""
        self.faults = 0

    def read(self, name: str, content: bytes) -> None:
        """Take all answers of a file, and count those that are invalid or come twice.

        Args:
            name: The file's name, for messages. Its ending tells CSV from JSON.
            content: The bytes of the file.

        Raises:
            LimitError: The file is too large, or there are too many people.
        """
        quoted_name = f"'{on_one_line(name, 120)}'"
        if len(content) > limits.COLLECTED_MB * 2**20:
            raise LimitError(f"{quoted_name} is larger than {limits.COLLECTED_MB} MB.")
        try:
            for where, document in _documents(quoted_name, name, content, design=self.design):
                self._take(where, document)
        except _AnswerFault as error:
            self._note(quoted_name, str(error))

    def _take(self, where: str, document: Json | _AnswerFault) -> None:
        """Add one answer, or count its fault.

        A person's number may occur once only: the same file may have been sent twice.

        Args:
            where: The file and line, for messages.
            document: The parsed answer, or the reason why it could not be parsed.

        Raises:
            LimitError: There are too many people.
        """
        try:
            if isinstance(document, _AnswerFault):
                raise document
            person, row = self._check_response(document)
            if person in self.persons:
                raise _AnswerFault(
                    f"has the person of {self.persons[person]} again; leave one of them"
                )
        except _AnswerFault as error:
            self._note(where, str(error))
            return
        if len(self.persons) == limits.COLLECTED_PEOPLE:
            raise LimitError(f"There are more than {limits.COLLECTED_PEOPLE:,} people.")
        self.persons[person] = where
        self.rows += row

    def _check_response(self, document: Json) -> tuple[str, bytes]:
        """Return the person's number, and the chosen options as a byte each.

        A byte is the option's position in the question's list.

        Raises:
            _AnswerFault: The answer has another form, or does not belong to this design.
        """
        if not isinstance(document, dict) or set(document) != set(ANSWER_KEYS):
            raise _AnswerFault(
                f"is no answer: it must hold {', '.join(ANSWER_KEYS)} and nothing else"
            )
        if document["form"] != self.design.identifier:
            raise _AnswerFault(_other_form(document, self.design))
        if document["epsilon"] != str(self.design.epsilon):
            raise _AnswerFault("says another epsilon than its form")
        person = document["person"]
        answers = document["answers"]
        if not isinstance(person, str) or not PERSON.fullmatch(person):
            raise _AnswerFault("holds no person's number of 32 hexadecimal digits")
        if not isinstance(answers, list) or len(answers) != len(self.places):
            raise _AnswerFault(f"does not answer {len(self.places)} questions")
        places = bytes(self._place(number, answer) for number, answer in enumerate(answers))
        return person, places

    def _place(self, number: int, answer: Json) -> int:
        """Return the position of an answer among the options of a question, counted from 0.

        ``number`` is the question's position. Any other answer raises _AnswerFault.
        """
        place = self.places[number].get(answer) if isinstance(answer, str) else None
        if place is None:
            raise _AnswerFault(f"answers question {number + 1} with none of its options")
        return place

    def _note(self, where: str, fault: str) -> None:
        """Count a fault, and remember the first: ``fault`` is the end of its sentence."""
        self.first_fault = self.first_fault or f"{where} {fault}"
        self.faults += 1

    def codes(self) -> OptionPlaces:
        """Return the positions of the options that people name, shape (people, questions).

        Raises:
            CollectError: Any answer was faulty, or there is none.
        """
        if self.faults == 1:
            raise CollectError(f"{self.first_fault}.")
        if self.faults:
            raise CollectError(f"{self.first_fault} ({self.faults - 1:,} more are amiss).")
        if not self.rows:
            raise CollectError("There are no answers.")
        return np.frombuffer(self.rows, np.uint8).reshape(len(self.persons), -1)


def _other_form(document: Document, design: FormDesign) -> str:
    """Return why an answer does not belong to the form, as the end of a sentence.

    The message names both epsilons if the answer has another valid one.
    """
    epsilon = document["epsilon"]
    if isinstance(epsilon, str) and epsilon != str(design.epsilon) and _is_number(epsilon):
        return f"was made with epsilon {epsilon}, and this form has epsilon {design.epsilon}"
    return "is of another form"


def _is_number(text: str) -> bool:
    """Return whether a text is a positive number, short enough to be shown."""
    try:
        return len(text) <= limits.NUMBER_TEXT and Fraction(text) > 0
    except (ValueError, ZeroDivisionError):
        return False


def _documents(
    quoted_name: str, name: str, content: bytes, *, design: FormDesign
) -> Iterator[tuple[str, Json | _AnswerFault]]:
    """Yield each answer of a file as parsed JSON, or its fault, with its place for messages.

    A CSV file has an answer on each line. Any other file is one JSON object, or a JSON object
    on each line.

    Args:
        quoted_name: The file's name in quotes, for messages.
        name: Its plain name; the ending tells CSV from JSON.
        content: The bytes of the file.
        design: The form, for the header of a CSV file.

    Raises:
        _AnswerFault: The file cannot be read.
    """
    if name.lower().endswith(".csv"):
        yield from _csv_documents(quoted_name, _lines(content, ""), design)
        return
    # A short file may be a single answer on many lines: try that first. If it is no JSON as a
    # whole but has several lines, each line is an answer.
    if len(content) <= limits.ANSWER_LENGTH:
        text = "".join(_lines(content))
        answer = _parse_line(text)
        has_one_line = "\n" not in text.strip()
        if not isinstance(answer, _AnswerFault) or (has_one_line and text.strip()):
            yield quoted_name, answer
            return
    is_empty = True
    for number, line in enumerate(_lines(content), 1):
        if line.strip():
            is_empty = False
            yield f"{quoted_name}, line {number},", _parse_line(line)
    if is_empty:
        raise _AnswerFault("is empty")


def _lines(content: bytes, ends: str = "\n") -> Iterator[str]:
    """Yield the lines of a file as text, one by one.

    All lines together could take a hundred times the memory of the file.

    Args:
        content: The bytes of a UTF-8 file, with or without a byte order mark.
        ends: How lines end, as the ``newline`` of ``open``: a CSV reader needs "".

    Raises:
        _AnswerFault: The file is not UTF-8, or a line is too long.
    """
    max_length = limits.ANSWER_LENGTH
    with io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline=ends) as text:
        try:
            while line := text.readline(max_length + 1):
                if len(line) > max_length:
                    raise _AnswerFault(f"holds a line of more than {max_length:,} characters")
                yield line
        except UnicodeDecodeError:
            raise _AnswerFault("is not UTF-8 text") from None


def _parse_line(text: str) -> Json | _AnswerFault:
    """Return the JSON value of a text, or a fault if the text is damaged or repeats a key."""
    try:
        return cast("Json", read_json(text, "The answer"))
    except ArgumentError:
        return _AnswerFault("is damaged: it is no whole JSON object, or says something twice")


def _csv_documents(
    quoted_name: str, lines: Iterator[str], design: FormDesign
) -> Iterator[tuple[str, Json | _AnswerFault]]:
    """Yield each line of a CSV file as an answer, or its fault, with its place for messages.

    The header is form, epsilon, person, and then the questions' texts or their numbers from
    1.

    Args:
        quoted_name: The file's name in quotes, for messages.
        lines: The lines of the file, with their ends.
        design: The form that was answered.

    Raises:
        _AnswerFault: The header is wrong, or the file is damaged.
    """
    rows = csv.reader(lines, strict=True)
    texts = [question.text for question in design.questions]
    numbers = [str(number) for number in range(1, len(texts) + 1)]
    try:
        header = next(rows, None)
        if header is None:
            raise _AnswerFault("is empty")
        if header[:3] != list(ANSWER_KEYS[:3]) or header[3:] not in (texts, numbers):
            raise _AnswerFault(
                "must begin with a line of form, epsilon, person and the questions"
            )
        for row in rows:
            if not row:
                continue
            answer: Json | _AnswerFault
            if len(row) == len(header):
                # As in JSON: the form, the epsilon, the person, and a list of the answers.
                answer = dict(zip(ANSWER_KEYS, (*row[:3], row[3:]), strict=True))
            else:
                answer = _AnswerFault(
                    f"has {len(row):,} cells, and the first has {len(header):,}"
                )
            yield f"{quoted_name}, line {rows.line_num},", answer
    except csv.Error:
        raise _AnswerFault(f"is damaged at line {rows.line_num}") from None


@dataclass(frozen=True, eq=False)
class Collected:
    """Randomised answers of some people.

    Attributes:
        design: The form.
        codes: The option that each person's file names, shape (people, questions).
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
    """Read answers from files, folders and zips, in a child process.

    Args:
        files: Paths, or the name and content of uploaded files.
        design: The form that was answered.

    Raises:
        CollectError: An answer is damaged, belongs to another form or epsilon, or a person
            occurs twice. The message names the first place and the number of others.
        LimitError: There are too many people, a file is too large, or reading needs more
            memory or time than there is.
    """
    with Folder() as folder:
        sources = [_source(folder, number, source) for number, source in enumerate(files)]
        if not sources:
            raise CollectError("There are no answers.")
        # The child gets the first source as its file, and all of them in ``sources``.
        first_path, first_name = sources[0]
        read_apart(
            "answers",
            first_path,
            folder,
            name=first_name,
            sources=[(str(path.resolve()), name) for path, name in sources],
            design=design.to_json(),
            members=limits.COLLECTED_FILES,
            unpacked_mb=limits.COLLECTED_MB,
        )
        return Collected(design, np.load(folder / CODES_FILE).astype(np.int32))


def _source(folder: Path, number: int, source: Path | Content) -> tuple[Path, str]:
    """Return the path and the name of a source; an upload is first written into the folder.

    ``number`` becomes the name of the written file, as an upload's own name may be unsafe.
    """
    if isinstance(source, Path):
        return source, source.name
    name, content = source
    path = folder / str(number)
    path.write_bytes(content)
    return path, name
