"""A request: whether the confidential table has about the figure of a release. PUBLIC.

Whoever found the figure writes it, and the steward opens it to ask the table.

>>> request = CheckRequest.of(
...     "close to 0.42 within 0.05: share where sex = f", asker="Ada", release="0" * 64
... )
>>> read_check_request(request.to_bytes()) == request
True
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from synth import limits
from synth.bundle.published.check_request import REQUEST_FORMAT
from synth.door import BUNDLED, Ledger, check_asker
from synth.errors import QuestionError
from synth.foreign import load_file
from synth.privacy import plain
from synth.questions import Question, parse, refuse_question
from synth.util import FileOutput, Protection, read_json

_TEXTS = ("question", "figure", "within", "asker", "release")
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, kw_only=True)
class CheckRequest:
    """A claimed figure, who asks for the comparison, and the release that it came from.

    Attributes:
        question: The question with the claimed figure.
        asker: The name of the person who asks.
        release: The SHA-256 of the release's certificate, in hexadecimal digits.
    """

    question: Question
    asker: str
    release: str

    @classmethod
    def of(cls, question: str | Question, *, asker: str, release: str) -> Self:
        """Return a request, checked.

        Args:
            question: Such as "close to 0.42 within 0.05: share where age >= 65".
            asker: The name of the person who asks.
            release: The SHA-256 of the release's certificate, in hexadecimal digits.

        Raises:
            SynthError: The question has no claimed figure, or a part is wrong.
        """
        checked = parse(question) if isinstance(question, str) else question
        if checked.claimed is None:
            refuse_question(
                "A request is about a claimed figure: 'close to 0.42 within 0.05: share "
                "where age >= 65'."
            )
        if len(release) != 64 or not _HEX.issuperset(release):
            refuse_question("A request names its release by a SHA-256 of 64 digits.")
        return cls(question=checked, asker=check_asker(asker), release=release)

    def to_bytes(self) -> bytes:
        """Return the request as the bytes of its file."""
        claimed = self.question.claimed
        assert claimed is not None  # `of` refuses others
        # The words behind the colon are the question of the figure.
        asked = str(self.question).partition(": ")[2]
        content = {
            "format": REQUEST_FORMAT,
            "question": asked,
            "figure": plain(claimed.figure),
            "within": plain(claimed.within),
            "asker": self.asker,
            "release": self.release,
        }
        return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the request as a file, and return its path.

        Args:
            path: The file, whose name ends with .json.
            overwrite: Whether to replace another file of this name.

        Raises:
            ReleaseError: The file cannot be written, or something else is there.
        """
        protection = Protection((), overwrite)
        protection.check(FileOutput(path, (".json",)))
        return self.write(path, protection)

    def write(self, path: str | Path, protection: Protection) -> Path:
        """Write the request as a file that was checked, and return its path.

        Args:
            path: The file.
            protection: The files that are never written over.

        Raises:
            ReleaseError: It cannot be written, or something else is there.
        """
        return protection.write_file(path, lambda place: _write(place, self.to_bytes()))

    def is_about(self, ledger: Ledger, dataset: str) -> bool:
        """Return whether the release that it names was made of this dataset.

        Args:
            ledger: The ledger, which stores the digests of certificates.
            dataset: The dataset's name.
        """
        part = f"{BUNDLED}{self.release}"
        spends = ledger.balance(dataset).spends
        return any(ledger.kept(entry, part) is not None for entry in spends)


def _write(place: Path, content: bytes) -> None:
    place.write_bytes(content)


def read_check_request(content: bytes) -> CheckRequest:
    """Read a request from the bytes of its file.

    Raises:
        SynthError: It is none, or a part is wrong.
    """
    document = read_json(content, "The request", kind=QuestionError)
    if not isinstance(document, dict) or document.get("format") != REQUEST_FORMAT:
        refuse_question(
            f"The file is no request of the form '{REQUEST_FORMAT}'; 'synth analyse' and the "
            "page Use a release write one."
        )
    texts = [document.get(name) for name in _TEXTS]
    is_whole = set(document) == {"format", *_TEXTS}
    if not is_whole or not all(isinstance(text, str) for text in texts):
        refuse_question(
            "The request has a part that this version of Synth does not know, or lacks one."
        )
    asked, figure, within, asker, release = map(str, texts)
    question = f"close to {figure} within {within}: {asked}"
    return CheckRequest.of(question, asker=asker, release=release)


def load_check_request(path: str | Path) -> CheckRequest:
    """Read the request at a path.

    Raises:
        SynthError: It cannot be read, is none, or a part is wrong.
    """
    largest_size = limits.QUESTIONS_MB * 2**20
    content = load_file(path, largest_size, "The request", kind=QuestionError)
    return read_check_request(content)
