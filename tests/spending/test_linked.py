"""Linked tables from rows to a bundle: keys resolve, one spend, and a bundle can be
checked.
"""

import hashlib
import json
import re
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

from synth import analyse
from synth.bundle import DATA_PACKAGE, LinkedResult, WrittenFile, describe_linked
from synth.domain import LinkedPackage, read_package
from synth.door import ALGORITHM, Ledger
from synth.errors import (
    LimitError,
    RefutedError,
    ReleaseError,
    SynthError,
    TableError,
)
from synth.linked import CountLaw, LinkedMarginal
from synth.plans import LinkedPlan
from synth.privacy import Neighbors, parse_budget
from synth.private.counting import ENGINES, Engine, settle_tables
from synth.private.table import open_any
from synth.spending import synthesize_linked
from synth.verification import redrawn, verify
from tests.bundle.bundles import read_bundle, rezip
from tests.linked.households import DOCUMENT, Files, files_at_random, households

ADD = Neighbors.ADD_REMOVE
DUCKDB = ENGINES[Engine.DUCKDB].link


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    """Three hundred homes with their persons, events and cars, drawn at random."""
    random = Random(1)
    files = Files()
    for number in range(100):
        some = files_at_random(random, [f"{number}{letter}" for letter in "ABC"])
        for name, rows in some.rows.items():
            files.rows[name] += rows
    return files.tables()


@pytest.fixture(scope="module")
def linked_result(tables: dict[str, pa.Table]) -> LinkedResult:
    """A linked release of all four tables at epsilon 20 under add-remove."""
    return synthesize_linked(
        LinkedPlan(package=households(), epsilon=Fraction(20), neighbors=ADD), tables
    )


def test_all_keys_resolve_and_no_key_is_a_real_one(
    linked_result: LinkedResult, tables: dict[str, pa.Table]
) -> None:
    """Each synthetic row refers to a synthetic row of its parent table, and no key is a real
    one.

    Column h is the key of a home; columns h and p together are the key of a person. No home
    has more than the four cars of the declaration.
    """
    rows = {name: table.to_pylist() for name, table in linked_result.tables.items()}

    home_keys = {row["h"] for row in rows["homes"]}
    assert len(home_keys) == len(rows["homes"]) > 100
    assert home_keys.isdisjoint(tables["homes"]["h"].to_pylist())

    person_keys = {(row["h"], row["p"]) for row in rows["persons"]}
    assert len(person_keys) == len(rows["persons"])

    assert {row["h"] for row in rows["persons"]} <= home_keys
    assert {row["h"] for row in rows["cars"]} <= home_keys
    assert {(row["h"], row["p"]) for row in rows["events"]} <= person_keys

    cars_by_home = Counter(row["h"] for row in rows["cars"])
    assert max(cars_by_home.values()) <= 4, "as declared (synth:maxRows)"


def test_a_bundle_is_drawn_again_to_the_byte(
    linked_result: LinkedResult, tmp_path: Path
) -> None:
    """`verify` draws all rows again from the bundle, and they are the same to the byte.

    The four tables as CSV and as Parquet are eight files. Rows that another algorithm of an
    earlier version drew are not drawn again, which is said.
    """
    checked = verify(linked_result.write_archive(tmp_path / "b.zip"), redraw=True)
    assert any("8 files of rows are the same" in check for check in checked.confirmed)
    assert any("All keys of the tables resolve" in check for check in checked.confirmed)

    folder = linked_result.write(tmp_path / "out", formats=("csv", "parquet"))[
        "homes.csv"
    ].parent
    assert verify(folder).certificate.guarantee.epsilon == 20

    signed = linked_result.certificate
    older = replace(
        linked_result,
        certificate=replace(
            signed, algorithm=ALGORITHM - 1, versions={**signed.versions, "synth": "0.9.0"}
        ),
    )
    checked = verify(older.write_archive(tmp_path / "older.zip"), redraw=True)
    assert any(f"Algorithm {ALGORITHM - 1} drew the rows" in c for c in checked.not_checked)


