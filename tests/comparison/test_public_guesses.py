"""The public table as it stands beside the release around it, and one that repeats the
rows.
"""

from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.private.comparison import BesidePublic, beside_public, compare_tables
from synth.private.table.frames import held_table
from synth.spending import read_public

DOMAIN = synth.Domain(age=synth.Integer(0, 99, bins=10), sex=["f", "m"])
FRAME = pd.DataFrame({"age": [20, 40, 60, 80] * 250, "sex": ["f", "m"] * 500})


def _compare_beside(old: pd.DataFrame) -> BesidePublic:
    """A release around an old public table, compared with the rows and with that table."""
    release = synth.release(FRAME, DOMAIN, epsilon=2, public=old, vouched_by="The Office")
    return beside_public(
        compare_tables(held_table(FRAME), release.result),
        read_public(old, DOMAIN, "The Office"),
    )


def test_both_are_told_over_the_pairs_that_the_public_table_has() -> None:
    """The steward sees how far off the public table is, and how far the release around it.

    The public table says that everybody is f, where half are m: as it stands it is off by
    1/2. A quarter of the rows is in it: half of its 500 rows have an age at which people are
    f.
    """
    beside_public = _compare_beside(FRAME.assign(sex="f")[:500])

    assert beside_public.stands == pytest.approx(0.5)
    assert beside_public.released < 0.1
    assert beside_public.repeated == pytest.approx(0.25)
    assert not beside_public.warning
    assert "without it about" in beside_public.sentence
    assert beside_public.without > 0


def test_a_table_that_nearly_repeats_the_rows_is_warned_of() -> None:
    """A public table that repeats 99 % of the rows, where chance alone repeats 40 %, is
    hardly public.
    """
    beside_public = BesidePublic(
        stands=0.01, released=0.02, repeated=0.99, by_chance=0.4, without=0.1
    )
    assert beside_public.warning.startswith(
        "The public table nearly repeats the confidential one: 99%"
    )


def test_a_public_table_that_was_not_the_guess_is_refused() -> None:
    """A release is compared only with the public table that its plan names by a digest."""
    release = synth.release(FRAME, DOMAIN, epsilon=2)
    public = read_public(FRAME[:500], DOMAIN, "The Office")
    with pytest.raises(synth.SynthError, match="does not have the digest in the plan"):
        beside_public(compare_tables(held_table(FRAME), release.result), public)


def test_the_command_prints_all_three(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`synth compare --public` prints the error of the public table, of the release, and
    without it.

    The public table is half of the rows, with the same shares, so that it is off by 0.
    """
    from synth.__main__ import main

    real = tmp_path / "now.csv"
    old = tmp_path / "old.csv"
    FRAME.to_csv(real, index=False)
    FRAME[:500].to_csv(old, index=False)

    release = synth.release(real, DOMAIN, epsilon=2, public=old, vouched_by="The Office")
    bundle = release.save(tmp_path / "r.zip")
    assert main(["compare", str(real), str(bundle), "--public", str(old)]) == 0

    output = capsys.readouterr()[0]
    assert "Error of pairs: public table alone 0.0000 off, the release around it" in output
    assert "without it about" in output
