"""Linked tables from rows to a bundle: keys resolve, one spend, and a bundle can be checked."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from synth.bundle import LinkedResult
from synth.door import Ledger
from synth.errors import LimitError, RefutedError, SynthError, TableError
from synth.plans import LinkedPlan
from synth.privacy import Neighbors, parse_budget
from synth.spending import synthesize_linked
from synth.verification import verify
from tests.relational.households import Files, files_at_random, households

ADD = Neighbors.ADD_REMOVE


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    """Three hundred homes."""
    random, found = Random(1), Files()
    for number in range(100):
        some = files_at_random(random, [f"{number}{letter}" for letter in "ABC"])
        for name, rows in some.rows.items():
            found.rows[name] += rows
    return found.tables()


@pytest.fixture(scope="module")
def made(tables: dict[str, pa.Table]) -> LinkedResult:
    return synthesize_linked(LinkedPlan(households(), Fraction(20), ADD), tables)


def test_all_keys_resolve_and_no_key_is_a_real_one(
    made: LinkedResult, tables: dict[str, pa.Table]
) -> None:
    homes, persons, events, cars = (
        made.tables[name].to_pylist() for name in ("homes", "persons", "events", "cars")
    )
    keys = {row["h"] for row in homes}
    assert len(keys) == len(homes) > 100
    assert not keys & {*tables["homes"]["h"].to_pylist()}
    named = {(row["h"], row["p"]) for row in persons}
    assert len(named) == len(persons)
    assert {h for h, _ in named} | {row["h"] for row in cars} <= keys
    assert {(row["h"], row["p"]) for row in events} <= named
    assert max(sum(row["h"] == key for row in cars) for key in keys) <= 4


def test_a_bundle_is_drawn_again_to_the_byte(made: LinkedResult, tmp_path: Path) -> None:
    checked = verify(made.write_archive(tmp_path / "b.zip"), redraw=True)
    assert any("all 8 files of rows are the same" in one for one in checked.confirmed)
    assert any("All keys of the tables resolve" in one for one in checked.confirmed)
    folder = made.write(tmp_path / "out", ("csv", "parquet"))["homes.csv"].parent
    assert verify(folder).certificate.guarantee.epsilon == 20


def test_rows_that_were_changed_are_refuted(made: LinkedResult, tmp_path: Path) -> None:
    rows = made.tables["cars"]
    changed = rows.set_column(0, "h", pa.array([10**6] * rows.num_rows))
    forged = LinkedResult(made.plan, made.spends, {**made.tables, "cars": changed},
                          made.certificate)  # fmt: skip
    with pytest.raises(RefutedError, match="links to no row of 'homes'"):
        verify(forged.write_archive(tmp_path / "links.zip"))
    moved = rows.set_column(1, "d", rows["d"].combine_chunks().take(
        pa.array([*reversed(range(rows.num_rows))])))  # fmt: skip
    other = LinkedResult(made.plan, made.spends, {**made.tables, "cars": moved}, made.certificate)
    again = verify(other.write_archive(tmp_path / "rows.zip"), redraw=True)
    assert any("6 of 8 files of rows are the same" in one for one in again.not_checked)


def test_a_spend_that_is_less_than_what_is_claimed_is_refuted(
    made: LinkedResult, tmp_path: Path
) -> None:
    fewer = LinkedResult(made.plan, made.spends[:-1], made.tables, made.certificate)
    with pytest.raises(RefutedError):
        verify(fewer.write_archive(tmp_path / "fewer.zip"))


def test_the_same_request_spends_nothing(tables: dict[str, pa.Table], tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    ledger.set_budget("package", parse_budget("3", ADD))
    plan = LinkedPlan(households(), Fraction(2), ADD)
    one, other = (synthesize_linked(plan, tables, ledger=ledger) for _ in range(2))
    assert (one.repeated, other.repeated) == (False, True)
    assert one.tables == other.tables
    assert ledger.balance("package").left == 1
    bundle = one.write_archive(tmp_path / "b.zip", ledger)
    assert verify(bundle, ledger).not_checked[0].startswith("Whether the noisy counts")
    with pytest.raises(SynthError, match="only 1 is left"):
        synthesize_linked(LinkedPlan(households(), Fraction(3, 2), ADD), tables, ledger=ledger)


def test_by_rho_and_by_replaced_roots(tables: dict[str, pa.Table], tmp_path: Path) -> None:
    plan = LinkedPlan(households(), Fraction(2), delta=Fraction(1, 10**6))
    result = synthesize_linked(plan, tables)
    assert {one.mechanism.law for one in result.spends} == {"discrete Gaussian"}
    assert "replaced root" in result.certificate.guarantee.statement
    assert verify(result.write_archive(tmp_path / "b.zip"), redraw=True).confirmed


def test_what_is_not_the_declared_package_is_refused(tables: dict[str, pa.Table]) -> None:
    plan, ledger = LinkedPlan(households(), Fraction(2), ADD), Ledger()
    cases = {
        "declares the table 'cars', which is not given": {
            name: table for name, table in tables.items() if name != "cars"
        },
        "no protected table 'dogs'": {**tables, "dogs": tables["cars"]},
        "'cars' is not the declared table": {**tables, "cars": tables["cars"].drop_columns(["d"])},
        "'events' is not the declared": {**tables, "events": tables["events"].drop_columns(["p"])},
    }
    for sentence, given in cases.items():
        with pytest.raises(TableError, match=sentence):
            synthesize_linked(plan, given, ledger=ledger)
    assert ledger.entries() == []


def test_noise_beyond_what_is_drawn_is_refused_before_the_spend(
    tables: dict[str, pa.Table],
) -> None:
    ledger, package = Ledger(), households()
    cars = replace(package.tables[2], most=1000)
    package = replace(package, tables=(*package.tables[:2], cars, package.tables[3]))
    with pytest.raises(LimitError, match="Up to 1,000 rows of one parent in 'cars' need more"):
        synthesize_linked(LinkedPlan(package, Fraction(1, 10**4), ADD), tables, ledger=ledger)
    assert ledger.entries() == []
