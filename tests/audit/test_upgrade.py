"""A release that was killed and goes on after an upgrade, and one that is repeated after it.

What was drawn is seen at the mechanisms themselves, so that no number of the ledger, of the door
or of the certificate is believed.
"""

import io
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth import door, limits
from synth.domain.domain import Categorical, Domain
from synth.errors import LedgerError, ReleaseError
from synth.ledger import parts
from synth.ledger.ledger import Ledger
from synth.ledger.parts import Part
from synth.models import strategies
from synth.models.allocation import Account
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.laplace import DiscreteLaplace
from synth.pipeline import Result, synthesize
from synth.plan import Method, Plan
from synth.privacy.budget import parse_budget
from synth.privacy.guarantee import Neighbors
from synth.table.private_table import PrivateTable, open_table

DOMAIN = Domain(
    tuple(Categorical(name=name, categories=("x", "y", "z")) for name in ("a", "b", "c"))
)
STUCK = (
    r"^This release was begun by a version of Synth that measures otherwise: (\d+ parts? of it "
    r"(is|are) kept.*), and this version cannot spend the rest in the same way\. Finish it with "
    r"that version, or change the plan for a new release with a spend of its own; finished "
    r"releases are repeated as before\.$"
)
OTHER = "This release was finished by a version of Synth that asks other queries"
PLANS = {
    "tree": Plan(DOMAIN, Fraction(8), method=Method.TREE),
    "one-shot": Plan(DOMAIN, Fraction(8), method=Method.ONE_SHOT, neighbors=Neighbors.ADD_REMOVE),
    "adaptive": Plan(DOMAIN, Fraction(8), method=Method.ADAPTIVE),
    "adaptive, zCDP": Plan(DOMAIN, Fraction(8), method=Method.ADAPTIVE, delta=Fraction(1, 10**6)),
}


class Killed(BaseException):
    """In the place of SIGKILL."""