def test_a_bundle_says_in_one_sentence_that_it_is_not_opened(
    linked_result: LinkedResult, tmp_path: Path
) -> None:
    """A bundle of linked tables is not opened for analysis, and one sentence says so."""
    bundle = linked_result.write_archive(tmp_path / "b.zip")
    for anyway in (False, True):  # as the app opens it, and after its "Open it anyway"
        with pytest.raises(
            ReleaseError, match="holds linked tables, which only the command line"
        ):
            analyse(bundle, anyway=anyway)


def test_keys_are_of_the_declared_pattern(
    tables: dict[str, pa.Table], tmp_path: Path
) -> None:
    """Synthetic keys have the declared pattern, are unique, and still resolve.

    In a pattern ``#`` stands for a digit and ``@`` for a letter. Homes get a pattern of ten
    digits, and persons a letter within their home.
    """
    document = deepcopy(DOCUMENT)
    homes, persons = (resource["schema"]["fields"] for resource in document["resources"][:2])
    homes[0]["synth:identifier"] = "H-##########"
    persons[1]["synth:identifier"] = "@"

    plan = LinkedPlan(package=read_package(document), epsilon=Fraction(20), neighbors=ADD)
    assert read_package(plan.package.to_json()) == plan.package
    result = synthesize_linked(plan, tables)

    home_keys = result.tables["homes"]["h"].to_pylist()
    assert len({*home_keys}) == len(home_keys)
    assert all(re.fullmatch(r"H-[0-9]{10}", key) for key in home_keys)

    persons_by_key = {(row["h"], row["p"]) for row in result.tables["persons"].to_pylist()}
    keys_in_events = {(row["h"], row["p"]) for row in result.tables["events"].to_pylist()}
    assert keys_in_events <= persons_by_key
    assert all(re.fullmatch("[A-Z]", letter) for _, letter in persons_by_key)

    checked = verify(result.write_archive(tmp_path / "b.zip"), redraw=True)
    assert any("8 files of rows are the same" in check for check in checked.confirmed)


