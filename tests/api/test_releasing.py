"""``synth.release``: what it gives, what it refuses, and that it goes through the one
door.
"""

import hashlib
import json
import zipfile
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.domain.building import Unnamed
from tests.api.people import DOMAIN, FRAME


def test_a_release_has_what_one_would_guess(tmp_path: Path) -> None:
    """A release shows its size and guarantee, and its bundle opens with the same rows and
    domain.
    """
    release = synth.release(FRAME, DOMAIN, epsilon=0.1)
    assert repr(release) == "Release(1,000 rows, 2 columns, epsilon 0.1, replace-one)"
    assert "Release: 1,000 rows" in release._repr_html_()
    assert release.certificate.guarantee.epsilon == Fraction(1, 10)
    again = synth.open_bundle(release.save(tmp_path / "r.zip"))
    assert again.table.equals(release.table)
    assert again.domain == DOMAIN
    assert synth.verify(tmp_path / "r.zip").checks


def test_what_a_notebook_shows_is_escaped() -> None:
    """Names and values with HTML are escaped in what a notebook shows, so no script of them
    runs.
    """
    name = "<img src=x>"
    value = "<script>alert(1)</script>"
    frame = pd.DataFrame({name: [value, "b"] * 500})
    html = synth.release(frame, synth.Domain({name: [value, "b"]}), epsilon=1)._repr_html_()
    assert "<img" not in html
    assert "<script" not in html
    assert "&lt;img" in html


def test_a_ledger_gives_the_same_again_for_nothing(tmp_path: Path) -> None:
    """With a ledger the same release again is free, and other releases use up the budget.

    Of a budget of 2 one release costs 1, and another table's costs the other 1. Without
    budget= a new dataset gets the default, epsilon 3 with delta 1e-6.
    """
    book = tmp_path / "ledger.db"
    with pytest.warns(
        UserWarning, match=r"^The budget of 'people' is now epsilon 3 and delta"
    ):
        synth.release(FRAME, DOMAIN, epsilon=1, ledger=tmp_path / "new.db", dataset="people")
    with synth.Ledger(tmp_path / "new.db") as ledger:
        assert str(ledger.balance("people").budget).startswith(
            "epsilon = 3 with delta = 0.000001"
        )

    # The same table again, as a copy, is the same release.
    first = synth.release(FRAME, DOMAIN, epsilon=1, ledger=book, dataset="people", budget=2)
    second = synth.release(FRAME.copy(), DOMAIN, epsilon=1, ledger=book, dataset="people")
    assert (first.repeated, second.repeated) == (False, True)
    assert first.table.equals(second.table)
    first.save(tmp_path / "r.zip")
    assert synth.verify(tmp_path / "r.zip", book).checks

    # Another table, of which one age differs, is paid for, up to the budget.
    other_frame = FRAME.assign(age=FRAME["age"].where(FRAME.index > 0, 21))
    with pytest.raises(synth.SynthError, match=r"^The same table was released before as"):
        synth.release(FRAME, DOMAIN, epsilon=1, ledger=book, dataset="others")
    assert not synth.release(
        other_frame, DOMAIN, epsilon=1, ledger=book, dataset="people"
    ).repeated
    with pytest.raises(synth.SynthError, match=r"budget"):
        synth.release(other_frame, DOMAIN, epsilon="1/2", ledger=book, dataset="people")
    with pytest.raises(synth.SynthError, match=r"^A budget needs a ledger: add"):
        synth.release(FRAME, DOMAIN, epsilon=1, budget=2)

    with synth.Ledger(book) as ledger:
        assert [entry.guarantee.epsilon for entry in ledger.entries()] == [1, 1]


def test_an_index_with_data_is_said() -> None:
    """A named index of a frame may hold data, so a warning says that it is not released."""
    indexed = FRAME.set_index(pd.Index(range(1000), name="pid"))
    with pytest.warns(
        UserWarning, match=r"^The index \('pid'\) of the DataFrame is left out"
    ):
        synth.release(indexed, DOMAIN, epsilon=1)


