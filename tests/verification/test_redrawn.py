"""The rows of models, drawn again."""

from pathlib import Path

import numpy as np

from synth.plan import Method
from synth.rows.draw import decode
from synth.verification import VerifiedRelease, verify
from synth.verification.redrawn import draw_again
from tests.verification.models import RULES, make

SAME = "Drawn again from the noisy counts and the seed, all rows have the same cells."


def test_rows_of_every_kind_of_model_come_out_the_same(
    bundle_of_a_model: Path, bundle_of_a_pure_model: Path, bundle_of_persons: Path, tmp_path: Path
) -> None:
    groups = (("age", "kin"), ("marital", "income"))
    grouped = make(tmp_path, method=Method.GROUPS, groups=groups, rules=RULES)
    for path in (bundle_of_a_model, bundle_of_a_pure_model, bundle_of_persons, grouped):
        assert verify(path, redraw=True).checks[-1] == SAME
        assert SAME not in verify(path).checks


def test_other_rows_are_counted_and_not_called_forged(bundle_of_a_pure_model: Path) -> None:
    checked = verify(bundle_of_a_pure_model)
    assert isinstance(checked, VerifiedRelease)
    codes = [column.copy() for column in checked.synthetic.codes]
    codes[0][:7] = (codes[0][:7] + 1) % 3
    other = decode(checked.domain, codes)
    said = draw_again(checked.certificate, checked.plan, checked.record, other)  # type: ignore[arg-type]
    rows = checked.synthetic.rows
    assert f"{rows - 7:,} of {rows:,} rows have the same cells. The sums of a model" in said
    fewer = decode(checked.domain, [np.asarray(column[:9]) for column in codes])
    said = draw_again(checked.certificate, checked.plan, checked.record, fewer)  # type: ignore[arg-type]
    assert "0 of 9 rows have the same cells." in said


def test_rows_of_a_histogram_are_drawn_again_in_any_case(whole: Path) -> None:
    assert verify(whole, redraw=True).checks == verify(whole).checks
