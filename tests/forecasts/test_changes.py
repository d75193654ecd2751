"""Changes of a plan that keep relations between columns: which, and in what order."""

from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest

from synth.domain import LOOKED_UP, Categorical, Domain, Integer
from synth.forecasts import Change, expect_pairs, expected_relations, outlook, rank_changes
from synth.plans import Method, Plan
from synth.privacy import Guarantee

NO_BUDGET = Guarantee.pure(Fraction(1))


def plan_of(columns: int, cells: int = 6) -> Plan:
    """A plan of some columns with a few values each, at epsilon 1."""
    names = [f"c{number}" for number in range(columns)]
    categories = tuple("abcdefghijkl"[:cells])
    return Plan(
        domain=Domain(tuple(Categorical(name=n, categories=categories) for n in names)),
        epsilon=Fraction(1),
    )


def plan_of_numbers() -> Plan:
    """A plan of 60 columns of 40 bins and one with two values, at epsilon 1."""
    numbers = tuple(
        Integer(name=f"n{number}", minimum=0, maximum=399, bins=40) for number in range(60)
    )
    sex = Categorical(name="sex", categories=("f", "m"))
    return Plan(domain=Domain((*numbers, sex)), epsilon=Fraction(1))


def apply(change: Change, plan: Plan) -> Plan:
    """The plan with the options of a change, as users would set them."""
    options = dict(change.options)
    changed = plan
    if "columns" in options:
        names = options["columns"].split(",")
        changed = replace(changed, domain=changed.domain.project(names))
    if "bins" in options:
        bins = int(options["bins"])
        columns = tuple(
            replace(column, bins=bins) if column.name in change.names else column
            for column in changed.domain.columns
        )
        changed = replace(changed, domain=replace(changed.domain, columns=columns))
    numbers = {
        name: Fraction(options[name]) for name in ("delta", "epsilon") if name in options
    }
    return replace(changed, **numbers)


@pytest.mark.parametrize(("columns", "rows"), [(16, 6_000), (20, 2_000), (60, 4_000)])
def test_changes_keep_relations_the_most_first(columns: int, rows: int) -> None:
    """Each change keeps as many pairs as it says, and those that keep most come first.

    A public table comes last, as nobody knows what it keeps.
    """
    plan = plan_of(columns)
    *changes, public = rank_changes(plan, rows)
    assert public.options == {"public": "FILE"}
    assert public.relations == public.expected == ""

    kept = [expect_pairs(apply(change, plan), rows) for change in changes]
    assert kept == sorted(kept, reverse=True)
    assert kept[-1] > 0
    assert [change.measured for change in changes] == kept
    assert {change.count for change in changes} == {comb(columns, 2)}


def test_a_delta_that_keeps_no_relation_is_offered_with_another_change_only() -> None:
    """At 2,000 rows a delta alone keeps nothing. With it, fewer columns have to go."""
    plan = plan_of(20)
    assert not expect_pairs(replace(plan, delta=Fraction("1e-9")), 2_000)

    changes = {tuple(change.options): change for change in rank_changes(plan, 2_000)}
    assert ("delta",) not in changes
    with_delta = changes["delta", "columns"]
    assert len(with_delta.names) < len(changes["columns",].names)
    assert with_delta.title.startswith("Allow a delta of one in a billion and leave out ")


def test_changes_are_within_the_budget() -> None:
    """What costs more than the budget allows is not offered."""
    plan = plan_of(16)

    def options(allows: object) -> set[str]:
        """The names of all options that are changed."""
        changes = rank_changes(plan, 6_000, allows=allows)  # type: ignore[arg-type]
        return {name for change in changes for name in change.options}

    assert options(lambda _cost: True) == {"delta", "epsilon", "columns", "public"}
    assert options(lambda cost: not cost.delta) == {"epsilon", "columns", "public"}
    assert options(lambda cost: cost.epsilon <= 1) == {"delta", "columns", "public"}
    assert options(lambda cost: cost == NO_BUDGET) == {"columns", "public"}


def test_the_column_to_predict_stays() -> None:
    """Of equal columns the first is left out first, except the one to predict."""
    plan = plan_of(16)
    (usual,) = (c for c in rank_changes(plan, 6_000) if "columns" in c.options)
    assert usual.names[0] == "c0"
    changes = rank_changes(replace(plan, predict="c0"), 6_000)
    (other,) = (c for c in changes if "columns" in c.options)
    assert "c0" not in other.names


def test_numbers_get_fewer_bins_where_a_delta_is_not_enough() -> None:
    """Columns of 40 bins keep relations with a delta and at most 10 or 6 bins.

    Lists of values stay as they are.
    """
    plan = plan_of_numbers()
    (change,) = (c for c in rank_changes(plan, 9_000) if "bins" in c.options)
    assert tuple(change.options) == ("delta", "bins")
    assert change.names == plan.domain.names[:-1]
    assert expect_pairs(apply(change, plan), 9_000) == change.measured


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 10**9)])
def test_a_plan_with_rules_taken_from_the_rows_gets_the_same_changes(delta: Fraction) -> None:
    """A rule that a look proposed marks the domain, and changes of the plan keep the mark."""
    plan = replace(plan_of_numbers(), delta=delta)
    taken = replace(plan, rules={"taken": {"order": [["n0", "n1"]]}})
    assert taken.domain.origin == LOOKED_UP
    changes = rank_changes(taken, 9_000)
    assert {tuple(change.options) for change in changes} >= {("public",)}
    assert [c.options for c in changes if "bins" in c.options] == [
        c.options for c in rank_changes(plan, 9_000) if "bins" in c.options
    ]
    for change in changes:
        if "bins" in change.options:
            assert apply(change, taken).domain.origin == LOOKED_UP


@pytest.mark.parametrize(
    ("plan", "rows"),
    [
        (plan_of(16), 60_000),  # it keeps some already
        (plan_of(1), 60),  # it has none
        (replace(plan_of(16), method=Method.INDEPENDENT), 6_000),  # it asks for none
    ],
)
def test_no_change_is_offered_where_none_is_needed(plan: Plan, rows: int) -> None:
    """A plan that keeps relations, has none, or asks for columns only needs no change."""
    assert rank_changes(plan, rows) == []


def test_a_change_that_breaks_a_rule_is_not_offered() -> None:
    """Columns are not left out where a rule needs them."""
    rules = {"impossible": [{f"c{n}": ["a"], f"c{n + 1}": ["b"]} for n in range(15)]}
    plan = replace(plan_of(16), rules=rules)
    assert all("columns" not in change.options for change in rank_changes(plan, 6_000))


@pytest.mark.parametrize("rows", [900, 60_000])
def test_the_sentences_say_what_is_lost_or_how_much_is_kept(rows: int) -> None:
    """A plan loses all relations, and names two columns, or keeps about so many pairs."""
    plan = plan_of(20)
    lost, kept = expected_relations(plan, outlook(plan, rows).method, rows)
    measured = expect_pairs(plan, rows)
    assert bool(lost) is not bool(kept)
    assert bool(kept) is (rows == 60_000) is bool(measured)
    if kept:
        assert kept.startswith(f"Relations kept: about {measured} of 190 pairs of columns")
    else:
        assert lost.endswith("'c0' and 'c1' would be paired at random.")
