"""The expected error of a plan, from public numbers only."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

import streamlit as st

from pages.ui.plan.slider import EPSILONS
from pages.ui.shell import state
from pages.ui.shell.charts import badge, show
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import percent, write_count
from pages.ui.shell.promise import public_lane
from synth.bundle import Result, noise_shape
from synth.door import Balance
from synth.errors import SynthError
from synth.estimate import REPAIRS, Repair, name_method
from synth.forecasts import (
    SMALL_GROUP,
    Change,
    Forecast,
    Outlook,
    Range,
    cells_within,
    expected_relations,
    explain_lists,
    histogram_forecast,
    outlook,
    outlook_of_release,
    outlooks,
    rank_changes,
)
from synth.foreign import in_markdown
from synth.noise import DiscreteLaplace, LaplaceLaw, reach
from synth.plans import Plan
from synth.util import forecast_curve, write_number

# Before a release and after it.
WHAT_RANGES_ARE = (
    "Error: the share of rows you would have to change to make the two tables agree, "
    "averaged over all columns or pairs of columns. Four of five tables of people lie within "
    "these ranges."
)
ERRORS = ("1 %", "2 %", "5 %", "10 %", "20 %")
# Repairs that the forecasts of a histogram stand for.
FORECAST_REPAIRS = (Repair.AUTO, Repair.POOLED)


def say_other_repair(plan: Plan) -> str:
    """Return the sentence that forecasts do not hold for the repair of a histogram's plan.

    It is empty if they hold.

    >>> from synth.domain import Categorical, Domain
    >>> sex = Categorical(name="sex", categories=("f", "m"))
    >>> plan = Plan(domain=Domain((sex,)), epsilon=Fraction(1))
    >>> say_other_repair(plan)
    ''
    >>> say_other_repair(replace(plan, repair=Repair.CLAMP))[:44]
    'The expected errors are those of the repair '
    """
    if plan.repair in FORECAST_REPAIRS:
        return ""
    used, chosen = REPAIRS[Repair.POOLED].title, REPAIRS[plan.repair].title
    return (
        f"The expected errors are those of the repair {used}. You chose {chosen}, "
        "whose rows may be much further off."
    )


def _marks(plan: Plan) -> tuple[Hashable, ...]:
    """Return the parts of a plan that its forecast depends on, as a key for stored results.

    It has the sizes of columns and not their values, as a plan holds its whole domain. The
    names count only where groups refer to columns by name.
    """
    return (
        plan.domain.names if plan.groups else (),
        plan.domain.shape,
        plan.method,
        plan.groups,
        bool(plan.rules),
        plan.repair,
        plan.max_model_mb,
        plan.moments,
        plan.epsilon,
        plan.delta,
        plan.neighbors,
        plan.unit,
    )


def outlook_of(plan: Plan, rows: int) -> Outlook:
    """Return the expected errors of a plan."""
    return state.work_out(("outlook", *_marks(plan), rows), lambda: outlook(plan, rows))


def outlook_after(result: Result) -> Outlook | None:
    """Return the expected errors of a release, for its own method and number of rows.

    None if nothing is known of them, as with a public table.
    """
    plan = result.plan
    record = result.record
    key = ("outlook after", *_marks(plan), record.strategy, record.total, plan.public is None)
    return state.work_out(key, lambda: outlook_of_release(plan, record))


def other_outlooks(plan: Plan, rows: int) -> list[Outlook]:
    """Return the expected errors by other methods."""
    return state.work_out(("outlooks", *_marks(plan), rows), lambda: outlooks(plan, rows))


def along(plan: Plan, rows: int, epsilons: Sequence[str] = EPSILONS) -> dict[str, Outlook]:
    """Return the expected errors of a plan at several epsilons, by the epsilon's text.

    Epsilons for which there is no forecast are left out. The plan's own epsilon is ignored.
    """
    outlooks_by_epsilon = {}
    for text in epsilons:
        try:
            outlooks_by_epsilon[text] = outlook_of(
                replace(plan, epsilon=Fraction(text)), rows
            )
        except SynthError:
            continue
    return outlooks_by_epsilon


def prediction(draft: Draft, plan: Plan) -> None:
    """Show the expected errors of a plan, if the number of rows is known."""
    badge(public_lane(plan.domain))
    rows = draft.table_rows
    if not rows:
        st.caption("Type the number of rows to see the expected error.")
        return
    expected = outlook_of(plan, rows)
    if expected.histogram is not None:
        _histogram(expected.histogram)
    _methods(plan, rows, expected)
    _curve(plan, rows)
    _backwards(plan, rows)


def lost_relations(plan: Plan, rows: int) -> None:
    """Show that a release would lose all relations between columns, or which it keeps.

    ``rows`` is the number of rows; 0 is an unknown one, of which nothing can be forecast.
    """
    if not rows:
        st.warning(
            "Type about how many rows the table has in the step Plan. Otherwise Synth cannot "
            "say before the spend how much of this table will be noise.",
            icon=":material/help:",
        )
        return
    lost, kept = relations_of_plan(plan, rows)
    if lost:
        st.caption(f":material/link_off: {in_markdown(lost)}")
    elif kept:
        st.caption(in_markdown(kept))


def relations_of_plan(plan: Plan, rows: int) -> tuple[str, str]:
    """Return the sentences that all relations between columns are lost, or how many are kept.

    Both are empty without a number of rows, 0.
    """
    if not rows:
        return "", ""
    key = ("relations", *_key_of_names(plan), rows)
    method = outlook_of(plan, rows).method
    return state.work_out(key, lambda: expected_relations(plan, method, rows))


def changes_of(plan: Plan, rows: int, balance: Balance | None) -> list[Change]:
    """Return the changes that keep relations, within the budget, best first.

    Args:
        plan: The plan.
        rows: The number of rows; 0 if it is unknown, and then no change is known either.
        balance: The spends and the budget; None if nothing limits the changes.
    """
    if not rows:
        return []
    key = ("changes", *_key_of_names(plan), rows)
    if balance is None:
        ranked = state.work_out(key, lambda: rank_changes(plan, rows))
    else:
        key = (*key, str(balance.budget), *(str(entry.guarantee) for entry in balance.spends))
        ranked = state.work_out(key, lambda: rank_changes(plan, rows, allows=balance.allows))
    # A start from a public table has no forecast; it is named below the question.
    return [change for change in ranked if change.measured]


def _key_of_names(plan: Plan) -> tuple[Hashable, ...]:
    """Return the parts of a plan on which sentences with names of columns depend."""
    return (*plan.domain.names, *_marks(plan), plan.predict, plan.public is None)


def _histogram(forecast: Forecast) -> None:
    """Show how close the rows of a histogram will be, and what happens to small groups.

    ``lost`` is the share of small groups without a synthetic row. ``invented`` is the number
    of rows that appear if negative counts are only set to 0, which is called clamping.
    """
    st.markdown(
        f"About as close as a random **{write_number(forecast.subsample_percent)} %** of the "
        "rows would be (which would have no protection at all): a k-marginal score of about "
        f"**{forecast.k_marginal:.0f}** of 1000."
    )
    st.markdown(
        f"Of the groups of {SMALL_GROUP} rows about **{percent(forecast.lost)}** get no "
        f"synthetic row. Clamping alone would invent **{forecast.invented:,.0f}** rows that "
        "are not there; the automatic repair takes them away again."
    )


def biases(plan: Plan, rows: int) -> str:
    """Return the sentence on what each repair makes of a cell with a hundredth of the rows.

    A repair removes negative noisy counts, and so changes others. ``rows`` is the number of
    rows of the table.
    """
    bias_by_repair = histogram_forecast(plan, rows).biases
    expected = [
        f"{repair.title} {max(0.0, rows / 100 + bias_by_repair[name]):,.0f}"
        for name, repair in REPAIRS.items()
        if name in bias_by_repair
    ]
    return (
        f"A cell that holds a hundredth of the rows ({rows / 100:,.0f}) is expected to come "
        f"out as: {', '.join(expected)}."
    )


def _methods(plan: Plan, rows: int, chosen: Outlook) -> None:
    """Show the expected errors and the time of all methods in a table.

    ``chosen`` is the forecast of the plan's method.
    """
    alternatives = other_outlooks(plan, rows)
    if chosen.method not in {alternative.method for alternative in alternatives}:
        alternatives = [chosen, *alternatives]
    st.markdown("**The methods side by side**")
    table = {
        "Method": [_mark_chosen(plan, forecast.method, chosen) for forecast in alternatives],
        "Error of columns": [span(forecast.columns) for forecast in alternatives],
        "Error of pairs": [span(forecast.pairs) for forecast in alternatives],
        "Time": [f"{max(1, round(forecast.seconds)):,} s" for forecast in alternatives],
    }
    st.dataframe(table, hide_index=True, alt="The methods side by side.")
    st.caption(
        f"{WHAT_RANGES_ARE} Nobody knows before the release how strongly columns are "
        f"related. {in_markdown(explain_lists(plan.domain))}"
    )


def _mark_chosen(plan: Plan, method: str, chosen: Outlook) -> str:
    """Return the name of a method, with a note if it is the chosen one."""
    name = name_method(method, plan.domain.size)
    return f"{name} (chosen)" if method == chosen.method else name


def _curve(plan: Plan, rows: int) -> None:
    """Draw the expected errors against epsilon, with the plan's epsilon marked."""
    outlooks_by_epsilon = along(plan, rows)
    errors = {
        "columns": [forecast.columns.likely for forecast in outlooks_by_epsilon.values()],
        "pairs": [forecast.pairs.likely for forecast in outlooks_by_epsilon.values()],
    }
    epsilons = [float(Fraction(text)) for text in outlooks_by_epsilon]
    curve = forecast_curve(epsilons, errors, chosen=float(plan.epsilon))
    show(curve, public_lane(plan.domain), "forecast")


