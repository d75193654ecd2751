"""Small honest bundles of every kind, whose leaves tests change. No test is in here."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest

import synth
from synth import limits
from synth.bundle import PARTED
from synth.door import Ledger
from synth.plans import LinkedPlan, Method, Plan
from synth.privacy import Guarantee, Neighbors, parse_budget
from synth.spending import read_public, synthesize_linked, synthesize_parts
from synth.verification import Verified, verify
from tests.bundle.asked import asked_of
from tests.bundle.test_declaration import draft_domain, make_with_check
from tests.ledger.ledgers import ledger_with_budget
from tests.linked.households import Files, files_at_random, households
from tests.verification.models import DOMAIN, write_table

BUDGET = "epsilon=90,delta=1e-6"
FRAME = pd.DataFrame(
    {
        "sex": ["f", "m", "f"] * 300,
        "age": [5, 15, 25, 35, 12, 31, 5, 22, 38, 1] * 90,
        "weight": [40.5, 61.0, 75.5, 90.0, 110.5, 52.0] * 150,
        "region": ["north", "south"] * 450,
    }
)
COLUMNS = synth.Domain(
    sex=["f", "m"],
    age=synth.Integer(0, 39, bins=4, missing=True),
    weight=synth.Number(40, 120, bins=3),
    region=["north", "south", "east"],
)
WITH_OTHERS = synth.Domain(
    key=synth.Identifier(pattern="P#####"),
    sex=["f", "m"],
    weight=synth.Number(40, 120, bins=3),
    heavy=synth.Derived(formula="round(weight / 2, 1)"),
)


@dataclass(frozen=True)
class HonestBundle:
    """A bundle, and what its check may be given.

    Attributes:
        release: What its rows were drawn from once more.
        public: The public table that was the guess.
        listed_cells: The most cells of a table whose cells are all listed.
    """

    path: Path
    ledger: Path | None = None
    release: Path | None = None
    public: pd.DataFrame | None = None
    listed_cells: int = limits.LISTED_CELLS

    def check(
        self,
        path: Path,
        ledger: Path | None = None,
        *,
        redraw: bool = False,
        bare: bool = False,
    ) -> Verified:
        """Check a bundle that lies at ``path`` with the same means.

        Args:
            ledger: The ledger to compare with; none by default.
            bare: Whether neither the release nor the public table is at hand.
        """
        public = None
        if self.public is not None and not bare:
            frame = self.public
            public = lambda domain: read_public(frame, domain, "Me")  # noqa: E731
        opened = None if ledger is None else Ledger(ledger, readonly=True)
        release = None if bare else self.release
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(limits, "LISTED_CELLS", self.listed_cells)
            return verify(path, opened, public, redraw=redraw, release=release)


def _save_release(
    folder: Path, domain: Any = COLUMNS, epsilon: str = "2", **options: Any
) -> Path:
    formats = options.pop("formats", ())
    book: dict[str, Any] = {"ledger": folder / "l.db", "budget": BUDGET, "dataset": "people"}
    return synth.release(FRAME, domain, epsilon=epsilon, **book, **options).save(
        folder / "b.zip", formats
    )


def _release_maker(**options: Any) -> Callable[[Path], HonestBundle]:
    return lambda folder: HonestBundle(_save_release(folder, **options), folder / "l.db")


def _listed_release(folder: Path) -> HonestBundle:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "LISTED_CELLS", 60)
        patch.setattr(limits, "SPURIOUS_CELLS", 20)
        path = _save_release(folder, method="histogram", neighbors="add-remove")
    return HonestBundle(path, folder / "l.db", listed_cells=60)


def _release_by_public(folder: Path) -> HonestBundle:
    public = FRAME[:300]
    path = _save_release(folder, public=public, vouched_by="Me")
    return HonestBundle(path, folder / "l.db", public=public)


def _paid_before(folder: Path) -> HonestBundle:
    """A release with a draft, a check and a score."""
    return HonestBundle(make_with_check(folder, draft_domain(), check=True), folder / "l.db")


def _answers_maker(guarantee: Guarantee, *questions: str) -> Callable[[Path], HonestBundle]:
    def make(folder: Path) -> HonestBundle:
        answers, ledger = asked_of(folder, *questions, guarantee=guarantee)
        return HonestBundle(answers.write_archive(folder / "a.zip", ledger), folder / "l.db")

    return make


def _dummy_rows(folder: Path) -> HonestBundle:
    dummy_rows = synth.dummy(WITH_OTHERS, 60, {"sex": {"f": "0.9"}})
    return HonestBundle(dummy_rows.save(folder / "d.zip", "xlsx,sav"))


def _drawn_maker(method: str, **options: Any) -> Callable[[Path], HonestBundle]:
    def make(folder: Path) -> HonestBundle:
        release = _save_release(folder, method=method)
        path = synth.draw(release, 50, **options).save(folder / "d.zip")
        return HonestBundle(path, folder / "l.db", release)

    return make


def _linked_maker(neighbors: Neighbors, delta: Fraction) -> Callable[[Path], HonestBundle]:
    def make(folder: Path) -> HonestBundle:
        random = Random(1)
        files = Files()
        for number in range(20):
            some = files_at_random(random, [f"{number}{letter}" for letter in "ABC"])
            for name, rows in some.rows.items():
                files.rows[name] += rows
        with Ledger(folder / "l.db") as ledger:
            ledger.set_budget("package", parse_budget(BUDGET, neighbors))
            plan = LinkedPlan(
                package=households(), epsilon=Fraction(20), neighbors=neighbors, delta=delta
            )
            result = synthesize_linked(plan, files.tables(), ledger=ledger)
            return HonestBundle(
                result.write_archive(folder / "b.zip", ledger), folder / "l.db"
            )

    return make


def _release_in_parts(folder: Path) -> HonestBundle:
    plan = Plan(domain=DOMAIN, epsilon=Fraction(5), method=Method.TREE, dataset="survey")
    ledger = ledger_with_budget(folder / "l.db", "20", "survey", plan.neighbors)
    synthesize_parts(plan, write_table(folder, 600), ledger=ledger).write(
        folder / "out", PARTED, ledger
    )
    return HonestBundle(folder / "out", folder / "l.db")


KINDS: dict[str, Callable[[Path], HonestBundle]] = {
    "histogram": _release_maker(method="dense"),
    "histogram of a private number of rows": _release_maker(
        method="dense", neighbors="add-remove"
    ),
    "large cells of a histogram": _listed_release,
    "histogram with sums, IDs and a derived column": _release_maker(
        domain=WITH_OTHERS, method="dense", moments="means"
    ),
    "other formats": _release_maker(
        domain=COLUMNS.project(("sex", "region")), formats="xlsx,sav,parquet"
    ),
    "tree": _release_maker(method="tree"),
    "adaptive": _release_maker(method="adaptive", neighbors="add-remove", delta="1e-9"),
    "one-shot to predict": _release_maker(method="one-shot", predict="sex"),
    "independent": _release_maker(method="independent", rows=80),
    "around a public table": _release_by_public,
    "draft, check and score": _paid_before,
    "answers": _answers_maker(Guarantee.pure(1)),
    "answers by rho": _answers_maker(
        Guarantee.zcdp(Fraction(1, 2)), "mean age", "table job by sex"
    ),
    "dummy": _dummy_rows,
    "drawn from a histogram": _drawn_maker("dense", where="sex = f and region != south"),
    "drawn with shares": _drawn_maker("tree", shares={"sex": {"m": "0.6"}}),
    "drawn once more": _drawn_maker("dense"),
    "linked": _linked_maker(Neighbors.ADD_REMOVE, Fraction(0)),
    "linked by rho": _linked_maker(Neighbors.REPLACE_ONE, Fraction(1, 10**6)),
    "parts": _release_in_parts,
}


def make_kind(kind: str, folder: Path) -> HonestBundle:
    """Return a new honest bundle of a kind, in a folder of its own."""
    return replace(KINDS[kind](folder))
