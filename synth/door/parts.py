"""Parts of a release as the ledger stores them: the noisy values, and how they were drawn.

A part names its query, noise, sensitivity and cost, so a resumed release can't take it for
another. It names the algorithm too: values that another version of Synth drew are neither
repeated nor continued. All of it is one payload, whose digest the ledger's chain seals.

>>> noise = {"law": "discrete Laplace", "scale": "4"}
>>> about = {"algorithm": ALGORITHM, "cost": {"epsilon": "1/2"}, "mechanism": noise}
>>> again = Part.read(Part(about, {"values": np.array([3, -1])}).pack())
>>> str(again.cost), again.mechanism, again.values
('epsilon = 1/2', DiscreteLaplace(scale=Fraction(4, 1)), array([ 3, -1]))
"""

import io
import json
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, cast

import numpy as np
import numpy.typing as npt

from synth import limits
from synth.door.ledger.entries import ALGORITHM, Entry
from synth.door.ledger.ledger import Ledger
from synth.door.ledger.standing import drop_spends
from synth.errors import ReleaseError
from synth.noise import CHOICES, PARTITION_SELECTION, Mechanism, mechanism_of
from synth.privacy import Guarantee, covers, from_terms, in_unit_of
from synth.util import Document, Json, read_json

Arrays = dict[str, npt.NDArray[Any]]

# Most bytes of a packed part in addition to its numbers and its description. Numbers that
# can't be compressed get longer by less than a thousandth.
_ARCHIVE_BYTES = 16_384

# NumPy's signed integers of 1, 2, 4 and 8 bytes, the least significant byte first.
_INTEGER_TYPES = ("<i1", "<i2", "<i4", "<i8")
# Whatever NumPy, zips and JSON raise for bytes that are no stored answer.
_READING_ERRORS = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    EOFError,
    OSError,
    zipfile.BadZipFile,
)


