"""The noisy counts of a release, negative ones too, and the choice of their repair.

All of it sees noisy counts only, so it costs nothing and may be published.
"""

from collections.abc import Sequence

import streamlit as st

from pages.ui.shell import at_work, state
from pages.ui.shell.charts import Lane, badge, show
from pages.ui.shell.numbers import percent, say_count
from pages.ui.shell.release import Release
from synth.bundle import (
    CountsInView,
    find_negative_table,
    measured_tables,
    tabulate_repairs,
    view_columns,
    view_model,
    view_repaired,
)
from synth.estimate import (
    REPAIRS,
    ColumnSet,
    MarginalsRecord,
    NoisyCounts,
    Repaired,
)

SMALL = "Small counts, sorted"
ALL = "All counts, sorted"
BY_COLUMNS = "By columns"
# Cards in one row of the page.
CARDS_IN_ROW = 4
# The most columns whose cells are shown together.
MOST_COLUMNS = 2


def show_noisy_counts(release: Release) -> None:
    """Show a release's noisy counts next to the rows that its repair or its model gives them.

    A histogram of all columns has a card for each repair. A model shows one of the
    histograms that it measured.
    """
    if release.noisy_counts is not None:
        _histogram(release, release.noisy_counts)
    elif isinstance(release.result.record, MarginalsRecord):
        _measured(release.result.record)


def _histogram(release: Release, noisy: NoisyCounts) -> None:
    """Show the noisy counts of all cells with a card for each repair."""
    repairs = {repaired.name: repaired for repaired in release.repairs}
    used = release.repair
    chosen = state.read_value("repair_in_view") or used
    if chosen not in repairs:  # one of another release
        chosen = used
    st.header("Your noisy histogram")
    view = view_repaired(noisy, repairs[chosen].distribution)
    st.markdown(f"{_say_noise(view)} {_say_repair(view, noisy)}")
    badge(Lane.DP)
    order, columns = _choose_order(release, noisy)
    if columns:
        view = view_columns(noisy, repairs[chosen].distribution, columns)
    show(view.draw(sort=order != BY_COLUMNS, only_small=order == SMALL), Lane.DP, "noisy")
    _cards(release, [*repairs.values()], used=used, chosen=chosen)
    with st.expander("All repairs as a table", icon=":material/build:"):
        st.markdown(
            "The bias says how many rows a cell of 0, 1, 5, 20 or 100 rows gains or loses."
        )
        st.dataframe(
            tabulate_repairs([*repairs.values()]),
            hide_index=True,
            alt="The effects of each repair.",
        )


def _say_noise(view: CountsInView) -> str:
    """Return the number of cells, the size of their noise, and how many fell below 0."""
    cells = say_count(len(view.noisy), "cell")
    noise = f"{cells}, each with noise of at most ±{view.reach:,} rows in 95 of 100."
    if not view.negative:
        return f"{noise} No count fell below 0."
    return f"{noise} **:red[{say_count(view.negative, 'count')} fell below 0.]**"


def _say_repair(view: CountsInView, noisy: NoisyCounts) -> str:
    """Return why the counts are repaired, and which cells are not listed, if any."""
    sentences = []
    if noisy.threshold is not None:
        sentences.append(
            f"Of {noisy.domain.size:,} cells only those with a noisy count of "
            f"{noisy.threshold:,} or more are listed; all others count as 0."
        )
    if view.negative:
        least = str(view.noisy.min()).replace("-", "−")
        sentences.append(f"No cell can have {least} rows: choose how they are repaired.")
    sentences.append("A repair sees noisy counts only, and costs nothing.")
    return " ".join(sentences)


def _choose_order(release: Release, noisy: NoisyCounts) -> tuple[str, tuple[int, ...]]:
    """Show the choice of what the bars are; return it, and the numbers of chosen columns.

    It opens where noise is easiest to see: at columns with a count below 0.

    Args:
        release: The release.
        noisy: The release's noisy counts of all cells.
    """
    order = _choose_bars([SMALL, ALL, BY_COLUMNS])
    if order != BY_COLUMNS:
        return order, ()
    names = noisy.domain.names
    chosen_names = st.multiselect(
        "Columns whose cells are shown; the others are summed",
        names,
        default=[names[column] for column in release.negative_columns],
        max_selections=MOST_COLUMNS,
        key="noisy_columns",
    )
    return BY_COLUMNS, tuple(sorted(names.index(name) for name in chosen_names or names[:1]))


