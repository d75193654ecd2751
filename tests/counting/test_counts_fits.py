"""Rows that fit: an independent reader agrees, whatever the rules for values outside."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from synth.domain import Domain, Outside
from synth.private.counting import count_fitting, fit_shares
from synth.private.counting.fits import require_fit
from synth.private.table import open_table
from tests.tables import MIXED, ROWS, cells, write


def count_fitting_rows(domain: Domain, rows: list[list[str]]) -> int:
    """The rows that no rule leaves out, were all rules to leave rows out."""
    dropping = tuple(replace(column, outside=Outside.DROP) for column in domain.columns)
    return len(cells(Domain(dropping, domain.missing_values), rows))


@pytest.mark.parametrize("names", [*combinations(MIXED.names, 2), MIXED.names])
def test_an_independent_reader_agrees(tmp_path: Path, names: tuple[str, ...]) -> None:
    """The numbers of rows that fit, and of missing cells, are those of a plain Python reader.

    This holds for every pair of columns and for all five. Missing cells count where the
    declaration allows them.
    """
    path = write(tmp_path / "t.csv", list(MIXED.names), ROWS)
    domain = MIXED.project(names)
    places = [MIXED.names.index(name) for name in names]
    expected = count_fitting_rows(domain, [[row[place] for place in places] for row in ROWS])

    counts = count_fitting(open_table(path), domain)
    assert (counts.counts.sum(), counts.rows) == (expected, len(ROWS))

    shares = fit_shares(open_table(path), domain)
    assert (shares.together, shares.rows) == (expected, len(ROWS))

    for place, name in zip(places, names, strict=True):
        empty = sum(row[place].strip() in MIXED.missing_values for row in ROWS)
        assert shares.missing[name] == empty * MIXED[name].missing


def test_rules_for_values_outside_change_nothing(tmp_path: Path) -> None:
    """How many rows fit does not depend on the rules for values outside."""
    path = write(tmp_path / "t.csv", list(MIXED.names), ROWS)

    for rule in (Outside.CELL, Outside.DROP):
        columns = tuple(replace(column, outside=rule) for column in MIXED.columns)
        domain = replace(MIXED, columns=columns)
        assert count_fitting(open_table(path), domain).counts.sum() == count_fitting_rows(
            MIXED, ROWS
        )
        assert require_fit(domain) == require_fit(MIXED)


def test_what_is_private_is_not_shown(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", list(MIXED.names), ROWS)
    assert repr(fit_shares(open_table(path), MIXED)) == "FitShares(private)"
