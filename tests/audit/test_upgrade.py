"""A release that was killed and goes on after an upgrade, and one that is repeated after it.

What was drawn is seen at the mechanisms themselves, so that no number of the ledger, of the
door or of the certificate is believed."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synth.door import ALGORITHM, Ledger, door, parts
from synth.door.parts import Part
from synth.errors import ReleaseError
from synth.estimate import Account
from synth.estimate.models.splitting import PairsProspect
from synth.plans import Plan
from synth.private.methods import measurements, strategies
from synth.private.table import PrivateTable
from synth.spending import synthesize
from synth.spending.pipeline import Result
from tests.audit.upgrades import (
    OTHER,
    PLANS,
    DrawnLaws,
    in_force,
    open_ledger,
    pack_arrays,
    release_and_kill,
)


def laws_of(result: Result) -> list[str]:
    """What the certificate says was drawn from; it names no epsilon of a choice."""
    laws_told = []
    for spend in result.certificate.to_json()["mechanism"]["marginals"]:
        noise, cost = spend["noise"], spend["cost"]
        choice = cost.get("epsilon", "") if noise["law"] == "permute-and-flip" else "a choice"
        laws_told.append(noise.get("scale") or noise.get("sigma2") or choice)
    return laws_told


def assert_certified(result: Result, kept_laws: list[str]) -> None:
    """See that a certificate tells what was drawn, and that it makes up the guarantee."""
    drawn_laws = in_force(kept_laws)
    for law_told, law_drawn in zip(laws_of(result), drawn_laws, strict=True):
        assert law_told in (law_drawn, "a choice")
    plan = result.plan
    mechanism = result.certificate.to_json()["mechanism"]
    assert result.certificate.guarantee.epsilon == plan.epsilon
    if "epsilon" in mechanism["spent"]:
        costs = []
        for law, spend in zip(drawn_laws, mechanism["marginals"], strict=True):
            cost = Fraction(spend["cost"]["epsilon"])
            move = move_of(spend, plan.neighbors.sensitivity)
            assert cost == (move / Fraction(law) if move else Fraction(law))
            costs.append(cost)
        assert sum(costs) == plan.epsilon


def move_of(spend: dict[str, Any], sensitivity: int) -> int:
    """How far neighbours move what a spend measured, by its noise; 0 of a choice.

    A histogram moves by the sensitivity. A distance is in 64ths of a row; K-norm noise is by
    the largest of all distances, and other noise by their sum.
    """
    if "columns" in spend:
        return sensitivity
    is_joint = spend["noise"]["law"] == "K-norm"
    number_of_values = 1 if is_joint else len(spend.get("values", ()))
    return 64 * sensitivity * number_of_values


def _selecting(share: Fraction) -> PairsProspect:
    return PairsProspect(
        pairs=0.1,
        columns_only=0.2,
        columns=Fraction(1, 5),
        selection=share,
        measured=1.0,
    )


CHANGES: dict[str, tuple[Any, str, Any]] = {
    "more for the distances": (
        strategies,
        "prospect",
        lambda *_: _selecting(Fraction(30, 100)),
    ),
    "less for the distances": (
        strategies,
        "prospect",
        lambda *_: _selecting(Fraction(1, 200)),
    ),
    "more for columns": (strategies, "first_share", lambda *_, **__: Fraction(9, 10)),
    "less for columns": (strategies, "first_share", lambda *_, **__: Fraction(1, 100)),
    "more for rows": (strategies, "SIZING", Fraction(1, 4)),
    "more for later": (measurements, "LATER", Fraction(3, 4)),
    "more for choosing": (measurements, "CHOOSING", Fraction(3, 4)),
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


def kill_everywhere(
    plan: Plan, table: PrivateTable, folder: Path, drawn_laws: DrawnLaws
) -> Iterator[Path]:
    """A ledger for each part of the release after which it was killed."""
    for at in range(1, 40):
        home = folder / str(at)
        home.mkdir()
        if release_and_kill(plan, table, home, drawn_laws, at) is not None:
            assert at > 4
            return
        yield home


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PLANS))
def test_killed_anywhere_it_goes_on_and_its_parts_make_up_the_guarantee(
    name: str, table: PrivateTable, tmp_path: Path, drawn_laws: DrawnLaws
) -> None:
    """A release that is killed after any of its parts can be completed for one spend.

    Its certificate names the noise that was really drawn, and the costs add up to the
    guarantee.
    """
    plan = PLANS[name]
    for home in kill_everywhere(plan, table, tmp_path, drawn_laws):
        with open_ledger(home, plan) as ledger:
            assert_certified(synthesize(plan, table, ledger=ledger), drawn_laws.kept)
            assert len(ledger.entries()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, None])
@pytest.mark.parametrize("name", ["adaptive", "one-shot"])
def test_killed_anywhere_and_changed_it_is_refused_or_its_certificate_is_right(
    name: str,
    first: int | None,
    table: PrivateTable,
    tmp_path: Path,
    drawn_laws: DrawnLaws,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If the code changed after a kill, the release is refused, or its certificate is right.

    Once such a release cost 1.30 under a certificate of 1, with scales that nothing was drawn
    with. After each kill another change of CHANGES is tried; the slow form tries all of them.
    """
    plan = PLANS[name]
    refused = 0

    for at, home in enumerate(kill_everywhere(plan, table, tmp_path, drawn_laws), 1):
        changes = (
            list(CHANGES) if first is None else [list(CHANGES)[(first + at) % len(CHANGES)]]
        )
        for changed in changes:
            with monkeypatch.context() as patched:
                change(patched, changed)
                refused += go_on(plan, table, home, drawn_laws)
    assert refused > 2