class Drawn:
    """The laws that were drawn from for what the ledger keeps, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kept: list[str] = []
        self.last, self.kill = "", 0
        for mechanism, name in ((DiscreteLaplace, "scale"), (DiscreteGaussian, "sigma2")):
            self._watch(
                monkeypatch, mechanism, "release", lambda m, *_, n=name, **__: getattr(m, n)
            )
        for law in ("permute_and_flip", "exponential"):
            self._watch(monkeypatch, door, law, lambda *_, epsilon, **__: epsilon)
        keep = Ledger.keep

        def killing(ledger: Ledger, entry: Any, part: str, payload: bytes) -> Any:
            found = keep(ledger, entry, part, payload)
            if part.isdigit():
                self.kept.append(self.last)
                if len(self.kept) == self.kill:
                    raise Killed
            return found

        monkeypatch.setattr(Ledger, "keep", killing)

    def _watch(self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, told: Any) -> None:
        original = getattr(owner, name)

        def watched(*arguments: Any, **options: Any) -> Any:
            self.last = str(told(*arguments, **options))
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, watched)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    return Drawn(monkeypatch)


@pytest.fixture
def table(tmp_path: Path) -> PrivateTable:
    generator = np.random.default_rng(1)
    codes = generator.integers(0, 3, (300, 3))
    codes[:, 1] = np.where(generator.random(300) < 0.8, codes[:, 0], codes[:, 1])
    lines = ["a,b,c", *(",".join("xyz"[code] for code in row) for row in codes)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return open_table(tmp_path / "t.csv")


def opened(folder: Path, plan: Plan) -> Ledger:
    ledger = Ledger(folder / "ledger.db")
    delta = f",delta={plan.delta}" if plan.delta else ""
    ledger.set_budget("table", parse_budget(f"epsilon=100{delta}", plan.neighbors))
    return ledger


def laws(result: Result) -> list[str]:
    """What the certificate says was drawn from; it names no epsilon of a choice."""
    told = []
    for spend in result.certificate.to_json()["mechanism"]["marginals"]:
        noise, cost = spend["noise"], spend["cost"]
        choice = cost.get("epsilon", "") if noise["law"] == "permute-and-flip" else "a choice"
        told.append(noise.get("scale") or noise.get("sigma2") or choice)
    return told


def agree(result: Result, drawn: list[str]) -> None:
    """The certificate tells what was drawn, and all of it together is the guarantee."""
    told = laws(result)
    assert [law if law != "a choice" else seen for law, seen in zip(told, drawn, strict=True)] == (
        drawn
    )
    spent, plan = result.certificate.to_json()["mechanism"]["spent"], result.plan
    assert result.certificate.guarantee.epsilon == plan.epsilon
    if "epsilon" in spent:
        moves = plan.neighbors.sensitivity
        costs = [
            Fraction(s["cost"]["epsilon"])
            for s in result.certificate.to_json()["mechanism"]["marginals"]
        ]
        for law, spend, cost in zip(
            drawn, result.certificate.to_json()["mechanism"]["marginals"], costs, strict=True
        ):
            each = moves if "columns" in spend else 64 * moves * len(spend.get("values", ()))
            assert cost == (Fraction(law) if not each else each / Fraction(law))
        assert sum(costs) == plan.epsilon


CHANGES: dict[str, tuple[Any, str, Any]] = {
    "more for the distances": (strategies, "SELECTION", Fraction(30, 100)),
    "less for the distances": (strategies, "SELECTION", Fraction(1, 100)),
    "more for columns": (strategies, "column_share", lambda _: Fraction(9, 10)),
    "less for columns": (strategies, "column_share", lambda _: Fraction(1, 10)),
    "more for rows": (strategies, "SIZING", Fraction(1, 4)),
    "more for later": (strategies, "LATER", Fraction(3, 4)),
    "more for choosing": (strategies, "CHOOSING", Fraction(3, 4)),
    "columns unlike": (
        Account,
        "by_size",
        lambda self, b, s: self.split(b, list(range(1, len(s) + 1))),
    ),
    "another order": (strategies, "_follow", None),
}


def change(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    place, attribute, value = CHANGES[name]
    if value is None:
        follow = strategies._follow

        def columns_last(session: Any, order: Any, generator: Any) -> Any:
            session.measure((2,), session.left / 7)
            return follow(session, order, generator)

        value = columns_last
    monkeypatch.setattr(place, attribute, value)


def killed(plan: Plan, table: PrivateTable, folder: Path, drawn: Drawn, at: int) -> Result | None:
    """A release killed after a part was kept; the whole release where it has fewer parts."""
    drawn.kept.clear()
    drawn.kill = at
    with opened(folder, plan) as ledger:
        try:
            return synthesize(plan, table, ledger=ledger)
        except Killed:
            return None
        finally:
            drawn.kill = 0


def every_kill(plan: Plan, table: PrivateTable, folder: Path, drawn: Drawn) -> Iterator[Path]:
    """A ledger for each part of the release after which it was killed."""
    for at in range(1, 40):
        home = folder / str(at)
        home.mkdir()
        if killed(plan, table, home, drawn, at) is not None:
            assert at > 4
            return
        yield home


@pytest.mark.parametrize(
    "name", ["tree", *(pytest.param(name, marks=pytest.mark.slow) for name in list(PLANS)[1:])]
)
def test_killed_anywhere_it_goes_on_and_its_parts_make_up_the_guarantee(
    name: str, table: PrivateTable, tmp_path: Path, drawn: Drawn
) -> None:
    plan = PLANS[name]
    for home in every_kill(plan, table, tmp_path, drawn):
        with opened(home, plan) as ledger:
            agree(synthesize(plan, table, ledger=ledger), drawn.kept)
            assert len(ledger.entries()) == 1


@pytest.mark.parametrize("first", [0, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["adaptive", pytest.param("one-shot", marks=pytest.mark.slow)])
def test_killed_anywhere_and_changed_it_is_refused_or_its_certificate_is_right(
    name: str,
    first: int | None,
    table: PrivateTable,
    tmp_path: Path,
    drawn: Drawn,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Once: 1.30 left under a certificate of 1, with scales that nothing was drawn with.

    After each kill another change; the slow form tries every change after every kill.
    """
    plan, refused = PLANS[name], 0
    for at, home in enumerate(every_kill(plan, table, tmp_path, drawn), 1):
        changes = list(CHANGES) if first is None else [list(CHANGES)[(first + at) % len(CHANGES)]]
        for changed in changes:
            with monkeypatch.context() as patched:
                change(patched, changed)
                refused += gone_on(plan, table, home, drawn, at)
    assert refused > 2