def _cards(release: Release, repairs: Sequence[Repaired], *, used: str, chosen: str) -> None:
    """Show a card for each repair, and the button that draws the rows by the chosen one.

    Args:
        release: The release.
        repairs: What each repair makes of its noisy counts.
        used: The name of the repair of its rows.
        chosen: The name of the repair that the picture shows.
    """
    for start in range(0, len(repairs), CARDS_IN_ROW):
        places = st.columns(CARDS_IN_ROW)
        for place, repaired in zip(places, repairs[start:], strict=False):
            with place.container(border=True, height="stretch"):
                _card(repaired, used=used, chosen=chosen)
    if chosen == used:
        return
    in_view = REPAIRS[chosen]
    in_rows = REPAIRS[used]
    with st.container(border=True):
        st.markdown(
            f"The picture shows **{in_view.title}**; the rows were drawn by "
            f"**{in_rows.title}**. Drawing them anew spends nothing: the noisy counts "
            "stay as they are."
        )
        if release.comparison is not None:
            st.caption(
                "You have compared this release with the real rows. The certificate will say "
                "that you chose the repair after that."
            )
        st.button(
            f"Draw the rows by {in_view.title}",
            type="primary",
            icon=":material/refresh:",
            on_click=state.guard(_draw_again),
            args=(chosen,),
        )


def _card(repaired: Repaired, *, used: str, chosen: str) -> None:
    """Show what one repair does, in numbers, and the button that shows it in the picture."""
    repair = REPAIRS[repaired.name]
    marks = ""
    if repaired.name == used:
        marks = " :blue-badge[used]"
    st.markdown(f"### {repair.title}{marks}")
    st.caption(repair.sentence)
    facts = [f"counts add up to {round(repaired.rows):,} rows"]
    if repaired.invented >= 0.5:
        facts.append(f"{round(repaired.invented):,} of them are not there")
    if repaired.emptied:
        facts.append(f"{repaired.emptied:,} positive counts lost")
    facts.append(f"estimated error of cells {percent(repaired.error)}")
    st.markdown("  \n".join(facts))
    if repaired.name == chosen:
        st.markdown(":material/visibility: shown above")
    else:
        st.button(
            f"Show {repair.title}",
            key=f"show_{repaired.name}",
            on_click=_show_repair,
            args=(repaired.name,),
        )


def _show_repair(name: str) -> None:
    """Let the picture show a repair."""
    state.write("repair_in_view", name)


def _draw_again(name: str) -> None:
    """Draw the rows of the current plan again, by a repair; its noisy counts are paid for."""
    state.write("repair_in_view", None)
    state.change_repair(name)
    at_work.start_job()


def _measured(record: MarginalsRecord) -> None:
    """Show one of the histograms that a model measured, beside the rows of the model."""
    tables = measured_tables(record)
    if len(tables) == 1:
        st.header("Your noisy histogram")
        (columns,) = tables
    else:
        st.header("Your noisy histograms")
        # It opens where noise is easiest to see.
        names = [*tables]
        columns = st.selectbox(
            f"{len(tables):,} noisy histograms, which a model joins",
            names,
            index=names.index(find_negative_table(record)),
            format_func=lambda clique: _name_table(record, clique),
            key="noisy_table",
        )
    view = view_model(record, columns)
    st.markdown(
        f"{_say_noise(view)} The line shows the counts after {view.line}: it never falls "
        "below 0."
    )
    badge(Lane.DP)
    is_sorted = len(columns) > 1
    only_small = is_sorted and _choose_bars([SMALL, ALL]) == SMALL
    show(view.draw(sort=is_sorted, only_small=only_small), Lane.DP, "noisy")


def _choose_bars(orders: Sequence[str]) -> str:
    """Show the choice of what the bars are, and return it; the first is the default."""
    chosen = st.segmented_control(
        "Bars",
        orders,
        default=orders[0],
        required=True,
        key=f"bars_{len(orders)}",
        label_visibility="collapsed",
    )
    return str(chosen)


def _name_table(record: MarginalsRecord, columns: ColumnSet) -> str:
    """Return the names of a histogram's columns."""
    return " by ".join(record.domain.names[column] for column in columns)
