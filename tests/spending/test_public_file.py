"""A public table as it is read: by the declaration, refused in one sentence, known by its
rows.
"""

from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.errors import ArgumentError
from synth.private.table import open_table
from synth.spending import read_public, refuse_itself

DOMAIN = synth.Domain(age=synth.Integer(0, 99, bins=10), sex=["f", "m"], smoker=["no", "yes"])
FRAME = pd.DataFrame(
    {"age": [20, 40, 60, 80] * 250, "sex": ["f", "m"] * 500, "smoker": ["no"] * 1000}
)


def test_it_is_known_by_its_coded_rows_in_any_order_and_form(tmp_path: Path) -> None:
    """A public table has the same digest in any order of rows and columns, and in any file.

    Another sex in some rows gives another digest.
    """
    path = tmp_path / "old.csv"
    # The rows in reverse, the columns in another order.
    FRAME[::-1][["sex", "smoker", "age"]].to_csv(path, index=False)

    first = read_public(FRAME, DOMAIN, "A")
    again = read_public(path, DOMAIN, "B")

    assert first.source.digest == again.source.digest
    assert (first.source.rows, first.left_out, first.source.columns) == (
        1000,
        0,
        DOMAIN.names,
    )

    other_rows = read_public(FRAME.assign(sex="f"), DOMAIN, "A")
    assert other_rows.source.digest != first.source.digest


def test_some_columns_are_enough() -> None:
    """A public table may have some of the declared columns; others that it has are not used.

    The sex is column 1 of the domain, so the guess has codes of that column only.
    """
    table = read_public(FRAME[["sex"]].assign(height=180), DOMAIN, "A")
    assert table.source.columns == ("sex",)
    assert table.guess.codes.keys() == {1}


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (FRAME.rename(columns=str.upper), "none of the declared columns, such as 'age'"),
        (FRAME.assign(sex=["1", "2"] * 500), "column 'sex': only 0 of 1,000 values fit"),
        (FRAME[:0], "has a header but no rows"),
    ],
)
def test_what_is_no_guess_is_refused_in_one_sentence(
    frame: pd.DataFrame, message: str
) -> None:
    """A public table without declared columns, with other codes, or without rows
    is refused.
    """
    with pytest.raises(ArgumentError, match=message):
        read_public(frame, DOMAIN, "A")


def test_nobody_who_vouches_is_refused_and_nothing_is_spent() -> None:
    """A public table for which nobody vouches is refused, and nothing is spent."""
    ledger = synth.Ledger()
    with pytest.raises(ArgumentError, match="Who vouches that the public table is public"):
        synth.release(
            FRAME, DOMAIN, epsilon=1, public=FRAME[:500], ledger=ledger, dataset="t"
        )
    assert not ledger.entries()


def test_the_confidential_table_itself_is_refused_and_nothing_is_spent(
    tmp_path: Path,
) -> None:
    """The confidential table is no public guess of itself: it is refused before the spend.

    A copy of the file under another name is recognised by its bytes. A frame with the same
    rows has other bytes than the file, so the last call raises nothing.
    """
    ledger = synth.Ledger()

    with pytest.raises(ArgumentError, match="is the confidential table itself"):
        synth.release(
            FRAME, DOMAIN, epsilon=1, public=FRAME, vouched_by="A", ledger=ledger, dataset="t"
        )
    assert not ledger.entries()

    original = tmp_path / "a.csv"
    copy = tmp_path / "b.csv"
    for path in (original, copy):
        FRAME.to_csv(path, index=False)
    with pytest.raises(ArgumentError, match="is the confidential table itself"):
        refuse_itself(copy, open_table(original))

    refuse_itself(FRAME, open_table(original))


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    """A public file that does not exist is refused, and so is a damaged bundle.

    The second file is taken for a bundle by its name, but ends after the first bytes of a ZIP
    file.
    """
    with pytest.raises(ArgumentError, match="The public table cannot be used: "):
        read_public(tmp_path / "none.csv", DOMAIN, "A")

    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK")
    with pytest.raises(
        ArgumentError, match="bundle that should be the guess does not verify: "
    ):
        read_public(broken, DOMAIN, "A")


def test_methods_without_pairs_take_no_guess() -> None:
    """A public table as the guess is refused for a method that measures no pairs."""
    with pytest.raises(ArgumentError, match="Only the methods auto and one-shot"):
        synth.release(
            FRAME, DOMAIN, epsilon=1, method="dense", public=FRAME[:500], vouched_by="A"
        )


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of a release that used 500 public rows as its guess, for which an office
    vouches.
    """
    release = synth.release(
        FRAME, DOMAIN, epsilon=2, public=FRAME[:500], vouched_by="The Office"
    )
    return release.save(tmp_path_factory.mktemp("public") / "r.zip")


def test_the_bundle_tells_of_it_and_verify_compares(bundle: Path) -> None:
    """The bundle names the public table by its digest, and `verify` compares the one it is
    given.

    Without the table it cannot draw the rows again. With it, the first 500 rows are
    recognised, and other rows are refused.
    """
    checked = synth.verify(bundle)
    assert "The Office vouches that it is public." in checked.certificate.caveats[-1]
    assert any("you did not give it (--public FILE)" in check for check in checked.checks)

    for name in ("statement.txt", "open.html"):
        text = " ".join(checked.archive.text(name).split())
        assert read_public(FRAME[:500], DOMAIN, "A").source.digest in text
    assert "--public PUBLIC.csv" in checked.archive.text("run_again.txt")

    again = synth.verify(bundle).not_checked
    assert "The rows were corrected from a public table, and are not drawn again." in again

    compared = synth.verify(bundle, public=FRAME[:500])
    assert any("your table has the same 500 rows" in check for check in compared.checks)

    with pytest.raises(synth.SynthError, match=r"not the one that 'plan\.json' names"):
        synth.verify(bundle, public=FRAME[:400])


def test_a_synthetic_release_may_be_the_guess_and_adds_up(bundle: Path) -> None:
    release = synth.release(FRAME, DOMAIN, epsilon=1, public=bundle, vouched_by="Me")
    assert "a synthetic release of epsilon 2" in release.certificate.caveats[-1]
    assert "the two releases add up to epsilon 3" in release.certificate.caveats[-1]


def test_a_release_around_a_release_counts_both(bundle: Path, tmp_path: Path) -> None:
    second = synth.release(FRAME, DOMAIN, epsilon=1, public=bundle, vouched_by="Me")
    source = read_public(second.save(tmp_path / "second.zip"), DOMAIN, "Me").source
    assert source.epsilon == 3