def gone_on(plan: Plan, table: PrivateTable, home: Path, drawn: Drawn, at: int) -> bool:
    """Go on with a release; whether that was refused. What leaves is paid for and told rightly."""
    refused, drawn.kept[:] = False, drawn_in(home, plan)
    kept = list(drawn.kept)
    with opened(home, plan) as ledger:
        try:
            agree(synthesize(plan, table, ledger=ledger), drawn.kept)
        except ReleaseError as error:
            refused, stuck = True, re.match(STUCK, str(error))
            assert (stuck[1] if stuck else str(error)).startswith((f"{at} part", OTHER))  # noqa: PT017
            assert drawn.kept == kept, "nothing more was drawn"
        assert len(ledger.entries()) == 1
        ledger.verify()
    return refused


def drawn_in(folder: Path, plan: Plan) -> list[str]:
    """The laws of the parts that a ledger keeps, which the tests above saw to be true."""
    found: list[str] = []
    with opened(folder, plan) as ledger:
        (entry,) = ledger.entries()
        while (kept := ledger.kept(entry, str(len(found) + 1))) is not None:
            told = Part.read(kept[0]).about["mechanism"]
            found.append(told.get("scale") or told.get("sigma2") or told["epsilon"])
    return found


@pytest.mark.parametrize(
    "name",
    ["one-shot", *(pytest.param(name, marks=pytest.mark.slow) for name in list(PLANS)[2:])],
)
def test_a_finished_release_is_repeated_as_it_was_drawn(
    name: str,
    table: PrivateTable,
    tmp_path: Path,
    drawn: Drawn,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = PLANS[name]
    first = killed(plan, table, tmp_path, drawn, 0)
    assert first is not None
    made, refused = list(drawn.kept), set()
    monkeypatch.setattr(parts, "ALGORITHM", 2)
    monkeypatch.setattr(door, "ALGORITHM", 2)
    for changed in CHANGES:
        with monkeypatch.context() as patched, opened(tmp_path, plan) as ledger:
            change(patched, changed)
            try:
                again = synthesize(plan, table, ledger=ledger)
            except ReleaseError as error:
                assert str(error).startswith(OTHER)  # noqa: PT017
                refused.add(changed)
            else:
                agree(again, made)
                told = again.certificate.mechanism.marginals
                assert told == first.certificate.mechanism.marginals
            assert len(ledger.entries()) == 1
    assert drawn.kept == made, "nothing was drawn"
    assert "another order" in refused
    assert not {"more for the distances", "more for choosing"} & refused


def test_another_algorithm_does_not_go_on(
    table: PrivateTable, tmp_path: Path, drawn: Drawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it would ask: its number says that it measures otherwise."""
    plan = PLANS["tree"]
    assert killed(plan, table, tmp_path, drawn, 2) is None
    monkeypatch.setattr(parts, "ALGORITHM", 2)
    with opened(tmp_path, plan) as ledger:
        with pytest.raises(ReleaseError, match=STUCK) as caught:
            synthesize(plan, table, ledger=ledger)
        assert re.search(
            r"2 parts of it are kept, which cost epsilon = \S+ of epsilon = 8,", str(caught.value)
        )
        assert ledger.balance("table").spent == 8


# Payloads that somebody changed.


def edited(part: Part, **changes: Any) -> bytes:
    return Part({**part.about, **changes}, part.arrays).pack()


def noise(scale: str) -> dict[str, str]:
    return {"law": "discrete Laplace", "scale": scale}


FORGED: dict[str, Callable[[Part], bytes]] = {
    "a smaller cost": lambda part: edited(part, cost={"epsilon": "1/1000"}),
    "a larger cost": lambda part: edited(part, cost={"epsilon": "7"}),
    "another scale": lambda part: edited(part, mechanism=noise("1/2")),
    "another query": lambda part: edited(part, query="histogram of a, b"),
    "another subject": lambda part: edited(part, subject="0" * 32),
    "another page": lambda part: edited(part, proof="rows"),
    "another unit": lambda part: edited(part, person="b"),
    "another sensitivity": lambda part: edited(part, sensitivity=[1, 1, 1]),
    "other neighbours": lambda part: edited(part, neighbors="add-remove"),
    "another algorithm": lambda part: edited(part, algorithm=7),
    "a listing": lambda part: edited(part, threshold=3),
    "no cost": lambda part: Part({"query": "x"}, part.arrays).pack(),
    "a cost of zero": lambda part: edited(part, cost={"epsilon": "1/0"}),
    "a choice's law": lambda part: edited(
        part, mechanism={"law": "permute-and-flip", "epsilon": "1"}
    ),
    "Gaussian noise": lambda part: edited(
        part, mechanism={"law": "discrete Gaussian", "sigma2": "9"}, cost={"rho": "1/9"}
    ),
    "not said how": lambda part: saved(values=part.values, name=np.array(part.about["query"])),
    "a law of its own": lambda part: edited(part, mechanism={"law": "none"}),
    "too many values": lambda part: Part(part.about, {"values": np.arange(99)}).pack(),
    "floats": lambda _: saved(values=np.ones(3), about=np.array("{}")),
    "no values": lambda _: saved(about=np.array("{}")),
    "no JSON": lambda part: saved(values=part.values, about=np.array("{")),
    "a list": lambda part: saved(values=part.values, about=np.array("[1]")),
    "an object": lambda _: saved(values=np.array([{}])),
    "a picture": lambda _: b"GIF89a",
    "nothing": lambda _: b"",
}


def saved(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


COLUMNS = Plan(DOMAIN, Fraction(8), method=Method.INDEPENDENT)


@pytest.mark.parametrize("forged", list(FORGED))
@pytest.mark.parametrize("number", ["2", "3"], ids=["killed", "finished"])
def test_a_part_that_was_forged_is_refused(
    forged: str, number: str, table: PrivateTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By somebody who has the key, so that the chain is whole; the last part kept is changed."""
    keep = Ledger.keep

    def forging(ledger: Ledger, entry: Any, part: str, payload: bytes) -> Any:
        if part == number:
            keep(ledger, entry, part, FORGED[forged](Part.read(payload)))
            raise Killed
        return keep(ledger, entry, part, payload)

    with monkeypatch.context() as patched, opened(tmp_path, COLUMNS) as ledger:
        patched.setattr(Ledger, "keep", forging)
        with pytest.raises(Killed):
            synthesize(COLUMNS, table, ledger=ledger)
    with opened(tmp_path, COLUMNS) as ledger:
        ledger.verify()
        if (forged, number) == ("another algorithm", "3"):
            assert synthesize(COLUMNS, table, ledger=ledger).repeated
            return
        with pytest.raises(ReleaseError) as caught:
            synthesize(COLUMNS, table, ledger=ledger)
    assert str(caught.value).startswith(
        (
            "This release was begun by",
            "This release was finished by",
            "The ledger keeps a part of this release that cannot be read",
            "More of this release is kept than was paid for",
        )
    )


def test_a_payload_changed_in_the_file_is_seen_by_its_digest(
    table: PrivateTable, tmp_path: Path
) -> None:
    with opened(tmp_path, COLUMNS) as ledger:
        synthesize(COLUMNS, table, ledger=ledger)
        (entry,) = ledger.entries()
        payload = ledger.kept(entry, "2")
        assert payload is not None
        forged = edited(Part.read(payload[0]), cost={"epsilon": "1/1000"})
    with sqlite3.connect(tmp_path / "ledger.db") as file:
        file.execute("UPDATE kept SET payload = ? WHERE part = '2'", (forged,))
    file.close()
    with opened(tmp_path, COLUMNS) as ledger, pytest.raises(LedgerError, match="was edited"):
        synthesize(COLUMNS, table, ledger=ledger)


def test_a_strategy_that_asks_for_too_much_gets_nothing_beyond_the_spend(
    table: PrivateTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by the door's own sum nor, with that switched off, by that of what is kept."""
    follow = strategies._follow

    def twice(session: Any, order: Any, generator: Any) -> Any:
        follow(session, order, generator)
        session.measure((0,), Fraction(1))

    monkeypatch.setattr(strategies, "_follow", twice)
    with opened(tmp_path, COLUMNS) as ledger:
        with pytest.raises(ReleaseError, match="more than is left of epsilon = 8"):
            synthesize(COLUMNS, table, ledger=ledger)
        monkeypatch.setattr(door.Door, "_pay", lambda *_: None)
        monkeypatch.setattr(strategies.Session, "left", Fraction(8))
        again = replace(COLUMNS, epsilon=Fraction(4))
        with pytest.raises(ReleaseError, match=r"^More of this release is kept than was paid for"):
            synthesize(again, table, ledger=ledger)


# Ledgers of versions that did not write down how a part was drawn.


def forget(patched: pytest.MonkeyPatch) -> None:
    """Keep payloads as they were once: values, and for a query of a model its name."""
    keep = Ledger.keep

    def forgetting(ledger: Ledger, entry: Any, name: str, payload: bytes) -> Any:
        part = Part.read(payload)
        named = part.about.get("query") not in (None, "histogram")
        query = {"name": np.array(part.about["query"])} if named else {}
        return payload, keep(ledger, entry, name, saved(**part.arrays, **query))[1]

    patched.setattr(Ledger, "keep", forgetting)


@pytest.mark.parametrize("name", [*PLANS, "histogram"])
def test_what_an_earlier_version_finished_is_repeated(
    name: str, table: PrivateTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = PLANS.get(name, Plan(DOMAIN, Fraction(8)))
    with monkeypatch.context() as patched, opened(tmp_path, plan) as ledger:
        forget(patched)
        first = synthesize(plan, table, ledger=ledger)
    monkeypatch.setattr(DiscreteLaplace, "release", lambda *_: pytest.fail("noise was drawn"))
    with opened(tmp_path, plan) as ledger:
        again = synthesize(plan, table, ledger=ledger)
        assert again.repeated
        assert len(ledger.entries()) == 1
    for one, other in zip(first.synthetic.codes, again.synthetic.codes, strict=True):
        np.testing.assert_array_equal(one, other)
    assert again.certificate.mechanism == first.certificate.mechanism


def test_what_an_earlier_version_only_began_is_refused(
    table: PrivateTable, tmp_path: Path, drawn: Drawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = PLANS["tree"]
    with monkeypatch.context() as patched:
        forget(patched)
        assert killed(plan, table, tmp_path, drawn, 3) is None
    with opened(tmp_path, plan) as ledger, pytest.raises(ReleaseError, match=STUCK) as caught:
        synthesize(plan, table, ledger=ledger)
    assert "3 parts of it are kept, and this version" in str(caught.value)
    assert len(drawn.kept) == 3, "nothing more was drawn"


def test_of_an_earlier_version_the_number_of_rows_lies_beside_the_histogram(
    table: PrivateTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LISTED_CELLS", 10)
    monkeypatch.setattr(limits, "SUMMED_CELLS", 10)
    monkeypatch.setattr(limits, "SPURIOUS_CELLS", 5)
    plan = Plan(DOMAIN, Fraction(8), method=Method.HISTOGRAM, neighbors=Neighbors.ADD_REMOVE)
    with opened(tmp_path, plan) as ledger:
        first = synthesize(plan, table, ledger=ledger)
        (entry,) = ledger.entries()
        cells, rows = (Part.read(ledger.kept(entry, part)[0]) for part in "12")  # type: ignore[index]
    old = saved(**cells.arrays, rows=rows.values)
    with monkeypatch.context() as patched:
        found = {"1": (old, "head"), "seed": ledger_part(tmp_path, plan, "seed")}
        patched.setattr(Ledger, "kept", lambda _, __, part: found.get(part))
        with opened(tmp_path, plan) as ledger:
            again = synthesize(plan, table, ledger=ledger)
    assert again.record.noisy.noisy_rows == int(rows.values[0])  # type: ignore[union-attr]
    assert again.certificate.mechanism == first.certificate.mechanism
    for one, other in zip(first.synthetic.codes, again.synthetic.codes, strict=True):
        np.testing.assert_array_equal(one, other)


def ledger_part(folder: Path, plan: Plan, part: str) -> Any:
    with opened(folder, plan) as ledger:
        return ledger.kept(ledger.entries()[0], part)
