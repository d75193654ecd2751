"""Rows that rules leave out: one more noisy cell where the number of all rows is public."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synth
from synth.analysis import conclusions
from synth.estimate import HistogramRecord, MarginalsRecord, Record
from synth.privacy import Neighbors
from synth.private import queries
from synth.private.counting import count
from synth.private.table import open_any
from synth.verification import verify

ROWS = 4_000
STRANGE = 300
DOMAIN = synth.Domain(age=synth.Integer(0, 99, bins=5), sex=["f", "m"], job=["a", "b", "c"])


def make_frame() -> pd.DataFrame:
    """4,000 rows, of which 300 have a sex that is none of the domain's."""
    rng = np.random.default_rng(2)
    sex = rng.choice(["f", "m"], ROWS)
    sex[:STRANGE] = "?"
    age = rng.integers(60, 100, ROWS)
    return pd.DataFrame({"age": age, "sex": sex, "job": rng.choice(list("abc"), ROWS)})


def left_out(record: Record) -> list[int | None]:
    """The noisy numbers of rows that rules left out: one for each measured histogram."""
    if isinstance(record, HistogramRecord):
        return [record.noisy.left_out]
    assert isinstance(record, MarginalsRecord)
    return [noisy.left_out for _, noisy in record.measured]


def test_the_last_cell_counts_what_no_other_does() -> None:
    """Under replace-one one more cell counts the rows that rules leave out.

    So all counts add up to the public number of rows: 4,000, of which 300 are left out. Under
    add-remove there is no such cell. A histogram of a large domain, which lists few cells,
    has none either.
    """
    counts = count(open_any(make_frame()), DOMAIN)

    for ask in (queries.histogram, queries.marginal):
        exact = ask(counts, Neighbors.REPLACE_ONE)
        assert exact.size == DOMAIN.size + 1
        assert exact.values()[-1] == STRANGE
        assert exact.values().sum() == ROWS
        assert (
            ask(counts, Neighbors.ADD_REMOVE).values().tolist()
            == exact.values()[:-1].tolist()
        )

    assert queries.large_histogram(counts, Neighbors.REPLACE_ONE).size == DOMAIN.size


@pytest.mark.parametrize(
    "options",
    [
        {"method": "dense"},
        {"method": "tree"},
        {"method": "auto", "delta": "1e-9"},
    ],
)
def test_a_release_says_how_many_rows_rules_left_out(
    options: dict[str, Any], tmp_path: Any
) -> None:
    """A release and its bundle hold a noisy number of the rows that rules left out.

    At epsilon 60 each number is within 60 of the true 300, but for one release in e^50. Under
    add-remove, where the number of rows is private, there is no such number.
    """
    release = synth.release(make_frame(), DOMAIN, epsilon=60, **options)

    left_out_counts = left_out(release.result.record)
    assert all(
        left_out_count is not None and abs(left_out_count - STRANGE) < 60
        for left_out_count in left_out_counts
    )

    checked = verify(release.save(tmp_path / "r.zip"), redraw=True)
    assert left_out(checked.record) == left_out_counts  # type: ignore[attr-defined]

    private = synth.release(
        make_frame(), DOMAIN, epsilon=60, neighbors="add-remove", **options
    )
    assert set(left_out(private.result.record)) == {None}


def test_a_certificate_says_how_many_rows_fit() -> None:
    """The certificate tells how many of all rows fit, and how exact that number is.

    It follows from the one cell of rows that do not fit, and not from the noise of 30 cells
    that do. So the number is within 20 of 3,700, but for one release in e^20. Its stated
    error is at most 4 rows.
    """
    sentence = synth.release(
        make_frame(), DOMAIN, epsilon=2, method="dense"
    ).certificate.rows_fit

    numbers = re.search(r"About ([0-9,]+) of 4,000 rows fit .* ± ([0-9]+)\)", sentence)
    assert numbers is not None

    assert abs(int(numbers[1].replace(",", "")) - (ROWS - STRANGE)) < 20
    assert int(numbers[2]) <= 4


def test_the_rows_that_count_are_known_as_well_as_one_cell() -> None:
    """Under replace-one the count of all rows that fit has a narrower interval than under
    add-remove.

    Under replace-one it follows from one cell, the rows left out, whose noise has twice the
    scale. Under add-remove the noise of 30 cells adds up. Hence the factor of at most 0.8.
    """
    widths = []
    for relation in ("replace-one", "add-remove"):
        release = synth.release(
            make_frame(), DOMAIN, epsilon="1/2", method="dense", neighbors=relation
        )
        (answer,) = conclusions(["count where age >= 0"], release.result.record)
        widths.append(float(answer.high[0] - answer.low[0]))

    assert widths[0] < 0.8 * widths[1]