def test_a_release_of_noise_is_handed_out_with_a_warning() -> None:
    """No row fits the declaration, so the rows are noise, and the warning points to the
    caller's line.
    """
    nobody = pd.DataFrame({"age": [50] * 1000, "sex": ["x"] * 1000})
    with pytest.warns(UserWarning, match=r"^Few or no rows fit the description") as warned:
        release = synth.release(nobody, DOMAIN, epsilon=1, ledger=False)
    assert (len(release.table), release.result.is_noise) == (1000, True)
    assert [warning.filename for warning in warned] == [__file__], "the caller's own line"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"epsilon": True}, "epsilon must be a number"),
        ({"epsilon": 0}, "epsilon must be"),
        (
            {"neighbors": "bounded"},
            "neighbors must be one of replace-one, add-remove, but it is",
        ),
        ({"method": "gan"}, "method must be one of auto, dense, "),
        ({"columns": ["agee"]}, "The domain has no column 'agee'"),
        ({"person": "pid"}, "The table has no column 'pid'"),
    ],
)
def test_bad_options_are_one_sentence(options: dict[str, object], sentence: str) -> None:
    """A wrong option of synth.release is refused by one sentence that names the option."""
    with pytest.raises(synth.SynthError) as error:
        synth.release(FRAME, DOMAIN, **{"epsilon": 1, **options})  # type: ignore[arg-type]
    assert str(error.value).startswith(sentence)


def test_an_error_holds_no_value() -> None:
    """An error about a table names columns, but no value of a cell, and has no cause that
    would.

    The frame has a column 'sexx' in place of 'sex', and all of its cells are "secret".
    """
    frame = pd.DataFrame({"age": ["secret"] * 10, "sexx": ["secret"] * 10})
    with pytest.raises(synth.SynthError) as error:
        synth.release(frame, DOMAIN, epsilon=1)
    assert str(error.value).startswith("The table has no column 'sex'; it has a similar one")
    assert "secret" not in str(error.value)
    assert error.value.__cause__ is None


def test_kinds_print_as_they_are_written() -> None:
    assert repr(Unnamed(type(DOMAIN["age"]), {"minimum": 1})) == "Integer(minimum=1)"


def test_rows_are_saved_as_csv_with_their_certificate(tmp_path: Path) -> None:
    """A name that ends with .csv gets the rows, and beside them the certificate.

    The certificate is that of the bundle, so it has the digest of the rows. Both stay as they
    are when the same release is saved again, and neither is replaced by another release.
    """
    made = synth.release(FRAME, DOMAIN, epsilon=1)
    assert made.save(tmp_path / "people.csv") == tmp_path / "people.csv"
    assert {path.name for path in tmp_path.iterdir()} == {
        "people.csv",
        "people.certificate.json",
    }
    certificate = json.loads((tmp_path / "people.certificate.json").read_bytes())
    rows = (tmp_path / "people.csv").read_bytes()
    assert certificate["sha256"]["synthetic.csv"] == hashlib.sha256(rows).hexdigest()

    with zipfile.ZipFile(made.save(tmp_path / "people.zip")) as bundle:
        assert bundle.read("synthetic.csv") == rows
        assert json.loads(bundle.read("certificate.json")) == certificate
    made.save(tmp_path / "people.csv")
    other = synth.release(FRAME, DOMAIN, epsilon=2)
    with pytest.raises(synth.SynthError, match=r"is there already"):
        other.save(tmp_path / "people.csv")
    assert (tmp_path / "people.csv").read_bytes() == rows
    other.save(tmp_path / "people.csv", overwrite=True)
    assert (tmp_path / "people.csv").read_bytes() != rows
    with pytest.raises(synth.SynthError, match=r"^formats are for a bundle"):
        made.save(tmp_path / "more.csv", "xlsx")
