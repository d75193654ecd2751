"""Releases with ID columns: nothing is spent where IDs are too few, and bundles say what is
so.
"""

import io
import json
from fractions import Fraction
from pathlib import Path
from zipfile import ZipFile

import pandas as pd
import pytest

import synth
from synth.errors import DomainError, RefutedError
from synth.plans import Plan
from synth.spending import synthesize_parts
from tests.bundle.bundles import read_bundle, rezip

FRAME = pd.DataFrame({"patient": [f"real{n}" for n in range(400)], "sex": ["f", "m"] * 200})
DOMAIN = synth.Domain(
    patient=synth.Identifier(pattern="P###"),
    sex=["f", "m"],
    visit=synth.Identifier(pattern="number"),
)


@pytest.mark.parametrize("method", ["histogram", "one-shot"])
def test_ids_are_drawn_certified_and_verified(tmp_path: Path, method: str) -> None:
    """Synthetic IDs follow from their pattern and the seed, and are the same in every file.

    No real ID is read: those of the table begin with "real", and none of them is in the
    bundle. Of column visit the IDs are the numbers 1 to 400, one for each row.
    """
    release = synth.release(FRAME, DOMAIN, epsilon=1, method=method)
    path = release.save(tmp_path / "b.zip", formats="xlsx,sav,dta,xpt,parquet")

    assert list(release.table.columns) == ["patient", "sex", "visit"]
    assert release.table["patient"].is_unique
    assert release.table["visit"].tolist() == list(range(1, 401))

    checks = synth.verify(path).checks
    assert (
        "The IDs of column 'patient' are unique, and follow from its pattern and the seed."
        in checks
    )
    assert synth.open_bundle(path).table.equals(release.table)

    with ZipFile(path) as bundle:
        identifiers = json.loads(bundle.read("certificate.json"))["identifiers"]
        assert identifiers[0] == {"column": "patient", "pattern": "P###", "empty": 0}
        assert "Column 'patient' holds unique IDs" in " ".join(
            bundle.read("statement.txt").decode().split()
        )
        assert b"patient,identifier,the pattern P###" in bundle.read("dictionary.csv")
        assert not any(b"real1" in bundle.read(name) for name in bundle.namelist())
        with bundle.open("typed.parquet") as rows:
            assert (
                pd.read_parquet(rows)["patient"].tolist() == release.table["patient"].tolist()
            )
        with bundle.open("synthetic.csv") as rows:
            assert pd.read_csv(rows)["patient"].tolist() == release.table["patient"].tolist()


def test_too_few_ids_are_refused_before_anything_is_spent(tmp_path: Path) -> None:
    """A pattern with fewer IDs than rows is refused before the spend.

    P## has 100 IDs, and the number of rows, 400, is public under replace-one.
    """
    domain = synth.Domain(patient=synth.Identifier(pattern="P##"), sex=["f", "m"])

    ledger = synth.Ledger(tmp_path / "ledger.jsonl")
    for method in ("histogram", "one-shot"):
        with pytest.raises(
            DomainError, match="has IDs for 100 rows, and 400 are to be written"
        ):
            synth.release(
                FRAME, domain, epsilon=1, method=method, ledger=ledger, dataset="d", budget=3
            )

    assert not ledger.entries()


def test_a_private_number_of_rows_is_told_by_no_refusal(tmp_path: Path) -> None:
    """Where the number of rows is private, too few IDs are no reason to refuse a release.

    P## has 100 IDs for about 400 rows. A refusal would tell that there are more than 100, so
    the release goes on. Further rows have no ID, and the certificate says how many.
    """
    domain = synth.Domain(patient=synth.Identifier(pattern="P##"), sex=["f", "m"])
    release = synth.release(FRAME, domain, epsilon=1, neighbors="add-remove")

    (identifier_sentence,) = release.certificate.identifiers
    assert (
        identifier_sentence.empty
        == len(release.table) - 100
        == release.table["patient"].isna().sum()
    )

    synth.verify(release.save(tmp_path / "b.zip"))


def test_other_ids_are_refuted(tmp_path: Path) -> None:
    """A certificate that says that one ID is empty, where none is, is refuted."""
    path = synth.release(FRAME, DOMAIN, epsilon=1).save(tmp_path / "b.zip")
    files = read_bundle(path)
    content = json.loads(files["certificate.json"])

    content["identifiers"][0]["empty"] = 1

    files["certificate.json"] = json.dumps(content).encode()

    with pytest.raises(RefutedError, match="ID columns do not match"):
        synth.verify(rezip(tmp_path / "forged.zip", files))


def test_parts_have_different_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """IDs go on from part to part, so a table that is written in parts has no ID twice.

    400 rows in parts of 150 are three files.
    """
    monkeypatch.setattr("synth.limits.ROWS_AT_A_TIME", 150)

    table = tmp_path / "t.csv"
    FRAME.to_csv(table, index=False)
    plan = Plan(domain=DOMAIN, epsilon=Fraction(1), method="one-shot")
    parted = synthesize_parts(plan, table)
    parted.write(tmp_path / "parts")

    text = b"".join(
        p.read_bytes() for p in sorted((tmp_path / "parts/synthetic.csv").iterdir())
    )
    rows = pd.read_csv(io.BytesIO(text))

    assert len(rows) == 400
    assert rows["patient"].is_unique
    assert rows["visit"].tolist() == list(range(1, 401))
    assert synth.verify(tmp_path / "parts").checks
