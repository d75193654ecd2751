"""The steward's rules hold in every row, or are refused."""

from typing import Any

import numpy as np
import pytest

from synth.domain import Domain
from synth.domain.building import Integer, Number
from synth.errors import DomainError
from synth.estimate import Method, read_rules
from synth.private.counting.counts import CodedRows
from synth.rows import decode
from tests.models.doors import release

FAMILY = Domain(
    kin=["head", "child"],
    marital=["never", "married", "widowed"],
    start=Integer(0, 9, bins=5),
    end=Integer(0, 9, bins=5),
    school=["none", "high"],
    years=["0", "12"],
)

RULES = {
    "impossible": [{"kin": ["child"], "marital": ["married", "widowed"]}],
    "fixed": [
        {"given": "school", "then": "years", "values": {"none": ["0"], "high": ["12"]}}
    ],
    "order": [["start", "end"]],
}


@pytest.mark.parametrize("strategy", [m for m in Method if m != Method.DENSE])
def test_rules_hold_in_every_row(strategy: Method) -> None:
    """Every method draws rows that keep the steward's rules, whatever the table says.

    More than half of the random rows of the table break a rule. The drawn rows still vary:
    more than 20 different ones.
    """
    generator = np.random.default_rng(3)
    codes = np.column_stack([generator.integers(0, n, 3_000) for n in FAMILY.shape])
    rows = CodedRows(domain=FAMILY, codes=list(codes.T.astype(np.int32)), rows=len(codes))
    rules = read_rules(RULES, FAMILY)
    assert rules.find_broken(codes).mean() > 0.5
    options = {"groups": ((0, 2), (3, 4))} if strategy == Method.GROUPS else {}
    fitted, _, _ = release(rows, strategy, rules=rules, **options)
    assert not rules.find_broken(fitted.codes).any()
    assert len(np.unique(fitted.codes, axis=0)) > 20


def test_order_holds_for_values_in_the_same_cell_and_along_chains() -> None:
    """Rows keep an order of columns even among values of one bin, and along a chain a, b,
    c.

    The columns have different widths, steps and bins. Where b is missing, nothing ties a
    and c.
    """
    domain = Domain(
        a=Number("0", "30", bins=3, decimals=1),
        b=Number("0", "30", bins=2, decimals=2, missing=True),
        c=Number("0", "30", edges=("0", "0.5", "12", "30"), decimals=3),
        i=Integer(0, 99, bins=1),
        j=Integer(0, 99, bins=1),
    )
    rules = read_rules({"order": [["a", "b"], ["b", "c"], ["i", "j"]]}, domain)
    generator = np.random.default_rng(5)
    codes = np.column_stack([generator.integers(0, name, 20_000) for name in domain.shape])
    enforced = rules.enforce(codes, generator)
    table = decode(domain, list(enforced.T.astype(np.int32)), order=rules.order).table

    a, b, c, i, j = (np.array(table[name].to_pylist(), dtype=float) for name in domain.names)
    has_b = ~np.isnan(b)
    assert (a <= b)[has_b].all()
    assert (b <= c)[has_b].all()
    assert has_b.any()
    assert (a > c)[~has_b].any()  # where the middle is missing, nothing ties its neighbours
    # i and j are uniform among the pairs of 0 to 99 in order: the lower number then has the
    # mean 33 and the deviation 23.6. Six deviations of the mean are allowed.
    assert (i <= j).all()
    assert abs(i.mean() - 33) < 6 * 23.6 / np.sqrt(len(i))


def test_where_no_row_is_whole_rows_come_from_the_rules_alone() -> None:
    """If all rows break a rule, the broken column is drawn by the rule, and others stay.

    All 50 rows are of children (code 1), which the rule forbids: they become heads (code
    0).
    """
    rules = read_rules({"impossible": [{"kin": ["child"]}]}, FAMILY)
    codes = np.ones((50, 6), dtype=np.int32)
    enforced = rules.enforce(codes, np.random.default_rng(0))
    assert (enforced[:, 0] == 0).all()
    assert (enforced[:, 1:] == 1).all()


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"impossible": [{"kin": ["uncle"]}]}, "cell 'uncle', which column 'kin' lacks"),
        ({"impossible": [{"uncle": ["head"]}]}, "no column 'uncle'"),
        ({"impossible": [{"kin": ["head", "child"]}]}, "leave no cell of column 'kin'"),
        ({"impossible": [{"start": ["3"]}]}, "Bins are named like '0 to 1'"),
        ({"impossible": [{}]}, "names no column"),
        ({"impossible": [{"kin": "head"}]}, "must list cells"),
        ({"never": []}, "not 'never'"),
        ({"order": [["kin", "end"]]}, "'kin' .categorical. has no order"),
        ({"order": [["start", "start"]]}, "to itself"),
        ({"order": ["start"]}, "does not have the documented form"),
        (
            {"impossible": [{"kin": ["head"]}, {"kin": ["child"], "years": ["0", "12"]}]},
            "contradict each other",
        ),
    ],
)
def test_rules_that_cannot_be_are_refused(rules: dict[str, Any] | None, message: str) -> None:
    """Rules that name what the declaration lacks, or that no row could keep, are refused with
    what is wrong.
    """
    with pytest.raises(DomainError, match=message):
        read_rules(rules, FAMILY)
