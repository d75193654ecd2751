"""Derived columns through a whole release: written, verified, compared, and refused if
forged.
"""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from synth.__main__ import main
from synth.bundle import Result, json_bytes
from synth.domain import Derived, Domain, Identifier, write_schema
from synth.domain.building import Date, Integer, Number
from synth.errors import ReleaseError
from synth.plans import Plan
from synth.private.comparison import compare_derived, compare_tables
from synth.private.table import open_any
from synth.rows import derive
from synth.spending import synthesize
from synth.verification import verify

DOMAIN = Domain(
    age=Integer(18, 97, bins=8, missing=True),
    age_group=Derived(formula="bins(age, 30, 65)"),
    weight=Number(30, 150, bins=6, decimals=1),
    height=Number(1.2, 2.2, bins=5, decimals=2),
    bmi=Derived(formula="round(weight / height ^ 2, 1)"),
    day=Date("2020-01-01", "2021-12-31", bins=4),
    year=Derived(formula="year(day)"),
    code=["1010", "2010"],
    region=Derived(lookup="code", table={"1010": "=Vienna", "2010": "Lower"}),
)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """3,000 simulated people; in seven rows the age group contradicts the age."""
    rng = np.random.default_rng(2)
    n = 3_000
    people = pd.DataFrame(
        {
            "age": rng.integers(18, 98, n),
            "weight": rng.uniform(40, 120, n).round(1),
            "height": rng.uniform(1.4, 2, n).round(2),
            "day": pd.to_datetime("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 700, n), "D"),
            "code": rng.choice(["1010", "2010"], n),
        }
    )
    people["age_group"] = np.select(
        [people.age < 30, people.age < 65], ["under 30", "30 to 64"], "65 and over"
    )
    people.loc[:6, "age_group"] = np.where(people.age[:7] < 65, "65 and over", "under 30")
    return people


@pytest.fixture(scope="module")
def result(frame: pd.DataFrame) -> Result:
    """A release of these people at epsilon 2."""
    return synthesize(Plan(domain=DOMAIN, epsilon=Fraction(2), dataset="people"), frame)


def test_a_bundle_holds_them_at_their_place_and_verifies(
    result: Result, tmp_path: Path
) -> None:
    """Derived columns are written at their declared places, and verified row by row.

    DOMAIN derives age_group, bmi, year and region by rules. The region "=Vienna" is written
    with a quote before it, so that a spreadsheet takes it for no formula.
    """
    bundle = result.write_archive(tmp_path / "b.zip")
    checks = verify(bundle).confirmed
    sentence = (
        "Columns 'age_group' and 'bmi' and 'year' and 'region' follow their rules in "
        "every row."
    )
    assert sentence in checks

    files = result.write(tmp_path / "out")
    header, first, *_ = files["synthetic.csv"].read_text(encoding="utf-8").splitlines()
    assert header.split(",") == list(DOMAIN.written)
    assert first.split(",")[-1] in ("'=Vienna", "Lower")


def test_a_forged_value_is_found(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verification refuses a bundle with a derived value that its rule does not give.

    The year of the first row is replaced by 1999 while the bundle is written.
    """
    real = derive.with_derived

    def forged(domain: Domain, table: pa.Table, *seed: int, **place: int) -> pa.Table:
        real_table = real(domain, table, *seed, **place)
        years = pa.array([1999, *real_table["year"].to_pylist()[1:]])
        return real_table.set_column(real_table.column_names.index("year"), "year", years)

    with monkeypatch.context() as patched:
        patched.setattr(derive, "with_derived", forged)
        bundle = result.write_archive(tmp_path / "b.zip")

    with pytest.raises(ReleaseError, match="another value of 'year' than its rule gives"):
        verify(bundle)


def test_hostile_names_and_texts_are_only_names_and_texts(tmp_path: Path) -> None:
    """Names and formulas with quotes, markup and commands of spreadsheets stay texts.

    In the CSV file a text that starts with = has a quote before it.
    """
    age = 'age,"x"'
    domain = Domain(
        {
            age: Integer(18, 97, bins=4),
            "=cmd|' /C calc'": Derived(formula='bins("age,""x""", 30)', description="=1+1"),
            "<b>k</b>": Derived(
                formula=f"if(\"{age.replace(chr(34), chr(34) * 2)}\" < 30, '=A(1)', 'a\"b')"
            ),
        }
    )

    ages = pa.table({age: pa.array([20, 40] * 200)})
    result = synthesize(Plan(domain=domain, epsilon=Fraction(1)), ages)

    bundle = result.write_archive(tmp_path / "b.zip")
    assert any("<b>k</b>" in sentence for sentence in verify(bundle).confirmed)

    header = (
        result.write(tmp_path / "out")["synthetic.csv"]
        .read_text(encoding="utf-8")
        .splitlines()
    )
    assert "'=cmd|" in header[0]
    assert {line.rpartition(",")[2] for line in header[1:]} <= {"'=A(1)", '"a""b"'}


