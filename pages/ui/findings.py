"""Real against synthetic on the screen. All of it is private."""

import streamlit as st

from pages.ui.charts import Lane, percent, show
from pages.ui.compared import Compared
from synth.plots import one_way, pair_gap, two_way, worst_first


def findings(compared: Compared) -> None:
    """Four numbers, then the pictures."""
    headline(compared)
    columns, pairs, worst = st.tabs(["Columns", "Pairs", "Worst first"])
    with columns:
        columns_tab(compared)
    with pairs:
        pairs_tab(compared)
    with worst:
        worst_tab(compared)


def headline(seen: Compared) -> None:
    """Four numbers, and what chance alone would do."""
    errors, floor = seen.errors, seen.errors.floor
    places = st.columns(4)
    for place, label, now, chance in (
        (places[0], "Columns off by", errors.one_way.mean, floor[0].mean),
        (places[1], "Pairs off by", errors.two_way.mean, floor[1].mean),
    ):
        place.metric(
            label,
            percent(now),
            delta=f"chance alone: {percent(chance)}",
            delta_color="off",
            delta_arrow="off",
            border=True,
        )
    places[2].metric(
        "k-marginal score",
        f"{errors.k_marginal:.0f}",
        delta="of 1000",
        delta_color="off",
        delta_arrow="off",
        border=True,
        help="1000 (1 - mean error of pairs), as NIST scores synthetic data.",
    )
    places[3].metric(
        "Like a sample of",
        f"{errors.subsample_percent:.2g} %",
        delta="of the real rows",
        delta_color="off",
        delta_arrow="off",
        border=True,
    )


def columns_tab(seen: Compared) -> None:
    ranked = [names[0] for names, _ in seen.errors.one_way.worst_first]
    errors = {names[0]: value for names, value in seen.errors.one_way.by_table.items()}
    name = st.selectbox(
        "Column (worst first)", ranked, format_func=lambda n: f"{n} - error {errors[n]:.3f}"
    )
    show(one_way(name, *seen.shares(name)), Lane.PRIVATE, "one_way")


def pairs_tab(seen: Compared) -> None:
    names = seen.domain.names
    if len(names) < 2:
        st.info("A table of one column has no pairs.")
        return
    heat, gap = st.columns(2, gap="large")
    with heat:
        show(two_way(names, seen.matrix()), Lane.PRIVATE, "two_way")
    with gap:
        errors = seen.errors.two_way.by_table
        pair = st.selectbox(
            "Pair (worst first)",
            [names for names, _ in seen.errors.two_way.worst_first],
            format_func=lambda p: f"{p[0]} by {p[1]} - error {errors[p]:.3f}",
        )
        cells = tuple(seen.domain[n].titles for n in pair)
        show(pair_gap(pair, cells, seen.gap(*pair)), Lane.PRIVATE, "gap")


def worst_tab(seen: Compared) -> None:
    tables, floors = {}, {}
    for order, errors in enumerate((seen.errors.one_way, seen.errors.two_way)):
        tables |= {" by ".join(n): value for n, value in errors.by_table.items()}
        floor = seen.errors.floor[order].by_table
        floors |= {" by ".join(n): value for n, value in floor.items()}
    show(worst_first(tables, floor=floors), Lane.PRIVATE, "worst")
