"""Layer 9: what a ledger lets be spent, repeated and edited."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from synth.door import Ledger
from synth.errors import LedgerError
from synth.noise import DiscreteLaplace
from synth.plans import Method, Plan
from synth.privacy import Guarantee, Neighbors, parse_budget
from synth.spending import pipeline
from tests.audit.path.tables import DOMAIN, HEADER, OTHERS, refused
from tests.tables import write

SPEND = {"dataset": "d", "neighbors": Neighbors.REPLACE_ONE, "purpose": "audit"}


@cache
def _begun() -> TemporaryDirectory[str]:
    """A ledger of a budget of 1 with one spend of a quarter and something kept of it."""
    folder: TemporaryDirectory[str] = TemporaryDirectory()
    with Ledger(Path(folder.name) / "l.db") as ledger:
        ledger.set_budget("d", parse_budget("1", Neighbors.REPLACE_ONE))
        entry = ledger.spend(**SPEND, guarantee=Guarantee.pure(Fraction(1, 4)))
        ledger.keep(entry, "1", b"kept")
    return folder


@contextmanager
def ledgers(count: int = 1) -> Iterator[list[Ledger]]:
    """Ledgers of several processes, on one file that has been begun."""
    with TemporaryDirectory() as folder:
        path = Path(shutil.copytree(_begun().name, Path(folder) / "l")) / "l.db"
        opened = [Ledger(path) for _ in range(count)]
        try:
            yield opened
        finally:
            for ledger in opened:
                ledger.close()


def spending() -> str:
    """What may be spent of a budget, and nothing beyond it, in whatever order it is asked."""
    return _within() or _mixed() or _edited()


def _within() -> str:
    """Two processes spend in turns, to the last part of the budget; a rest of any size is
    kept.
    """
    with ledgers(2) as pair:
        costs = [
            Fraction(1, 4),
            Fraction(1, 3),
            Fraction(1, 2),
            Fraction(1, 10**30),
            Fraction(1, 6),
        ]
        costs += [Fraction(1, 10**30), Fraction(1), Fraction(1, 6) - Fraction(2, 10**30)]
        costs += [Fraction(1, 10**30)]
        spent = Fraction(1, 4)
        for turn, cost in enumerate(costs):
            ledger = pair[turn % 2]
            admitted = not refused(
                partial(ledger.spend, **SPEND, guarantee=Guarantee.pure(cost))
            )
            if admitted and spent + cost > 1:
                return "more than the budget is spent"
            if not admitted and spent + cost <= 1:
                return "what is left of a budget cannot be spent"
            spent += cost if admitted else 0
            written = sum(
                (entry.guarantee.epsilon or 0 for entry in ledger.entries()), Fraction(0)
            )
            if written != spent or ledger.balance("d").left != 1 - spent:
                return "the ledger does not say what was spent"
    return ""


def _mixed() -> str:
    """Spends that cannot be added up are refused, and no budget is raised in silence."""
    small_budget = parse_budget("0.2", Neighbors.REPLACE_ONE)
    large_budget = parse_budget("9", Neighbors.REPLACE_ONE)
    with ledgers() as (ledger,):
        small = Guarantee.pure(Fraction(1, 100))
        odd: list[dict[str, Any]] = [
            {"guarantee": small, "neighbors": Neighbors.ADD_REMOVE},
            {"guarantee": small, "person": "pid"},
            {"guarantee": Guarantee.approximate(Fraction(1, 100), Fraction(1, 10**9))},
            {"guarantee": Guarantee.zcdp(Fraction(1, 100))},
        ]
        for different in odd:
            if not refused(lambda d=different: ledger.spend(**(SPEND | d))):
                return "what cannot be added up is spent"
        if not refused(lambda: ledger.change_budget("d", small_budget, "less")):
            return "a budget is set below what is spent"
        if not refused(lambda: ledger.set_budget("d", large_budget)):
            return "a budget is raised in silence"
        approximate = parse_budget("epsilon=9,delta=1e-9", Neighbors.REPLACE_ONE)
        claim = Guarantee.approximate(1, Fraction(2, 3 * 10**9))
        if not approximate.admits([claim]) or approximate.admits([claim, claim]):
            return "deltas do not add up"
    return ""


EDITS = [
    "UPDATE kept SET payload = X'00'",
    "DELETE FROM kept",
    "UPDATE events SET content = replace(content, '1/4', '1/9') WHERE kind = 'spend'",
    "UPDATE events SET dataset = 'e' WHERE kind = 'spend'",
    "DELETE FROM events WHERE number > 2; DELETE FROM kept",
    "DELETE FROM events WHERE number > 1; DELETE FROM kept",
]


def _edited() -> str:
    """No edit of the file is spent under, and no edited value leaves."""
    for edit in EDITS:
        with TemporaryDirectory() as folder:
            path = Path(shutil.copytree(_begun().name, Path(folder) / "l")) / "l.db"
            with sqlite3.connect(path) as file:
                file.executescript(edit)
            file.close()
            with suppress(LedgerError), Ledger(path) as ledger:
                for entry in ledger.entries():
                    ledger.kept(entry, "1")
                ledger.spend(**SPEND, guarantee=Guarantee.pure(Fraction(1, 4)))
                return "an edited ledger is taken"
    return ""


def repeating(**options: Any) -> str:
    """The same request gets the same values and spends once; any other is paid for."""
    plan = Plan(
        domain=DOMAIN,
        epsilon=Fraction(1, 4),
        neighbors=Neighbors.REPLACE_ONE,
        dataset="d",
        **{"method": Method.DENSE, **options},
    )
    with TemporaryDirectory() as folder, Ledger(Path(folder) / "l.db") as ledger:
        ledger.set_budget("d", parse_budget("9", Neighbors.REPLACE_ONE))
        sources = [
            write(Path(folder) / f"{i}.csv", HEADER, rows * 9)
            for i, rows in enumerate([OTHERS, [["ann", "y", "2", "q"], *OTHERS[1:]]])
        ]
        results, spent = [], []
        other_plan = replace(plan, epsilon=Fraction(1, 2))
        for planned, source in ((plan, 0), (plan, 0), (other_plan, 0), (plan, 1), (plan, 0)):
            results.append(pipeline.synthesize(planned, sources[source], ledger=ledger))
            spent.append(ledger.balance("d").spent)
        quarters = [int(4 * amount) for amount in spent]
        if quarters != [1, 1, 3, 4, 4]:
            return "a repeated request is paid for, or another is not"
        values = [values_of(result) for result in results]
        if values[0] != values[1] or values[0] != values[4]:
            return "a repeated request draws fresh noise without a charge"
        if values[0] == values[2] or values[0] == values[3]:
            return "noise is used again"
        ledger.verify()
    return ""


def values_of(result: Any) -> Any:
    return result.record.table().values.tolist()


def ordering() -> str:
    """The spend is in the ledger before any noise is drawn; where it cannot be, none is."""
    plan = Plan(domain=DOMAIN, epsilon=Fraction(1, 2), dataset="d", method=Method.DENSE)
    with ledgers() as (ledger,), TemporaryDirectory() as folder:
        source = write(Path(folder) / "t.csv", HEADER, OTHERS * 5)
        before, early = ledger.balance("d").spent, []
        draw = DiscreteLaplace.release

        def watched(noise: DiscreteLaplace, values: Any) -> Any:
            early.append(ledger.balance("d").spent == before)
            return draw(noise, values)

        with patch.object(DiscreteLaplace, "release", watched):
            pipeline.synthesize(plan, source, ledger=ledger)
            if any(early) or not early:
                return "noise is drawn before the spend is written"
            early.clear()
            ledger.spend(**SPEND, guarantee=Guarantee.pure(Fraction(1, 4)))
            further_plan = replace(plan, epsilon=Fraction(1, 4))
            if (
                not refused(lambda: pipeline.synthesize(further_plan, source, ledger=ledger))
                or early
            ):
                return "noise is drawn for a spend that is refused"
    return ""