def _backwards(plan: Plan, rows: int) -> None:
    """Ask for an allowed error of pairs, and show the least epsilon that suffices.

    Only steps of the slider are tried. If that exceeds the plan's, or there is none, coarser
    columns are suggested.
    """
    largest_error = st.select_slider(
        "Largest error of pairs", ERRORS, value="5 %", key="wanted", help="On average."
    )
    error = float(largest_error.removesuffix(" %")) / 100
    needed = None
    for epsilon, expected in along(plan, rows).items():
        if expected.pairs.likely <= error:
            needed = epsilon
            break
    parts = [f"For an error of {largest_error}, pairs need an epsilon of about **{needed}**."]
    if needed is None:
        parts = [f"No epsilon of the slider gives pairs an error of {largest_error}."]
    if needed is None or Fraction(needed) > plan.epsilon:
        parts.append(coarsening(plan, rows, error))
    st.markdown(" ".join(parts))


def coarsening(plan: Plan, rows: int, error: float) -> str:
    """Return the sentence on which columns to coarsen so that pairs keep an allowed error.

    ``error`` is the mean error of pairs, as a share of the rows.
    """
    # The number does not depend on rules, so plans with any rules share the stored result.
    max_cells = _cells_for(replace(plan, rules=None), rows, error)
    if max_cells is None:
        return "At this epsilon coarser columns are not enough; leave columns out."
    wide_columns = [column for column in plan.domain.columns if column.size > max_cells]
    wide_columns.sort(key=lambda column: -column.size)
    names = ", ".join(f"'{column.name}' ({column.size:,})" for column in wide_columns)
    return in_markdown(
        f"Or keep this epsilon, and coarsen columns to at most {max_cells} cells: {names}."
    )


