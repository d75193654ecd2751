"""What a plan will be worth, from public numbers only."""

from fractions import Fraction
from functools import lru_cache

import numpy as np
import streamlit as st

from pages.ui import state
from pages.ui.charts import Lane, badge, percent, show
from pages.ui.draft import Draft, short
from pages.ui.inputs import EPSILONS
from synth import limits
from synth.domain import Domain
from synth.forecast import Forecast, forecast
from synth.models.prospect import prospects
from synth.plan import Plan
from synth.plots import forecast_curve, noise_reach, noise_shape
from synth.privacy import Neighbors

OFF = (
    "Expected total variation, on average: the share of rows that would have to move to make the "
    "real and the synthetic table agree."
)
GRID = tuple(Fraction(e) for e in EPSILONS)


@lru_cache(maxsize=512)
def expected(domain: Domain, epsilon: Fraction, rows: int, neighbors: Neighbors) -> Forecast:
    """The forecast, kept from one move of the slider to the next; public input only."""
    return forecast(domain, epsilon=epsilon, rows=rows, neighbors=neighbors)


def curve(domain: Domain, rows: int, neighbors: Neighbors) -> dict[str, list[float]]:
    """Forecast errors over the slider's steps; public input only."""
    found = [expected(domain, epsilon, rows, neighbors) for epsilon in GRID]
    return {
        "columns": [f.one_way.mean for f in found],
        "pairs": [f.two_way.mean for f in found],
        "triples": [f.three_way.mean for f in found],
    }


def prediction(draft: Draft, plan: Plan) -> None:
    """All that can be said before anything is spent."""
    st.subheader("What to expect")
    badge(Lane.PUBLIC)
    utility(draft, plan)


def noise(plan: Plan) -> None:
    """What happens to each cell's count."""
    st.subheader("The noise on each cell")
    badge(Lane.PUBLIC)
    scale = float(plan.scale)
    reach = noise_reach(scale, 0.95)
    st.markdown(
        f"Every one of the **{short(plan.domain.size)}** cells gets noise of scale "
        f"**{scale:.4g}**: in 95 of 100 cells at most **±{reach:,} rows**."
    )
    show(noise_shape(scale), Lane.PUBLIC, "noise")


def utility(draft: Draft, plan: Plan) -> None:
    """The forecast for the number of rows the steward typed."""
    st.number_input(
        "About how many rows does the table have? (your own figure)",
        min_value=0,
        max_value=limits.ROWS_MAX,
        step=1000,
        **state.tied_choice("about_rows"),
    )
    rows = draft.about_rows
    if not rows:
        st.info("Type a number of rows to see what to expect.")
        return
    if plan.by_model:
        strategies(plan, rows)
        return
    found = expected(plan.domain, plan.epsilon, rows, plan.neighbors)
    st.markdown("Rows in the wrong place, on average over all", help=OFF)
    orders = (found.one_way, found.two_way, found.three_way)
    for place, label, order in zip(
        st.columns(3, border=True), ("Columns", "Pairs", "Triples"), orders, strict=True
    ):
        place.metric(label, percent(order.mean))
    st.markdown(
        f"About as close as a random **{found.subsample_percent:.2g} %** of the rows would be "
        "(which would have no protection at all)."
    )
    errors = curve(plan.domain, rows, plan.neighbors)
    needed = solve(errors["pairs"], 0.05)
    picture = forecast_curve([float(e) for e in GRID], errors, chosen=float(plan.epsilon))
    show(picture, Lane.PUBLIC, "forecast")
    st.caption(
        f"For pairs to be 5 % off on average, epsilon would have to be about {needed:.2g}."
        if needed
        else "No epsilon of the slider brings pairs to 5 % off; coarsen the domain."
    )


def strategies(plan: Plan, rows: int) -> None:
    """What noise does under each method, and about how long it takes."""
    found = prospects(plan.domain.shape, rows, plan.choice.guarantee(plan.epsilon), plan.neighbors)
    st.markdown("Rows that noise alone puts in the wrong cell, by method", help=OFF)
    st.dataframe(
        {
            "Method": [p.strategy.value for p in found],
            "A column": [percent(p.columns) for p in found],
            "A measured pair": ["-" if p.pairs is None else percent(p.pairs) for p in found],
            "Time": [f"{max(1, round(p.seconds))} s" for p in found],
        },
        hide_index=True,
    )
    st.caption(
        "If every cell were as common as the others, which is the worst case. What columns have in "
        "common and is not measured is lost on top: the less is measured, the more."
    )


def solve(errors: list[float], wanted: float) -> float | None:
    """The epsilon at which the falling curve crosses the wanted error."""
    if errors[-1] > wanted:
        return None
    logs = np.log([float(e) for e in GRID])
    return float(np.exp(np.interp(-wanted, [-e for e in errors], logs)))