def test_real_rows_that_disagree_are_counted(frame: pd.DataFrame, result: Result) -> None:
    """The steward sees how many real rows contradict a rule: seven age groups here.

    Columns that the real table lacks (bmi, year and region) have no such number.
    """
    group, bmi, year, region = compare_derived(compare_tables(open_any(frame), result))

    assert (group.disagreeing, group.rows) == (7, 3_000)
    assert bmi.disagreeing is year.disagreeing is region.disagreeing is None
    assert group.sentence == "'age_group': 7 of 3,000 rows disagree with its rule."
    assert "private" in repr(group)


def test_pairs_are_computed_on_both_sides(frame: pd.DataFrame, result: Result) -> None:
    """The error of age group, and of its pair with age, follows from the error of age.

    The bin of age that holds 29 and 30 is cut by the group, which adds at most 0.06. The
    group's error is at least the change of the share below 30, or below 65, up to 0.02.
    """
    comparison = compare_tables(open_any(frame), result)
    group, *_ = compare_derived(comparison)
    single = group.pairs["age"]
    assert single <= comparison.errors.one_way.by_table[("age",)] + 0.06

    real = frame.age.lt(30).mean(), frame.age.lt(65).mean()
    ages = pd.Series(result.synthetic.table["age"].to_pylist(), dtype=float)
    gaps = [abs(ages.lt(30).mean() - real[0]), abs(ages.lt(65).mean() - real[1])]
    assert group.error >= max(gaps) - 0.02


def test_the_command_line_takes_them(
    frame: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A derived column is not measured: it is compared with its rule, and cannot be asked
    about.

    `frame` has 3,000 people, seven of whom have an age group that contradicts their age.
    """
    table, schema, bundle = (str(tmp_path / name) for name in ("t.csv", "d.json", "b.zip"))
    frame.to_csv(table, index=False)
    Path(schema).write_bytes(json_bytes(write_schema(DOMAIN)))

    assert main(["domain", "check", schema]) == 0
    assert "age_group: no cells, follows from bins(age, 30, 65)" in capsys.readouterr().out

    options = ["--columns", "age,age_group,code", "--epsilon", "1", "--out", bundle]
    assert main(["release", table, "--domain", schema, *options]) == 0
    capsys.readouterr()

    assert main(["compare", table, bundle]) == 0
    output = capsys.readouterr().out
    assert "PRIVATE - do not share." in output
    assert "'age_group': 7 of 3,000 rows disagree with its rule." in output

    arguments = [
        "--epsilon",
        "1",
        "--question",
        "count where age_group = 'under 30'",
        "--out",
    ]
    assert main(["ask", table, "--domain", schema, *arguments, str(tmp_path / "a")]) == 2
    assert "Column 'age_group' is derived" in capsys.readouterr().err


@pytest.mark.parametrize("has_ids", [True, False])
def test_a_release_with_derived_columns_and_ids_is_compared(
    has_ids: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A derived column is compared in pairs with declared columns, but not with IDs.

    Synthetic IDs belong to nobody, so such a pair says nothing. The real table may have IDs
    or not.
    """
    table, schema, bundle = (str(tmp_path / name) for name in ("t.csv", "d.json", "b.zip"))
    domain = Domain(
        key=Identifier(pattern="P####"),
        age=Integer(0, 99, bins=5),
        old=Derived(formula="age >= 65"),
        sex=["F", "M"],
        code=Identifier(pattern="number"),
    )

    real = pd.DataFrame({"age": [10, 70, 80, 90] * 100, "sex": ["F", "M"] * 200})
    if has_ids:
        real["key"] = [f"P{number:04}" for number in range(400)]
    real.to_csv(table, index=False)
    Path(schema).write_bytes(json_bytes(write_schema(domain)))

    assert (
        main(["release", table, "--domain", schema, "--epsilon", "1", "--out", bundle]) == 0
    )
    capsys.readouterr()

    report = str(tmp_path / "report.html")
    assert main(["compare", table, bundle, "--json", "--out", report]) == 0
    (old,) = json.loads(capsys.readouterr().out)["derived"]
    assert set(old["pairs"]) == {"age", "sex"}