def _cells_for(plan: Plan, rows: int, error: float) -> int | None:
    """Return the most cells that a column may have for an allowed error; None if none do."""
    key = ("coarsening", *_marks(plan), rows, error)
    return state.work_out(key, lambda: cells_within(plan, rows, error=error))


def rough_share(share: float) -> str:
    """Return a share as a rounded percentage: 12 %, 1.2 % or 0.03 %."""
    value = 100 * share
    # Limits of rounding: 9.5 becomes 10, and 0.95 becomes 1.0.
    if value >= 9.5:
        return f"{value:.0f} %"
    if value >= 0.95:
        return f"{value:.1f} %"
    return f"{value:.2f} %"


def span(errors: Range) -> str:
    """Return the 80 % interval of an expected error in words, such as "1.2 to 3.4 %"."""
    lowest = rough_share(errors.low)
    highest = rough_share(errors.high)
    return lowest if lowest == highest else f"{lowest.removesuffix(' %')} to {highest}"


def noise(plan: Plan, cell_noise: DiscreteLaplace) -> None:
    """Show the size and the shape of the noise on each cell of a histogram.

    ``cell_noise`` is the law of the noise, in rows.
    """
    st.markdown("**The noise on each cell**")
    badge(public_lane(plan.domain))
    scale = float(cell_noise.scale)
    within = reach(LaplaceLaw(scale), 0.95)
    st.markdown(
        f"Every one of the **{write_count(plan.domain.size)}** cells gets noise of scale "
        f"**{scale:.4g}**: in 95 of 100 cells at most **±{within:,} rows**."
    )
    show(noise_shape(scale), public_lane(plan.domain), "noise")
