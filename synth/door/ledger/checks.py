"""How many claimed figures somebody may have compared with the real ones. PUBLIC.

The steward declares it by dataset and asker. Every comparison with a known asker is a spend
that names them, so that the ledger counts these spends.

>>> one = Asker(name="Ada", checks=1)
>>> limit = {"asker": "ada", "limit": 2}
>>> allowances([("checks", limit), ("spend", one.to_json())])
[Allowance(asker='ada', limit=2, used=1)]
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from synth.door.ledger.names import check_name, standard
from synth.errors import ArgumentError, LedgerError
from synth.util import Document

# Kind of the event that declares a number of checks.
DECLARED = "checks"
# The most that may be declared; more would be no limit.
MOST_CHECKS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Asker:
    """Who asks, and how many claimed figures they have compared.

    Attributes:
        name: The name of the asker.
        checks: The number of claimed figures in the request.
    """

    name: str
    checks: int

    def to_json(self) -> Document:
        """Return what the line of a spend says of it."""
        return {"asker": self.name, "checks": self.checks}


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """How many claimed figures an asker may have compared.

    Attributes:
        asker: The name; empty for each asker without a number of their own.
        limit: The number; None if only the checks so far are known.
        used: The checks so far; 0 if no asker is named.
    """

    asker: str
    limit: int | None
    used: int

    def to_json(self) -> Document:
        """Return the allowance as JSON; the asker is null for each without an own number."""
        return {"asker": self.asker or None, "limit": self.limit, "used": self.used}

    @property
    def words(self) -> str:
        """The allowance as a sentence.

        >>> Allowance(asker="Ada", limit=3, used=1).words
        'Checks by Ada: 1 of 3 used.'
        """
        if not self.asker:
            return f"Checks by anybody else who is named: {self.limit} each."
        of = "" if self.limit is None else f" of {self.limit}"
        return f"Checks by {self.asker}: {self.used}{of} used."


def check_asker(name: str) -> str:
    """Return the standard spelling of an asker's name.

    Raises:
        ArgumentError: It is empty, too long, or has characters that cannot be seen.
    """
    try:
        return check_name(name)
    except LedgerError as error:
        message = str(error).replace("A dataset needs", "An asker needs")
        raise ArgumentError(message) from None


def check_limit(limit: int) -> int:
    """Return a number of checks.

    Raises:
        ArgumentError: It is below 0 or above a million.
    """
    if not 0 <= limit <= MOST_CHECKS:
        raise ArgumentError(f"The number of checks is from 0 to {MOST_CHECKS:,}.")
    return limit


def allowances(events: Iterable[tuple[str, Document]]) -> list[Allowance]:
    """Return the numbers of checks of a dataset, declared ones and those so far.

    Args:
        events: The kind and the content of the dataset's events, oldest first.
    """
    limits: dict[str, int] = {}
    used: dict[str, int] = {}
    spelled: dict[str, str] = {}
    for kind, content in events:
        name = cast("str", content.get("asker", ""))
        spelled.setdefault(_key(name), name)
        if kind == DECLARED:
            limits[_key(name)] = cast("int", content["limit"])
        elif kind == "spend" and name:
            checks = cast("int", content["checks"])
            used[_key(name)] = used.get(_key(name), 0) + checks
    return [
        Allowance(
            asker=spelled[key],
            limit=limits.get(key, limits.get("")),
            used=used.get(key, 0),
        )
        for key in dict.fromkeys((*limits, *used))
    ]


def find_allowance(known: Iterable[Allowance], asker: str) -> Allowance | None:
    """Return the number of checks of an asker; None if none is declared and none was asked.

    Args:
        known: What `allowances` returned for a dataset.
        asker: The name; empty for each asker without a number of their own.
    """
    by_name = {_key(allowance.asker): allowance for allowance in known}
    return by_name.get(_key(asker))


def allowance_for(known: Sequence[Allowance], asker: str) -> Allowance | None:
    """Return the number that holds for an asker: their own, or else that of all.

    Args:
        known: What `allowances` returned for a dataset.
        asker: The name.
    """
    return find_allowance(known, asker) or find_allowance(known, "")


def refuse_used_up(asker: Asker, dataset: str, known: Sequence[Allowance]) -> None:
    """Refuse checks that the steward did not allow.

    Args:
        asker: Who asks, and for how many checks.
        dataset: The dataset's name, for the message.
        known: What `allowances` returned for the dataset.

    Raises:
        LedgerError: No number is declared, or it is used up.
    """
    own = find_allowance(known, asker.name)
    allowance = allowance_for(known, asker.name)
    limit = None if allowance is None else allowance.limit
    used = 0 if own is None else own.used
    declare = f"`synth ledger checks N --dataset '{dataset}' --asker '{asker.name}'`"
    if limit is None:
        raise LedgerError(
            f"No number of checks of '{dataset}' is declared for '{asker.name}'; declare it "
            f"by {declare}, or on the page Ledger."
        )
    if used + asker.checks > limit:
        raise LedgerError(
            f"'{asker.name}' has used {used} of {limit} checks of '{dataset}', and this "
            f"request has {asker.checks}; allow more by {declare}, or on the page Ledger."
        )


def _key(name: str) -> str:
    """Return the form in which names of askers are compared: without capitals."""
    return standard(name).casefold()
