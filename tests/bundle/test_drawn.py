"""Dummies, and rows of a release drawn once more: written, verified, forged, and refused."""

import json
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from zipfile import ZipFile

import pandas as pd
import pytest

import synth
from synth.errors import ArgumentError, QuestionError, RefutedError, ReleaseError, SynthError
from tests.bundle.bundles import read_bundle, replace_signed, rezip

FRAME = pd.DataFrame(
    {
        "sex": ["f"] * 950 + ["m"] * 50,
        "age": [5, 15, 25, 35] * 250,
        "region": ["north", "south"] * 500,
    }
)
# What no file shows of drawn rows, for which no ledger has an entry.
OF_NO_FILE = {"created", "versions.*"}
DOMAIN = synth.Domain(
    key=synth.Identifier(pattern="P#####"),
    sex=["f", "m"],
    age=synth.Integer(0, 39, bins=4, missing=True),
    region=["north", "south", "east"],
)


@pytest.fixture(scope="module", params=["one-shot", "histogram"])
def bundle(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of 1,000 rows at epsilon 20, by a model and by a histogram."""
    folder = tmp_path_factory.mktemp("drawn")
    book = {"ledger": folder / "l.db", "budget": "20", "dataset": "people"}
    release = synth.release(FRAME, DOMAIN, epsilon="20", method=request.param, **book)
    return release.save(folder / "r.zip")


@pytest.fixture(scope="module")
def dummy_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dummy of 400 rows in all formats, with a set share: 0.9 of the rows are f."""
    drawn_rows = synth.dummy(DOMAIN, 400, {"sex": {"f": "0.9"}})
    return drawn_rows.save(
        tmp_path_factory.mktemp("dummy") / "dummy.zip", "xlsx,sav,dta,xpt,parquet"
    )


def test_a_dummy_is_read_with_its_types_and_says_that_it_is_one(dummy_path: Path) -> None:
    """A dummy says everywhere that it was made from a declaration alone, and costs no
    epsilon.

    Of 400 rows 0.9 are f, as set. A fifth of the ages, 80, is missing, as the four bins and
    the missing value are equally frequent.
    """
    with ZipFile(dummy_path) as files:
        assert all(
            word in files.namelist() for word in ("dummy.csv", "dummy.xlsx", "dummy.sav")
        )
        assert files.read("statement.txt").startswith(b"DUMMY TABLE")
        certificate = json.loads(files.read("certificate.json"))
        with files.open("dummy_typed.parquet") as rows:
            parquet_rows = pd.read_parquet(rows)
        package = json.loads(files.read("datapackage.json"))

    assert certificate["source"] == "declaration"
    assert "This is a dummy" in certificate["guarantee"]["statement"]
    assert certificate["guarantee"]["epsilon"] == "0"
    assert package["title"] == "Dummy table made from a declaration alone"

    assert list(parquet_rows) == ["key", "sex", "age", "region"]
    assert parquet_rows["key"].is_unique
    assert parquet_rows["sex"].eq("f").sum() == 360
    assert parquet_rows["age"].isna().sum() == 80
    assert pd.api.types.is_numeric_dtype(parquet_rows["age"])


def test_the_types_are_those_that_are_declared(bundle: Path) -> None:
    """Columns of drawn and of dummy tables have the types that their declaration names."""
    dated = synth.Domain(
        key=synth.Identifier(pattern="number"),
        wage=synth.Number(0, 99, bins=3),
        born=synth.Date("2000-01-01", "2009-12-31"),
        smokes=bool,
    )

    for domain, drawn_rows in (
        (dated, synth.dummy(dated, 60).table),
        (DOMAIN, synth.draw(bundle, 60, "sex = m").table),
    ):
        assert {name: str(drawn_rows[name].dtype) for name in drawn_rows} == {
            column.name: column.dtype for column in domain.written_columns
        }


def test_verify_confirms_all_of_a_dummy_but_its_time_and_its_software(
    dummy_path: Path,
) -> None:
    """Of an honest dummy `verify` leaves only its time and its software versions open.

    Files alone cannot show when and by which software they were made. That is left to the
    steward, so the verdict is "confirmed".
    """
    verification = synth.verify(dummy_path)

    assert verification.verdict == "confirmed"
    assert OF_NO_FILE == {part.pattern for part in verification.open_parts}
    assert len(verification.for_steward) == len(OF_NO_FILE)
    assert any(check.startswith("It is a dummy") for check in verification.confirmed)


def test_files_of_other_versions_are_listed_as_not_checked(
    dummy_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that another version of a package wrote is listed as not checked.

    Another version may write other bytes, which proves nothing. Here pyreadstat seems not to
    be installed, and all other packages have version 0.1.
    """

    def other(package: str) -> str:
        if package == "pyreadstat":
            raise PackageNotFoundError
        return "0.1"

    monkeypatch.setattr("synth.verification.exported.version", other)
    verification = synth.verify(dummy_path)
    assert verification.verdict == "not checked"

    sentence = "'{}' was written by another version of {} and was not written again."
    assert {gap for gap in verification.not_checked if "was not written again" in gap} == {
        sentence.format("dummy.parquet", "pyarrow"),
        sentence.format("dummy_typed.parquet", "pyarrow"),
        sentence.format("dummy.xlsx", "xlsxwriter"),
        *(
            sentence.format(f"dummy.{ending}", "pyreadstat")
            for ending in ("sav", "dta", "xpt")
        ),
    }


def test_conclusions_from_a_dummy_are_refused(dummy_path: Path) -> None:
    """A dummy has nothing of the table, so it is neither analysed nor compared with it."""
    with pytest.raises(ReleaseError, match="holds no release"):
        synth.analyse(dummy_path)
    with pytest.raises(SynthError):
        synth.analyse(dummy_path, anyway=True)
    with pytest.raises(ReleaseError, match="holds no release"):
        synth.compare(FRAME, dummy_path)


def test_other_rows_are_no_dummy(dummy_path: Path, tmp_path: Path) -> None:
    """A dummy with one other value, or with a false caveat, is refuted."""
    files = read_bundle(dummy_path)
    replace_signed(files, "dummy.csv", files["dummy.csv"].replace(b"north", b"south", 1))
    with pytest.raises(RefutedError, match="does not match the certificate"):
        synth.verify(rezip(tmp_path / "forged.zip", files))

    # The same with a caveat that says something else.
    files = read_bundle(dummy_path)
    content = json.loads(files["certificate.json"])
    content["caveats"] = ["Real rows."]
    files["certificate.json"] = json.dumps(content).encode()
    with pytest.raises(RefutedError, match="does not say how the rows were drawn"):
        synth.verify(rezip(tmp_path / "told.zip", files))


def test_a_dummy_that_cannot_be_is_refused() -> None:
    """A dummy has at least one row, and no more rows than its ID pattern has IDs."""
    with pytest.raises(ArgumentError):
        synth.dummy(DOMAIN, 0)
    with pytest.raises(SynthError, match="has IDs for 10 rows"):
        synth.dummy(synth.Domain(key=synth.Identifier(pattern="P#"), sex=["f", "m"]), 11)


@pytest.mark.first_case
def test_rows_meet_a_condition(bundle: Path, tmp_path: Path) -> None:
    """All rows that are drawn under a condition meet it.

    Their shares are set and not measured, so they are not analysed, compared or drawn from
    again. With release and ledger only what no file shows stays open.
    """
    drawn_rows = synth.draw(bundle, 3_000, "sex = m and age >= 10")
    assert len(drawn_rows.table) == 3_000
    assert set(drawn_rows.table["sex"]) == {"m"}
    assert drawn_rows.table["age"].min() >= 10
    assert drawn_rows.table["key"].is_unique
    assert drawn_rows.certificate.where == "sex = m and age >= 10"

    path = drawn_rows.save(tmp_path / "set_shares.zip")
    assert synth.verify(path).verdict == "not checked"  # of the release nothing
    assert synth.verify(path, release=bundle).verdict == "confirmed"

    with_ledger = synth.verify(path, release=bundle, ledger=bundle.with_name("l.db"))
    assert OF_NO_FILE == {part.pattern for part in with_ledger.open_parts}
    assert len(with_ledger.for_steward) == len(OF_NO_FILE)

    for refused in (synth.analyse, synth.draw, lambda p, _=0: synth.compare(FRAME, p)):
        with pytest.raises(
            ReleaseError, match="The shares of these rows were set, not measured"
        ):
            refused(path, 5) if refused is synth.draw else refused(path)


@pytest.mark.first_case
def test_rows_are_worth_no_more_than_their_release(bundle: Path, tmp_path: Path) -> None:
    """Rows are as well confirmed as the release that they are drawn from, and refuted with
    it.

    What stays open of the release is said of the rows too. So the ledger must have the
    release.
    """
    drawn_path = synth.draw(bundle, 50).save(tmp_path / "more.zip")
    verification = synth.verify(drawn_path, release=bundle)
    without = synth.verify(bundle)
    assert verification.verdict == without.verdict == "confirmed"

    of_release = [
        gap for gap in verification.for_steward if gap.startswith("Of the release: ")
    ]
    assert len(of_release) == len(without.for_steward)
    assert len(verification.for_steward) == len(of_release) + len(OF_NO_FILE)
    assert any("ledger has the spend" in claim for claim in verification.for_steward)

    message = f"Of the release, {len(without.confirmed)} checks are confirmed as well."
    assert message in verification.confirmed

    # A ledger that paid for another release.
    other_path = tmp_path / "other.db"
    synth.release(FRAME, DOMAIN, epsilon="1", ledger=other_path, budget="1", dataset="people")
    sentence = "^The release of the rows, 'r.zip': The .* in this ledger.$"
    with pytest.raises(RefutedError, match=sentence):
        synth.verify(drawn_path, other_path, release=bundle)

    # A copy of the right ledger without its key, which anyone could have written.
    keyless = tmp_path / "keyless.db"
    keyless.write_bytes(bundle.with_name("l.db").read_bytes())
    unsealed = synth.verify(drawn_path, keyless, release=bundle)
    assert "its seals were not checked" in unsealed.not_checked[0]
    assert any(gap.startswith("Of the release: Of the cert") for gap in unsealed.for_steward)


def test_a_forged_release_refutes_its_rows(bundle: Path, tmp_path: Path) -> None:
    """Drawn rows are refuted if the release that is given as their source is forged."""
    drawn_path = synth.draw(bundle, 50).save(tmp_path / "more.zip")

    forged = rezip(
        tmp_path / "forged.zip", read_bundle(bundle) | {"statement.txt": b"epsilon 0"}
    )

    with pytest.raises(
        RefutedError, match=r"^The release of the rows, 'forged.zip': 'statement"
    ):
        synth.verify(drawn_path, release=forged)


def test_a_release_is_given_for_drawn_rows_only(bundle: Path, dummy_path: Path) -> None:
    """To verify a release or a dummy, no release is given as the source of its rows.

    A ledger may be given for a dummy, but no spend is looked for in it.
    """
    for path in (bundle, dummy_path):
        with pytest.raises(
            ArgumentError, match="Only rows that were drawn from a release once"
        ):
            synth.verify(path, release=bundle)

    verification = synth.verify(dummy_path, bundle.with_name("l.db"))
    assert (
        "A dummy spends nothing, so the ledger was not asked for a spend."
        in verification.confirmed
    )


@pytest.mark.first_case
def test_shares_are_set_and_said(bundle: Path, tmp_path: Path) -> None:
    """A share that was set is exact (0.6 of 1,000 rows), is in the statement, and cannot
    be forged.
    """
    drawn_rows = synth.draw(bundle, 1_000, shares={"sex": {"m": "0.6"}})
    assert drawn_rows.table["sex"].eq("m").sum() == 600

    path = drawn_rows.save(tmp_path / "set_shares.zip")
    with ZipFile(path) as files:
        content = json.loads(files.read("certificate.json"))["shares"]
        statement = files.read("statement.txt").decode()
    assert content == [{"column": "sex", "cell": "m", "share": "3/5"}]
    assert "Set share of 'sex': m is 0.6 of the rows." in statement

    files = read_bundle(path)
    changed = json.loads(files["certificate.json"])
    changed["shares"][0]["share"] = "1/2"
    files["certificate.json"] = json.dumps(changed).encode()
    with pytest.raises(RefutedError):
        synth.verify(rezip(tmp_path / "forged.zip", files), release=bundle)


@pytest.mark.first_case
def test_what_a_release_cannot_give_is_refused(bundle: Path) -> None:
    """A condition must follow the bins, be met by some row, and name declared columns.

    At most one column may have its shares set.
    """
    with pytest.raises(QuestionError, match="cuts the cell '0 to 9' of column 'age'"):
        synth.draw(bundle, 10, "age >= 5")
    with pytest.raises(QuestionError, match="No row of the release meets"):
        synth.draw(bundle, 10, "region = east and age is missing and sex = m")
    with pytest.raises(SynthError, match="is not declared"):
        synth.draw(bundle, 10, "wage = 5")
    with pytest.raises(ArgumentError, match="Set the shares of one column"):
        synth.draw(bundle, 10, shares={"sex": {"m": 1}, "region": {"north": 1}})


SAYS = pd.DataFrame({"say": ["yes", "no"] * 400})


def test_a_dummy_of_a_paid_draft_has_the_guarantee_of_the_draft(tmp_path: Path) -> None:
    """The declaration was drafted for epsilon 5, so a table drawn from it alone costs 5."""
    drafted = synth.draft(SAYS, epsilon=5).domain
    drawn_rows = synth.dummy(drafted, 50)

    guarantee = drawn_rows.certificate.guarantee
    assert guarantee.epsilon == 5
    assert "5-differentially private" in guarantee.statement
    assert "This counts the draft of the declaration" in guarantee.statement

    verification = synth.verify(drawn_rows.save(tmp_path / "dummy.zip"))
    assert verification.verdict.value == "confirmed"
    assert (
        "5-differentially private"
        in read_bundle(tmp_path / "dummy.zip")["statement.txt"].decode()
    )


def test_a_dummy_says_what_its_declaration_owes_to_the_rows() -> None:
    """A dummy says so if its declaration was taken from rows, or made after a look at exact
    numbers.

    It then does not claim to hold nothing about people.
    """
    taken = synth.dummy(synth.draft(SAYS).domain, 50).certificate
    looked = synth.dummy(synth.check(SAYS, {"say": ["yes", "no"]}).domain, 50).certificate

    for certificate, sentence in (
        (taken, "it was taken from the confidential rows"),
        (looked, "the steward looked at exact numbers of rows that fit"),
    ):
        assert sentence in certificate.guarantee.statement
        assert sentence in " ".join(certificate.caveats)
        assert "nothing about people" not in certificate.guarantee.statement


def test_drafts_that_protect_different_units_make_no_dummy() -> None:
    """A domain from two drafts, under replace-one and under add-remove, gives no dummy.

    Their two guarantees cannot be added up.
    """
    first = synth.draft(SAYS, epsilon=1).domain
    second = synth.draft(SAYS, epsilon=1, neighbors="add-remove").domain
    mixed = replace(first, drafts=(*first.drafts, *second.drafts))

    with pytest.raises(SynthError, match="protect different units"):
        synth.dummy(mixed, 50)