def test_a_panel_in_one_file_is_a_root_and_its_rows() -> None:
    """One file of a panel is read as two linked tables: people, and their waves.

    The file has 300 people in three waves. At epsilon 20 the synthetic tables have nearly as
    many people and waves, and no person has one wave twice.
    """
    key = {"name": "id", "type": "integer"}
    link = {"resource": "people", "fields": "id"}
    sex = {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}}
    wave = {"name": "wave", "type": "string", "constraints": {"enum": ["1", "2", "3"]}}

    package = read_package(
        {
            "resources": [
                {
                    "name": "people",
                    "path": "panel.csv",
                    "schema": {"primaryKey": "id", "fields": [key, sex]},
                },
                {
                    "name": "waves",
                    "path": "panel.csv",
                    "synth:maxRows": 3,
                    "schema": {
                        "fields": [key, wave],
                        "primaryKey": ["id", "wave"],
                        "foreignKeys": [{"fields": "id", "reference": link}],
                    },
                },
            ]
        }
    )

    people = 300
    panel = pa.table(
        {
            "id": [person for person in range(people) for _ in range(3)],
            "sex": ["f", "f", "f", "m", "m", "m"] * (people // 2),
            "wave": ["1", "2", "3"] * people,
        }
    )

    result = synthesize_linked(
        LinkedPlan(package=package, epsilon=Fraction(20), neighbors=ADD),
        {"people": panel, "waves": panel},
    ).tables

    assert abs(result["people"].num_rows - people) < 20, "noise of a few people at epsilon 20"
    waves = [(row["id"], row["wave"]) for row in result["waves"].to_pylist()]
    assert len({*waves}) == len(waves), "no person has a wave twice"
    assert len(waves) > 700, "nearly the real 900"


def test_rows_that_were_changed_are_refuted(
    linked_result: LinkedResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`verify` refutes changed rows: broken links at once, reordered cells by drawing again.

    Cars are in two of the eight files of rows, as CSV and as Parquet, so six stay the same.
    On a machine that rounds otherwise, redrawn rows may differ without a forgery. Then
    `verify` only says that the rows were not checked.
    """
    rows = linked_result.tables["cars"]
    # No home has this key.
    changed = rows.set_column(0, "h", pa.array([10**6] * rows.num_rows))
    forged = LinkedResult(
        plan=linked_result.plan,
        spends=linked_result.spends,
        tables={**linked_result.tables, "cars": changed},
        certificate=linked_result.certificate,
    )
    with pytest.raises(RefutedError, match="links to no row of 'homes'"):
        verify(forged.write_archive(tmp_path / "links.zip"))

    moved = rows.set_column(
        1, "d", rows["d"].combine_chunks().take(pa.array([*reversed(range(rows.num_rows))]))
    )
    changed_result = LinkedResult(
        plan=linked_result.plan,
        spends=linked_result.spends,
        tables={**linked_result.tables, "cars": moved},
        certificate=linked_result.certificate,
    )
    bundle = changed_result.write_archive(tmp_path / "rows.zip")
    with pytest.raises(RefutedError, match="6 of 8 files of rows are the same"):
        verify(bundle, redraw=True)

    # As if the bundle was made on a machine with other rounding.
    monkeypatch.setattr(redrawn, "rounding_digest", lambda: "another")
    again = verify(bundle, redraw=True)
    assert any("6 of 8 files of rows are the same" in gap for gap in again.not_checked)


@pytest.mark.parametrize("name", ["homes.csv", "homes.parquet", "cars.parquet", "events.csv"])
def test_a_bundle_lacks_no_file_of_rows(
    linked_result: LinkedResult, tmp_path: Path, name: str
) -> None:
    """A bundle without one of its files of rows is refuted.

    The forger also removes the file from the certificate and from the data package, so that
    all digests still match.
    """
    files = read_bundle(linked_result.write_archive(tmp_path / "b.zip"))
    del files[name]

    certificate = json.loads(files["certificate.json"])
    del certificate["sha256"][name]

    written = {
        file_name: WrittenFile(digest, len(files[file_name]))
        for file_name, digest in certificate["sha256"].items()
        if file_name != DATA_PACKAGE
    }
    described = describe_linked(
        linked_result.certificate, linked_result.plan.package, written
    )[DATA_PACKAGE]

    files[DATA_PACKAGE] = described
    certificate["sha256"][DATA_PACKAGE] = hashlib.sha256(described).hexdigest()
    files["certificate.json"] = json.dumps(certificate).encode()
    forged = rezip(tmp_path / "f.zip", files)

    for redraw in (False, True):
        with pytest.raises(RefutedError, match=f"The bundle lacks the file '{name}'"):
            verify(forged, redraw=redraw)


def test_a_spend_that_is_less_than_what_is_claimed_is_refuted(
    linked_result: LinkedResult, tmp_path: Path
) -> None:
    """A bundle that lists all spends of a linked release but the last is refuted."""
    fewer = LinkedResult(
        plan=linked_result.plan,
        spends=linked_result.spends[:-1],
        tables=linked_result.tables,
        certificate=linked_result.certificate,
    )

    with pytest.raises(RefutedError):
        verify(fewer.write_archive(tmp_path / "fewer.zip"))


def test_the_same_request_spends_nothing(tables: dict[str, pa.Table], tmp_path: Path) -> None:
    """A repeated linked release gives the same rows for nothing.

    A release for 2 of a budget of 3 leaves 1, so another release for 3/2 is refused.
    """
    ledger = Ledger(tmp_path / "ledger")
    ledger.set_budget("package", parse_budget("3", ADD))
    plan = LinkedPlan(package=households(), epsilon=Fraction(2), neighbors=ADD)

    first, second = (synthesize_linked(plan, tables, ledger=ledger) for _ in range(2))

    assert (first.repeated, second.repeated) == (False, True)
    assert first.tables == second.tables
    assert ledger.balance("package").left == 1

    bundle = first.write_archive(tmp_path / "b.zip", ledger)
    assert verify(bundle, ledger).not_checked[0].startswith("Whether these rows")

    with pytest.raises(SynthError, match="only 1 is left"):
        synthesize_linked(
            LinkedPlan(package=households(), epsilon=Fraction(3, 2), neighbors=ADD),
            tables,
            ledger=ledger,
        )


def test_by_rho_and_by_replaced_roots(tables: dict[str, pa.Table], tmp_path: Path) -> None:
    """With a delta, all noise of a linked release is discrete Gaussian.

    By default the guarantee protects the replacement of one root, here a home with all its
    rows.
    """
    plan = LinkedPlan(package=households(), epsilon=Fraction(2), delta=Fraction(1, 10**6))
    result = synthesize_linked(plan, tables)

    assert {spend.mechanism.law for spend in result.spends} == {"discrete Gaussian"}
    assert "replaced root" in result.certificate.guarantee.statement
    assert verify(result.write_archive(tmp_path / "b.zip"), redraw=True).confirmed


def test_what_is_not_the_declared_package_is_refused(tables: dict[str, pa.Table]) -> None:
    """A table too few, one too many, and tables without their columns are refused before any
    spend.
    """
    plan = LinkedPlan(package=households(), epsilon=Fraction(2), neighbors=ADD)
    ledger = Ledger()
    cases = {
        "declares the table 'cars', which is not given": {
            name: table for name, table in tables.items() if name != "cars"
        },
        "needs no table 'dogs'": {**tables, "dogs": tables["cars"]},
        "'cars' is not the declared table": {
            **tables,
            "cars": tables["cars"].drop_columns(["d"]),
        },
        "'events' is not the declared": {
            **tables,
            "events": tables["events"].drop_columns(["p"]),
        },
    }

    for sentence, given_tables in cases.items():
        with pytest.raises(TableError, match=sentence):
            synthesize_linked(plan, given_tables, ledger=ledger)

    assert ledger.entries() == []


def test_noise_beyond_what_is_drawn_is_refused_before_the_spend(
    tables: dict[str, pa.Table],
) -> None:
    """A plan that needs more noise than Synth can draw is refused before the spend.

    A thousand cars a home at epsilon 1 / 10,000 are such a plan.
    """
    ledger = Ledger()
    package = households()
    cars = replace(package.tables[2], most=1000)
    package = replace(package, tables=(*package.tables[:2], cars, package.tables[3]))

    with pytest.raises(
        LimitError, match="Up to 1,000 rows of one parent in 'cars' need more"
    ):
        synthesize_linked(
            LinkedPlan(package=package, epsilon=Fraction(1, 10**4), neighbors=ADD),
            tables,
            ledger=ledger,
        )

    assert ledger.entries() == []


def with_makes() -> LinkedPackage:
    """The package of households, with a public table of makes of cars and their seats."""
    document = deepcopy(DOCUMENT)
    cars = document["resources"][3]["schema"]
    cars["fields"].append({"name": "made by", "type": "string"})
    link = {"fields": "made by", "reference": {"resource": "makes", "fields": "make"}}
    cars["foreignKeys"].append(link)
    seats = {"name": "seats", "type": "integer", "constraints": {"minimum": 1, "maximum": 9}}
    fields = [{"name": "make", "type": "string"}, seats]
    document["resources"].append(
        {
            "name": "makes",
            "path": "makes.csv",
            "synth:public": True,
            "schema": {"primaryKey": "make", "fields": fields},
        }
    )
    return read_package(document)


def open_all(tables: dict[str, pa.Table]) -> dict[str, Any]:
    """Open each table by its name."""
    return {name: open_any(table) for name, table in tables.items()}


SEATS_OF_MAKES = pa.table({"make": ["a", "b", "c"], "seats": [2, 5, None]})
"""The public table of makes: 2 seats for make a, 5 for make b, and none for c."""


def tables_with_makes(tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """The tables, with cars of the makes a, b, c, x and of no make in turn, and the makes.

    Make x is not in the public table. So the seats of five cars in turn are 2, 5 and three
    times unknown.
    """
    car_count = tables["cars"].num_rows
    makes = (["a", "b", "c", "x", None] * car_count)[:car_count]
    cars = tables["cars"].append_column("made by", pa.array(makes))
    return {**tables, "cars": cars, "makes": SEATS_OF_MAKES}


def test_a_public_table_is_joined_as_if_its_columns_stood_in_the_rows(
    tables: dict[str, pa.Table],
) -> None:
    """Cars that refer to a public table are counted as if its columns stood in their rows."""
    package = with_makes()
    # The other declaration refers to no public table; its cars have the seats themselves.
    cars_alone = replace(package.tables[2], lookups=())
    plain = replace(package, tables=(*package.tables[:2], cars_alone, package.tables[3]))
    car_count = tables["cars"].num_rows
    seats = ([2, 5, None, None, None] * car_count)[:car_count]
    wide = {**tables, "cars": tables["cars"].append_column("seats", pa.array(seats))}

    joined = settle_tables(package, open_all(tables_with_makes(tables)), DUCKDB)
    with_seats = settle_tables(plain, open_all(wide), DUCKDB)

    # Table 2 is that of the cars; its columns are d and the seats.
    days, seat_numbers = (2, 0), (2, 1)
    pair = LinkedMarginal(table=2, columns=(days, seat_numbers))
    column = LinkedMarginal(table=2, columns=(seat_numbers,), law=CountLaw.ROWS)
    for marginal in (pair, column):
        assert joined.tally(marginal).tolist() == with_seats.tally(marginal).tolist()


@pytest.mark.slow
def test_columns_of_a_public_table_are_released_and_verified(
    tables: dict[str, pa.Table], tmp_path: Path
) -> None:
    """Synthetic cars have the seats of the public table, and not the make."""
    path = tmp_path / "makes.csv"
    pa_csv.write_csv(SEATS_OF_MAKES, path)
    plan = LinkedPlan(package=with_makes(), epsilon=Fraction(20), neighbors=ADD)

    result = synthesize_linked(plan, {**tables_with_makes(tables), "makes": path})

    cars = result.tables["cars"]
    assert cars.column_names == ["h", "d", "seats"]
    assert {*cars["seats"].to_pylist()} >= {2, 5, None}
    checked = verify(result.write_archive(tmp_path / "b.zip"), redraw=True)
    assert any("8 files of rows are the same" in check for check in checked.confirmed)


def test_a_wrong_public_table_is_refused(tables: dict[str, pa.Table]) -> None:
    """A public table with a doubled key, without its column, or missing is refused."""
    plan = LinkedPlan(package=with_makes(), epsilon=Fraction(20), neighbors=ADD)
    given_tables = tables_with_makes(tables)
    doubled_key = pa.table({"make": ["a", "a"], "seats": [2, 5]})

    for wrong, sentence in (
        (doubled_key, "Two rows of the public table 'makes' have one key"),
        (SEATS_OF_MAKES.drop_columns(["seats"]), "'makes' is not the declared table"),
    ):
        with pytest.raises(TableError, match=sentence):
            synthesize_linked(plan, {**given_tables, "makes": wrong})

    del given_tables["makes"]
    with pytest.raises(TableError, match="declares the table 'makes', which is not given"):
        synthesize_linked(plan, given_tables)
