"""A kept part that somebody changed is refused, or buys nothing beyond its spend."""

import sqlite3
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.door import ALGORITHM, Ledger
from synth.door.parts import Part
from synth.errors import LedgerError, ReleaseError
from synth.plans import Method, Plan
from synth.private.methods import strategies
from synth.private.table import PrivateTable
from synth.spending import synthesize
from tests.audit.upgrades import DOMAIN, OTHER, Killed, noise, open_ledger, pack_arrays

pytestmark = pytest.mark.slow


def edit_part(part: Part, **changes: Any) -> bytes:
    return Part({**part.about, **changes}, part.arrays).pack()


FORGED: dict[str, Callable[[Part], bytes]] = {
    "a smaller cost": lambda part: edit_part(part, cost={"epsilon": "1/1000"}),
    "a larger cost": lambda part: edit_part(part, cost={"epsilon": "7"}),
    "another scale": lambda part: edit_part(part, mechanism=noise("1/2")),
    "another query": lambda part: edit_part(part, query="histogram of a, b"),
    "another subject": lambda part: edit_part(part, subject="0" * 32),
    "another page": lambda part: edit_part(part, proof="rows"),
    "another unit": lambda part: edit_part(part, person="b"),
    "another sensitivity": lambda part: edit_part(part, sensitivity=[1, 1, 1]),
    "other neighbours": lambda part: edit_part(part, neighbors="add-remove"),
    "another algorithm": lambda part: edit_part(part, algorithm=ALGORITHM + 1),
    "a listing": lambda part: edit_part(part, threshold=3),
    "no algorithm": lambda part: edit_part(part, algorithm=None),
    "no cost": lambda part: Part({"algorithm": ALGORITHM, "query": "x"}, part.arrays).pack(),
    "a cost of zero": lambda part: edit_part(part, cost={"epsilon": "1/0"}),
    "a choice's law": lambda part: edit_part(
        part, mechanism={"law": "permute-and-flip", "epsilon": "1"}
    ),
    "Gaussian noise": lambda part: edit_part(
        part, mechanism={"law": "discrete Gaussian", "sigma2": "9"}, cost={"rho": "1/9"}
    ),
    "not said how": lambda part: pack_arrays(
        values=part.values, name=np.array(part.about["query"])
    ),
    "a law of its own": lambda part: edit_part(part, mechanism={"law": "none"}),
    "too many values": lambda part: Part(part.about, {"values": np.arange(99)}).pack(),
    "floats": lambda _: pack_arrays(values=np.ones(3), about=np.array("{}")),
    "no values": lambda _: pack_arrays(about=np.array("{}")),
    "no JSON": lambda part: pack_arrays(values=part.values, about=np.array("{")),
    "a list": lambda part: pack_arrays(values=part.values, about=np.array("[1]")),
    "an object": lambda _: pack_arrays(values=np.array([{}])),
    "a picture": lambda _: b"GIF89a",
    "nothing": lambda _: b"",
}


# A release of three columns on their own, each of which is a part in the ledger.
COLUMNS = Plan(domain=DOMAIN, epsilon=Fraction(8), method=Method.INDEPENDENT)


@pytest.mark.parametrize("forged", list(FORGED))
@pytest.mark.parametrize("number", ["2", "3"], ids=["killed", "finished"])
def test_a_part_that_was_forged_is_refused(
    forged: str,
    number: str,
    table: PrivateTable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A stored part that somebody with the key changed is refused when the release goes on.

    The forger has the key, so the chain of the ledger is whole. The last part that was stored
    is changed in one of the ways of FORGED; then the release is killed.
    """
    keep = Ledger.keep

    def forging(ledger: Ledger, entry: Any, part: str, payload: bytes) -> Any:
        if part == number:
            keep(ledger, entry, part, FORGED[forged](Part.read(payload)))
            raise Killed
        return keep(ledger, entry, part, payload)

    with monkeypatch.context() as patched, open_ledger(tmp_path, COLUMNS) as ledger:
        patched.setattr(Ledger, "keep", forging)
        with pytest.raises(Killed):
            synthesize(COLUMNS, table, ledger=ledger)
    with open_ledger(tmp_path, COLUMNS) as ledger:
        ledger.verify()
        with pytest.raises(ReleaseError) as caught:
            synthesize(COLUMNS, table, ledger=ledger)
    assert str(caught.value).startswith(
        (
            OTHER,
            "The ledger keeps a part of this release that cannot be read",
            "This needs ",
        )
    )


def test_a_payload_changed_in_the_file_is_seen_by_its_digest(
    table: PrivateTable, tmp_path: Path
) -> None:
    """A stored part that is changed without the key is recognised as edited.

    Somebody writes a smaller cost into the file, but the ledger has the digest of the part.
    """
    with open_ledger(tmp_path, COLUMNS) as ledger:
        synthesize(COLUMNS, table, ledger=ledger)
        (entry,) = ledger.entries()
        payload = ledger.kept(entry, "2")
        assert payload is not None
        forged = edit_part(Part.read(payload[0]), cost={"epsilon": "1/1000"})

    with sqlite3.connect(tmp_path / "ledger.db") as file:
        file.execute("UPDATE kept SET payload = ? WHERE part = '2'", (forged,))
    file.close()

    with (
        open_ledger(tmp_path, COLUMNS) as ledger,
        pytest.raises(LedgerError, match="was edited"),
    ):
        synthesize(COLUMNS, table, ledger=ledger)


def test_a_strategy_that_asks_for_too_much_gets_nothing_beyond_the_spend(
    table: PrivateTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A strategy that asks for more than was paid gets nothing.

    It measures its columns for all of epsilon 8, and then the first one again for epsilon 1.
    """
    follow = strategies._follow

    def twice(session: Any, order: Any, generator: Any) -> Any:
        follow(session, order, generator)
        session.measure((0,), Fraction(1))

    monkeypatch.setattr(strategies, "_follow", twice)
    with open_ledger(tmp_path, COLUMNS) as ledger:
        with pytest.raises(ReleaseError, match="more than is left of epsilon = 8"):
            synthesize(COLUMNS, table, ledger=ledger)