@dataclass(frozen=True, eq=False)
class Part:
    """One answer of a release: the noisy values and how they were drawn. PUBLIC.

    Attributes:
        about: The number of the algorithm, the query, the noise and the cost, as JSON.
        arrays: By name: "values"; "cells" if not all are listed; and "threshold" if it was
            raised so that the answer fits into the ledger.
    """

    about: Document
    arrays: Arrays

    @property
    def values(self) -> npt.NDArray[np.int64]:
        """The noisy values, shape (values,), read-only."""
        values = self.arrays["values"].view()
        values.flags.writeable = False
        return values

    @property
    def cost(self) -> Guarantee:
        """What the values cost."""
        return from_terms(_as_texts(self.about["cost"]))

    @property
    def mechanism(self) -> Mechanism:
        """The noise on the values."""
        return mechanism_of(_as_texts(self.about["mechanism"]))

    @property
    def threshold(self) -> int | None:
        """The least noisy count that is listed; None if all are.

        A threshold that was raised when the answer was drawn replaces the described one.
        """
        raised = self.arrays.get("threshold")
        return cast("int | None", self.about["threshold"]) if raised is None else int(raised)

    def pack(self) -> bytes:
        """Return the answer as bytes for the ledger: a compressed archive of NumPy arrays.

        The values are stored in the smallest integer type that holds them all. The
        description is one more array, "about", which holds its JSON text.
        """
        values = self.arrays["values"]
        extremes = np.array([values.min(initial=0), values.max(initial=0)])
        integer_type = next(
            candidate
            for candidate in _INTEGER_TYPES
            if (extremes.astype(candidate) == extremes).all()
        )
        description = json.dumps(self.about, sort_keys=True)
        arrays: Any = {
            **self.arrays,
            "values": values.astype(integer_type),
            "about": np.array(description),
        }
        file = io.BytesIO()
        np.savez_compressed(file, **arrays)
        return file.getvalue()

    @classmethod
    def read(cls, payload: bytes) -> "Part":
        """Read the bytes that `pack` returned.

        Raises:
            ReleaseError: The bytes are no stored answer, or another version of Synth wrote
                them.
        """
        try:
            with np.load(io.BytesIO(payload), allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            about = read_json(str(arrays.pop("about", "{}")), "The part")
            if about.get("algorithm") == ALGORITHM:
                return cls(about, _check_arrays(about, arrays))
        except _READING_ERRORS:
            refuse(
                "The ledger keeps a part of this release that cannot be read; restore a "
                "backup."
            )
        refuse_other()

    def asks(self, about: Document) -> bool:
        """Return whether this answers the described query; noise and cost may differ."""
        return _identify_query(about) == _identify_query(self.about)


class StoredParts:
    """The stored answers (parts) of one release, and the sum of their costs.

    Without a ledger nothing is stored, and only the costs are summed.

    Attributes:
        head: Hash of the newest event of the release in the ledger, as far as known.
        costs: Cost of each part, by its number from 1 up.
        finished: Whether the parts stored before cost all that was charged.

    Raises:
        ReleaseError: Another version of Synth made the release, or more is stored than
            was paid for.
    """

    def __init__(self, ledger: Ledger | None, entry: Entry) -> None:
        """Read all stored answers of the release, and sum up their costs.

        Args:
            ledger: The ledger that stores them; None to store nothing.
            entry: The spend that paid for the release.
        """
        self._ledger = ledger
        self._entry = entry
        self.head = entry.hash
        self.costs: dict[int, Guarantee] = {}
        self._spent: Guarantee | None = None  # the sum of the costs
        # `get` also moves `head` to the event of the answer; `_count` fills the costs.
        while (part := self.get(len(self.costs) + 1)) is not None:
            self._count(len(self.costs) + 1, part)
        self.finished = self._spent == self._total_guarantee

    def room(self, about: Document) -> int:
        """Return how many bytes of numbers surely fit into the ledger beside a description.

        ``about`` is the description of the answer. Compression is not relied upon. The result
        depends on public numbers only, so nothing is drawn that could then not be stored.
        """
        if self._ledger is None:
            return sys.maxsize
        # As in `Part.pack`, the description is an array of one text.
        description = len(np.array(json.dumps(about)).tobytes())
        # Compressing what cannot be compressed adds less than a thousandth.
        return (limits.KEPT_BYTES - _ARCHIVE_BYTES - description) * 1000 // 1001

    def get(self, number: int) -> Part | None:
        """Return the stored answer of a number, from 1 up; None if it is not stored.

        Raises:
            ReleaseError: It cannot be read, or another version of Synth stored it.
        """
        if self._ledger is None:
            return None
        stored = self._ledger.kept(self._entry, str(number))
        if stored is None:
            return None
        payload, self.head = stored
        return Part.read(payload)

    def find(self, number: int, about: Document) -> Part | None:
        """Return the stored answer to this query; None if the release has none yet.

        A finished release is repeated as it was drawn. A release that goes on must have come
        this far by the same queries, noise and costs.

        Args:
            number: The number of the answer in the release, from 1 up.
            about: The description of the answer as this version would draw it.

        Raises:
            ReleaseError: Another answer is stored, or the release can't go on.
        """
        part = self.get(number)
        if part is not None:
            self._check(number, part, about)
        elif self.finished:  # it asked for fewer answers when it was made
            refuse_other()
        return part

    def draw(self, number: int, about: Document, draw: Callable[[], Arrays]) -> Part:
        """Draw and store an answer, if the charge of the release covers its cost.

        Args:
            number: The number of the answer in the release, from 1 up.
            about: The description of the answer, with its cost.
            draw: Draws the arrays of the answer.

        Raises:
            LedgerError: The answer can't be written; then it may not leave.
            ReleaseError: It costs more than is left, or another process stored another
                answer of this number.
        """
        # Refuses too high a cost before anything is drawn; `_check` counts the cost later.
        self._sum(from_terms(_as_texts(about["cost"])))
        part = Part(about, draw())
        if self._ledger is not None:
            # Another process may have stored its own draw first: then that one is returned.
            part = Part.read(self.store_once(str(number), part.pack))
        self._check(number, part, about)
        return part

    def store_once(self, name: str, make: Callable[[], bytes]) -> bytes:
        """Return the value stored under a name; make and store it if there is none.

        The value that is stored first stays, and only that one may leave.

        Args:
            name: The number of an answer, or "seed".
            make: Returns the value's bytes. It is not called if a value is stored.

        Raises:
            LedgerError: The value can't be written; then it may not leave.
        """
        if self._ledger is None:
            return make()
        stored = self._ledger.kept(self._entry, name)
        payload, self.head = stored or self._ledger.keep(self._entry, name, make())
        return payload

    @property
    def _total_guarantee(self) -> Guarantee:
        """The charged guarantee, in the unit in which the costs of the parts add up.

        Costs in rho are compared with the rho that a charged (epsilon, delta) contains. Pure
        costs are compared with its epsilon alone.
        """
        charged = self._entry.guarantee
        # A rho is charged, or the answers so far cost a rho.
        if charged.epsilon is None or (
            self._spent is not None and self._spent.rho is not None
        ):
            return charged if self._spent is None else in_unit_of(self._spent, charged)
        return Guarantee.pure(charged.epsilon)

    def _check(self, number: int, part: Part, about: Document) -> None:
        """Refuse a stored answer that is not the one now asked for; count its cost otherwise.

        The answers of a finished release may have been drawn with other noise or at another
        cost. A release that goes on must agree in everything.
        """
        is_wanted = part.asks(about) if self.finished else part.about == about
        if not is_wanted:
            refuse_other()
        self._count(number, part)

    def _count(self, part_number: int, part: Part) -> None:
        """Add the cost of an answer to the sum, once for each number of an answer.

        A release that goes on after it was stopped asks for the same answers again.
        """
        if part_number not in self.costs:
            self.costs[part_number] = part.cost
            self._spent = self._sum(part.cost)

    def _sum(self, cost: Guarantee) -> Guarantee:
        """Return the cost of all answers so far together with this cost.

        Raises:
            ReleaseError: It is more than the ledger charged.
        """
        # Every part is counted here before it leaves. No other code decides what a door may
        # release.
        spent = cost if self._spent is None else self._spent + cost
        if not covers(self._entry.guarantee, spent):
            refuse(f"This needs {cost}, more than is left of {self._entry.guarantee}.")
        return spent


def check_version(ledger: Ledger, *, dataset: str, table: str, request: str) -> None:
    """Refuse a request whose release another version of Synth made, before it is paid again.

    ``table`` is the table's digest in the ledger, and ``request`` the text that determines
    the release; empty ones find no earlier release.

    Raises:
        ReleaseError: Another version made it.
    """
    entry = ledger.paid(dataset=dataset, table=table, request=request)
    # All answers of a release are of one version, so the first one tells it.
    if entry is None:
        return
    first_part = ledger.kept(entry, "1")
    if first_part is not None:
        Part.read(first_part.payload)


def _identify_query(about: Document) -> Document:
    """Return what identifies the query of a described answer.

    That is all but what two drawings may do differently: the algorithm, the parameters of the
    noise, the threshold and the cost. The law of the noise, and whether only large counts are
    listed, do identify the query.
    """
    of_the_drawing = ("algorithm", "mechanism", "before", "threshold", "cost")
    identity = {name: value for name, value in about.items() if name not in of_the_drawing}
    identity["law"] = _as_texts(about["mechanism"])["law"]
    identity["listed"] = about["threshold"] is not None
    return identity


def _as_texts(document: Json) -> dict[str, str]:
    """Return a part of a description unchanged, for the type checker: texts by name."""
    return cast("dict[str, str]", document)


def _check_arrays(about: Document, arrays: Arrays) -> Arrays:
    """Return the arrays of a stored answer, with its values as 64-bit integers.

    The cost and the law in the description ``about`` are read once, to see that they can be.

    Raises:
        ValueError: The values are no vector of integers, or the law cannot be read. What
            `Part.read` catches besides may be raised too.
    """
    values = arrays["values"]
    if values.ndim != 1 or not np.issubdtype(values.dtype, np.integer):
        raise ValueError(values.dtype)
    from_terms(_as_texts(about["cost"]))
    mechanism = _as_texts(about["mechanism"])
    if mechanism["law"] not in (*CHOICES, PARTITION_SELECTION):
        mechanism_of(mechanism)
    return {**arrays, "values": values.astype(np.int64)}


def refuse_other() -> NoReturn:
    """Raise ReleaseError: a release was measured in another way than this version measures.

    The message says what becomes of the spends, so the sentence about them, which would end
    the error, is dropped.
    """
    drop_spends()
    refuse(
        "Another version of Synth made this release, and this version can neither repeat nor "
        "finish it. Its spend still counts. For a new release, change the request and spend "
        "again."
    )


def refuse(message: str) -> NoReturn:
    """Refuse a request, by a `ReleaseError` with this message."""
    raise ReleaseError(message)
