"""The rows of models, drawn again."""

from pathlib import Path

import numpy as np
import pytest

from synth.errors import RefutedError
from synth.plans import Method
from synth.rows import decode
from synth.verification import OpenClaim, redrawn, verify
from synth.verification.checks import UNRECORDED
from synth.verification.redrawn import NOT_DRAWN, draw_again
from tests.verification.models import RULES, make_bundle

SAME = "are the same when drawn again from the counts and the seed."


@pytest.mark.slow
def test_rows_of_every_kind_of_model_come_out_the_same(
    bundle_of_a_model: Path,
    bundle_of_a_pure_model: Path,
    bundle_of_persons: Path,
    tmp_path: Path,
) -> None:
    """The rows of each kind of model are the same when they are drawn again.

    This confirms the seed, the error bars and the strategy too. Only the ledger's record
    stays open. Without `redraw` the report says that rows were not drawn.
    """
    groups = (("age", "kin"), ("marital", "income"))
    grouped = make_bundle(tmp_path, method=Method.GROUPS, groups=groups, rules=RULES)

    for path in (bundle_of_a_model, bundle_of_a_pure_model, bundle_of_persons, grouped):
        again = verify(path, redraw=True)
        assert any(SAME in check for check in again.confirmed)
        assert again.for_steward[0] == UNRECORDED
        open_patterns = {part.pattern for part in again.open_parts}
        assert not open_patterns & {"drawing.seed", "error_bars.**", "mechanism.strategy"}

    assert NOT_DRAWN in verify(bundle_of_a_model).not_checked


def test_few_of_the_rows_are_refused_on_a_machine_that_rounds_the_same(
    bundle_of_a_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seven rows that differ may be rounding; if fewer than half agree, the bundle is
    refuted.

    A certificate of a machine that rounds differently is not refuted but left open.
    """
    checked = verify(bundle_of_a_model)
    codes = [column.copy() for column in checked.synthetic.codes]
    rows = checked.synthetic.rows
    release = (checked.certificate, checked.plan, checked.record)

    # The first column has three categories, so + 1 modulo 3 gives another one.
    codes[0][:7] = (codes[0][:7] + 1) % 3
    sentence = draw_again(*release, rows=decode(checked.domain, codes)).sentence
    assert f"{rows - 7:,} of {rows:,} rows are the same when drawn again" in sentence

    # All rows get another category.
    codes[0][:] = (codes[0] + 1) % 3
    with pytest.raises(RefutedError, match=f"of {rows:,} rows are the same when drawn"):
        draw_again(*release, rows=decode(checked.domain, codes))

    # Nine rows cannot be compared with 3,000, so none counts as the same.
    fewer = decode(checked.domain, [np.asarray(column[:9]) for column in codes])
    with pytest.raises(RefutedError, match="0 of 9 rows are the same"):
        draw_again(*release, rows=fewer)

    # Now this machine seems to round differently from the one of the release.
    monkeypatch.setattr(redrawn, "rounding_digest", lambda: "another")
    sentence = draw_again(*release, rows=fewer).sentence
    assert isinstance(sentence, OpenClaim)
    assert "a machine that rounds differently drew them" in sentence


def test_rows_that_no_sums_decide_are_refused_wherever_they_were_drawn(
    bundle_of_a_pure_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of `tree` are drawn without sums of floats, so rounding never explains other rows.

    They are refuted although this machine seems to round differently.
    """
    checked = verify(bundle_of_a_pure_model)
    monkeypatch.setattr(redrawn, "rounding_digest", lambda: "another")

    # Every code + 1 modulo 3 is another one.
    shifted_rows = decode(
        checked.domain, [(codes + 1) % 3 for codes in checked.synthetic.codes]
    )

    with pytest.raises(RefutedError, match="the rows do not follow from these"):
        draw_again(checked.certificate, checked.plan, checked.record, rows=shifted_rows)


def test_rows_of_a_histogram_are_drawn_again_in_any_case(bundle_path: Path) -> None:
    """Rows of a histogram are always drawn again, so `redraw` adds no check."""
    assert verify(bundle_path, redraw=True).checks == verify(bundle_path).checks
