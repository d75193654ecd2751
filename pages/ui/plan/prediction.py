"""The expected error of a plan, from public numbers only."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

import streamlit as st

from pages.ui.plan.methods import chosen_in_words
from pages.ui.plan.slider import EPSILONS
from pages.ui.shell import state
from pages.ui.shell.charts import badge, show
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import percent, short
from pages.ui.shell.promise import public_lane
from synth.bundle import Result, noise_shape
from synth.errors import SynthError
from synth.estimate import RECIPES, REPAIRS
from synth.forecasts import (
    SMALL_GROUP,
    Change,
    Forecast,
    Outlook,
    Range,
    cells_within,
    expected_relations,
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
WANTED = ("1 %", "2 %", "5 %", "10 %", "20 %")


def _marks(plan: Plan) -> tuple[Hashable, ...]:
    """Return the key of a forecast: sizes of columns without values, as a plan holds its
    whole domain."""
    sizes = plan.domain.names if plan.groups else (), plan.domain.shape
    how = plan.method, plan.groups, bool(plan.rules), plan.repair, plan.max_model_mb
    return (*sizes, *how, plan.moments, plan.epsilon, plan.delta, plan.neighbors, plan.unit)


def outlook_of(plan: Plan, rows: int) -> Outlook:
    return state.work_out(("outlook", *_marks(plan), rows), lambda: outlook(plan, rows))


def outlook_after(result: Result) -> Outlook | None:
    """Return the outlook of a release, for its own method and number of rows, if it has
    one.
    """
    plan, record = result.plan, result.record
    key = ("outlook after", *_marks(plan), record.strategy, record.total, plan.public is None)
    return state.work_out(key, lambda: outlook_of_release(plan, record))


def other_outlooks(plan: Plan, rows: int) -> list[Outlook]:
    return state.work_out(("outlooks", *_marks(plan), rows), lambda: outlooks(plan, rows))


def along(plan: Plan, rows: int, epsilons: Sequence[str] = EPSILONS) -> dict[str, Outlook]:
    found = {}
    for text in epsilons:
        try:
            found[text] = outlook_of(replace(plan, epsilon=Fraction(text)), rows)
        except SynthError:
            continue
    return found


def prediction(draft: Draft, plan: Plan) -> None:
    badge(public_lane(plan.domain))
    rows = draft.table_rows
    found = outlook_of(plan, rows) if rows else None
    if RECIPES[draft.method].chooses:
        st.info(
            chosen_in_words(plan, found.method if found else None),
            icon=":material/alt_route:",
        )
    if found is None:
        return
    if found.histogram is not None:
        _histogram(found.histogram)
    _methods(plan, rows, found)
    _curve(plan, rows)
    _backwards(plan, rows)


def lost_relations(plan: Plan, rows: int) -> None:
    if not rows:
        return
    lost, may_lose = expected_relations(plan, outlook_of(plan, rows).method)
    if may_lose:
        st.caption(may_lose)
    if not lost:
        return
    st.warning(lost, icon=":material/link_off:")
    key = (
        "changes",
        *plan.domain.names,
        *_marks(plan),
        plan.predict,
        plan.public is None,
        rows,
    )
    changes = state.work_out(key, lambda: rank_changes(plan, rows))
    for one in changes[:1]:
        _offer_change(one)
    if changes[1:]:
        with st.expander("Other ways"):
            for one in changes[1:]:
                _offer_change(one)


def _offer_change(change: Change) -> None:
    label = in_markdown(change.sentence.partition(":")[0].rstrip("."))
    left_out = state.draft().left_out.union(change.left_out)
    chosen = {"left_out": left_out} if change.left_out else {change.option: change.value}
    st.markdown(in_markdown(f"{change.sentence} {change.expected}"))
    if change.option != "public":
        st.button(label, key=f"change {change.option}", on_click=state.change, kwargs=chosen)


def _histogram(found: Forecast) -> None:
    st.markdown(
        f"About as close as a random **{write_number(found.subsample_percent)} %** of the "
        "rows would be (which would have no protection at all): a k-marginal score of about "
        f"**{found.k_marginal:.0f}** of 1000."
    )
    st.markdown(
        f"Of the groups of {SMALL_GROUP} rows about **{percent(found.lost)}** get no "
        f"synthetic row. Clamping alone would invent **{found.invented:,.0f}** rows that are "
        "not there; the automatic repair takes them away again."
    )


def biases(plan: Plan, rows: int) -> str:
    found = histogram_forecast(plan, rows).biases
    named = {name: means.short for name, means in REPAIRS.items() if means.short}
    said = ", ".join(f"{word} {found[n]:+,.1f}" for n, word in named.items() if n in found)
    return (
        f"Expected change of a cell that holds a hundredth of the rows ({rows / 100:,.0f}), "
        f"in rows: {said}; clamp and none leave it as it is."
    )


def _methods(plan: Plan, rows: int, chosen: Outlook) -> None:
    found = other_outlooks(plan, rows)
    if chosen.method not in {other.method for other in found}:
        found = [chosen, *found]
    st.markdown("**The methods side by side**")
    table = {
        "Method": [_name_method(o.method, chosen.method) for o in found],
        "Error of columns": [span(o.columns) for o in found],
        "Error of pairs": [span(o.pairs) for o in found],
        "Time": [f"{max(1, round(o.seconds)):,} s" for o in found],
    }
    st.dataframe(table, hide_index=True)
    st.caption(
        f"{WHAT_RANGES_ARE} Nobody knows before the release how strongly columns are related."
    )


def _name_method(method: str, chosen: str) -> str:
    return f"{RECIPES[method].short} (chosen)" if method is chosen else RECIPES[method].short


def _curve(plan: Plan, rows: int) -> None:
    found = along(plan, rows)
    errors = {
        "columns": [o.columns.likely for o in found.values()],
        "pairs": [o.pairs.likely for o in found.values()],
    }
    epsilons = [float(Fraction(text)) for text in found]
    curve = forecast_curve(epsilons, errors, chosen=float(plan.epsilon))
    show(curve, public_lane(plan.domain), "forecast")


def _backwards(plan: Plan, rows: int) -> None:
    wanted = st.select_slider(
        "Largest error of pairs", WANTED, value="5 %", key="wanted", help="On average."
    )
    error = float(wanted.removesuffix(" %")) / 100
    needed = next((e for e, o in along(plan, rows).items() if o.pairs.likely <= error), None)
    parts = [f"For an error of {wanted}, pairs need an epsilon of about **{needed}**."]
    if needed is None:
        parts = [f"No epsilon of the slider gives pairs an error of {wanted}."]
    if needed is None or Fraction(needed) > plan.epsilon:
        parts.append(coarsening(plan, rows, error))
    st.markdown(" ".join(parts))


def coarsening(plan: Plan, rows: int, error: float) -> str:
    most = _cells_for(replace(plan, rules=None), rows, error)
    if most is None:
        return "At this epsilon coarser columns are not enough; leave columns out."
    wide = sorted((c for c in plan.domain.columns if c.size > most), key=lambda c: -c.size)
    named = ", ".join(f"'{c.name}' ({c.size:,})" for c in wide)
    return in_markdown(
        f"Or keep this epsilon, and coarsen columns to at most {most} cells: {named}."
    )


def _cells_for(plan: Plan, rows: int, error: float) -> int | None:
    key = ("coarsening", *_marks(plan), rows, error)
    return state.work_out(key, lambda: cells_within(plan, rows, error=error))


def rough_share(share: float) -> str:
    """Return a rough share: 12 %, 1.2 % or 0.03 %."""
    value = 100 * share
    digits = 0 if value >= 9.5 else 1 if value >= 0.95 else 2
    return f"{value:.{digits}f} %"


def span(pairs: Range) -> str:
    low, high = rough_share(pairs.low), rough_share(pairs.high)
    return low if low == high else f"{low.removesuffix(' %')} to {high}"


def noise(plan: Plan, drawn: DiscreteLaplace) -> None:
    st.markdown("**The noise on each cell**")
    badge(public_lane(plan.domain))
    scale = float(drawn.scale)
    within = reach(LaplaceLaw(scale), 0.95)
    st.markdown(
        f"Every one of the **{short(plan.domain.size)}** cells gets noise of scale "
        f"**{scale:.4g}**: in 95 of 100 cells at most **±{within:,} rows**."
    )
    show(noise_shape(scale), public_lane(plan.domain), "noise")