def go_on(plan: Plan, table: PrivateTable, home: Path, drawn_laws: DrawnLaws) -> bool:
    """Go on with a release; whether that was refused. What leaves is paid for and told
    rightly.
    """
    refused = False
    drawn_laws.kept[:] = laws_kept_in(home, plan)
    laws_before = list(drawn_laws.kept)
    with open_ledger(home, plan) as ledger:
        try:
            assert_certified(synthesize(plan, table, ledger=ledger), drawn_laws.kept)
        except ReleaseError as error:
            refused = True
            assert str(error) == OTHER  # noqa: PT017
            assert drawn_laws.kept == laws_before, "nothing more was drawn"
        assert len(ledger.entries()) == 1
        ledger.verify()
    return refused


def laws_kept_in(folder: Path, plan: Plan) -> list[str]:
    """The laws of the parts that a ledger keeps, which the tests above saw to be true."""
    laws_of_parts: list[str] = []
    with open_ledger(folder, plan) as ledger:
        (entry,) = ledger.entries()
        while (content := ledger.kept(entry, str(len(laws_of_parts) + 1))) is not None:
            about = Part.read(content[0]).about
            mechanism = about["mechanism"]
            law = mechanism.get("scale") or mechanism.get("sigma2") or mechanism["epsilon"]
            laws_of_parts.append(f"{about['before']}>{law}" if "before" in about else law)
    return laws_of_parts


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one-shot", *list(PLANS)[2:]])
def test_a_finished_release_is_repeated_as_it_was_drawn_or_refused(
    name: str,
    table: PrivateTable,
    tmp_path: Path,
    drawn_laws: DrawnLaws,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If the code changed after a release, it is repeated as it was drawn, or refused.

    Each change of CHANGES is tried, without another number of the algorithm. Nothing is drawn
    or paid again. A strategy that measures in another order is refused.
    """
    plan = PLANS[name]
    first = release_and_kill(plan, table, tmp_path, drawn_laws, 0)
    assert first is not None
    laws_before = list(drawn_laws.kept)

    refused = set()
    for changed in CHANGES:
        with monkeypatch.context() as patched, open_ledger(tmp_path, plan) as ledger:
            change(patched, changed)
            try:
                again = synthesize(plan, table, ledger=ledger)
            except ReleaseError as error:
                assert str(error) == OTHER  # noqa: PT017
                refused.add(changed)
            else:
                assert_certified(again, laws_before)
                marginals = again.certificate.mechanism.marginals
                assert marginals == first.certificate.mechanism.marginals
            assert len(ledger.entries()) == 1

    assert drawn_laws.kept == laws_before, "nothing was drawn"
    assert "another order" in refused


@pytest.mark.parametrize("at", [2, 0], ids=["killed", "finished"])
@pytest.mark.parametrize("number", [ALGORITHM - 1, ALGORITHM + 1, None])
def test_parts_of_another_algorithm_or_of_none_are_neither_continued_nor_repeated(
    number: int | None,
    at: int,
    table: PrivateTable,
    tmp_path: Path,
    drawn_laws: DrawnLaws,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Parts that another version of the algorithm drew are neither continued nor repeated.

    The number of the algorithm decides, whatever would be asked. Old parts have no number.
    The spend of 8 stays, and nothing more is drawn.
    """
    plan = PLANS["tree"]
    with monkeypatch.context() as patched:
        made_by(patched, number)
        assert (release_and_kill(plan, table, tmp_path, drawn_laws, at) is None) == bool(at)

    laws_before = list(drawn_laws.kept)

    with open_ledger(tmp_path, plan) as ledger:
        with pytest.raises(ReleaseError) as caught:
            synthesize(plan, table, ledger=ledger)
        assert str(caught.value) == OTHER
        assert ledger.balance("table").spent == 8
        assert len(ledger.entries()) == 1

    assert drawn_laws.kept == laws_before, "nothing more was drawn"


def made_by(patched: pytest.MonkeyPatch, number: int | None) -> None:
    """Keep parts as another algorithm does; with no number as the first, which told
    nothing.
    """
    for module in (parts, door):
        patched.setattr(module, "ALGORITHM", number or ALGORITHM)
    keep = Ledger.keep

    def forgetting(ledger: Ledger, entry: Any, name: str, payload: bytes) -> Any:
        old = pack_arrays(**Part.read(payload).arrays) if name.isdigit() else payload
        return payload, keep(ledger, entry, name, old)[1]

    if number is None:
        patched.setattr(Ledger, "keep", forgetting)
