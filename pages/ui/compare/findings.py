"""The comparison of real and synthetic rows on the screen. All of it is private."""

import itertools
from collections.abc import Callable

import streamlit as st

from pages.ui.compare.compared import Looked
from pages.ui.compare.guess import guess_view
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, show
from pages.ui.shell.numbers import percent
from synth.estimate import REPAIRS
from synth.foreign import in_markdown
from synth.private.comparison import (
    SIZES,
    WEAK,
    Training,
    column_axes,
    covered_pairs,
    figures,
    groups,
    internal_report,
    lost_groups,
    measure_coverage,
    slopes,
    targets,
    train,
)
from synth.util import explain_word, pair_gap, two_way, worst_first, write_number


def findings(looked: Looked) -> None:
    """Show the comparison of a release with its confidential table. PRIVATE.

    One view is shown at a time, so that only this view is computed.
    """
    headline(looked)
    views = {name: view for name, view in VIEWS.items() if has(looked, name)}
    chosen = st.segmented_control(
        "What to look at", list(views), default="Worst first", key="view", required=True
    )
    with st.container():  # one place for all views: what comes below stays as it is
        views.get(str(chosen), worst_view)(looked)
    with st.expander("Internal report (private)", icon=":material/lock:"):
        st.caption("All of this on one page, marked private. No bundle contains it.")
        st.download_button(
            "Make the internal report (private)",
            lambda: internal_report(looked.compared).encode(),
            file_name="PRIVATE-internal-report.html",
            mime="text/html",
            icon=":material/visibility_off:",
            on_click="ignore",
            key="internal",
        )


def has(looked: Looked, view: str) -> bool:
    """Return whether a view makes sense for a comparison.

    ``view`` is a key of ``VIEWS``. Some need a noisy histogram, derived columns, a public
    table, bounds of errors, or more than one column.
    """
    result = looked.compared.result
    if view == "Repairs":
        return result.record.repair is not None
    if view == "Derived":
        return bool(looked.compared.domain.derived)
    if view == "Public guess":
        return result.plan.public is not None
    if view == "Model's bars":
        return bool(result.pair_bars)
    if view in ("Pairs", "Groups", "Associations", "Training"):
        return len(looked.compared.domain.columns) > 1
    return True


HELP = {
    "Columns off by": explain_word("off by"),
    "Pairs off by": explain_word("off by"),
    "Associations kept": (
        "The strength of associations between columns (Cramér's V), as a share of the real "
        "strength, over all pairs."
    ),
}


def headline(looked: Looked) -> None:
    """Show the mean errors of columns and pairs.

    The size of an equally good random sample is shown too. An error is a total variation
    distance. The floor is the error by chance alone, of a second sample from the same people.
    """
    errors = looked.compared.errors
    floor = errors.floor  # of columns, of pairs, of triples
    sample = f"{write_number(errors.subsample_percent)} %"
    rows = f"of the {len(looked.compared.real[0]):,} real rows"
    # Each metric has a label, a value and a note below it.
    metrics: tuple[tuple[str, str, str], ...] = (
        (
            "Columns off by",
            percent(errors.one_way.mean),
            f"chance alone: {percent(floor[0].mean)}",
        ),
        (
            "Pairs off by",
            percent(errors.two_way.mean),
            f"chance alone: {percent(floor[1].mean)}",
        ),
        ("As close as a sample of", sample, rows),
    )
    # The slope of synthetic on real associations; None if no pair has a strong enough one.
    associations_kept = slopes(looked.associations.values()).association
    if associations_kept is not None:
        metrics = (
            *metrics,
            ("Associations kept", percent(associations_kept), "of the real strength"),
        )
    for place, (label, value, note) in zip(st.columns(len(metrics)), metrics, strict=True):
        place.metric(
            label, value, note, "off", delta_arrow="off", border=True, help=HELP.get(label)
        )
    st.caption(
        "“Off by” is the share of rows that you would have to change, on average over all "
        "columns or pairs. “Chance alone” is the error of a second sample from the same "
        f"people. The k-marginal score is {errors.k_marginal:.0f} of 1,000 (by chance alone "
        f"{1000 * (1 - floor[1].mean):.0f}).",
        help=explain_word("k-marginal"),
    )


def worst_view(looked: Looked) -> None:
    """Show the columns and pairs of columns with the largest errors, next to chance alone.

    An error is a total variation distance between real and synthetic shares. The floor is the
    error of a second sample from the same people.
    """
    tables: dict[str, float] = {}
    floors: dict[str, float] = {}
    errors = looked.compared.errors
    # Columns, then pairs, each with the floor of the same order.
    orders = ((errors.one_way, errors.floor[0]), (errors.two_way, errors.floor[1]))
    for table_errors, floor in orders:
        for names, error in table_errors.by_table.items():
            tables[figures.title(names)] = error
        for names, error in floor.by_table.items():
            floors[figures.title(names)] = error
    show(worst_first(tables, floor=floors), Lane.PRIVATE, "worst")


def columns_view(looked: Looked) -> None:
    """Show the real and synthetic shares of one chosen column, with its 95 % intervals.

    Columns are listed with the largest error first. A caption says how many real shares of
    all columns are within their interval.
    """
    compared = looked.compared
    errors = {names[0]: value for names, value in compared.errors.one_way.by_table.items()}
    ranked = [names[0] for names, _ in compared.errors.one_way.worst_first]
    name = st.selectbox(
        "Column (worst first)",
        ranked,
        format_func=lambda column: f"{column} - off by {percent(errors[column])}",
    )
    bars = compared.result.interval(name)
    show(figures.column(name, compared.shares(name), bars), Lane.PRIVATE, "one_way")
    # ``bars`` is the number of shares with an interval, ``within`` of those that keep it.
    coverage = measure_coverage(compared)
    if coverage.bars:
        st.caption(
            "The bars come from the noisy counts alone: in 95 of 100 releases they hold the "
            f"real share. Over all columns they hold {coverage.within:,} of "
            f"{coverage.bars:,} shares."
        )


def pairs_view(looked: Looked) -> None:
    """Show the errors of all pairs of columns as a matrix, and one chosen pair by cell."""
    compared = looked.compared
    # ``matrix`` has the error of each pair, ``gap`` synthetic minus real shares of its cells.
    show(two_way(compared.domain.names, compared.matrix()), Lane.PRIVATE, "two_way")
    errors = compared.errors.two_way.by_table
    pair = st.selectbox(
        "Pair (worst first)",
        [names for names, _ in compared.errors.two_way.worst_first],
        format_func=lambda names: (
            f"{names[0]} by {names[1]} - off by {percent(errors[names])}"
        ),
    )
    first, second = pair
    # The titles of the cells of both columns, for the axes.
    cells = compared.domain[first].titles, compared.domain[second].titles
    show(pair_gap((first, second), cells, compared.gap(first, second)), Lane.PRIVATE, "gap")


def bars_view(looked: Looked) -> None:
    """Show how many pairs of columns have an error within the bound that the model gave.

    The release's model gave a bound for each pair, which nine of ten errors should keep.
    """
    coverage = covered_pairs(looked.compared)
    st.markdown(
        f"The model said how far off each pair would be. **{coverage.within} of "
        f"{coverage.bars} pairs are within their bar**; nine of ten should be."
    )
    bars = looked.compared.result.pair_bars
    show(
        figures.pair_bars(bars, looked.compared.errors.two_way.by_table), Lane.PRIVATE, "bars"
    )


def split_view(looked: Looked) -> None:
    """Show how much of the error comes from each step.

    The steps are left-out rows, noise, the drawing of rows, and bins. Binning matters for
    numbers and dates only.
    """
    # ``treatment`` says in words what follows the noise: a repair or a model.
    noise = f"noise and {looked.compared.result.record.treatment}"
    st.markdown(
        f"**{noise.capitalize()}** move the shares of the cells; **drawing** turns them into "
        "whole rows. The parts need not add up: one can undo a little of another."
    )
    if looked.compared.result.plan.unit.person:
        st.markdown(
            "**Left out** are rows of persons with more than "
            f"{looked.compared.result.plan.unit.max_rows}: the shares of the others are what "
            "the release is about. If it is the largest part, keep more rows of each person."
        )
    show(figures.parts(looked.parts), Lane.PRIVATE, "parts")
    if any(part.noise is None for part in looked.parts.values()):
        st.caption("This model makes no estimate of some pairs: these have no parts.")
    if not looked.numbers:  # no column of numbers or dates, so nothing is binned
        return
    st.markdown(
        "**Binning** comes before both: within a bin, synthetic values are spread evenly, "
        "and values outside the bounds are pulled in. Only numbers and dates lose by it. If "
        "it is the largest part, choose other bins; more budget would not help."
    )
    show(figures.number_parts(looked.numbers), Lane.PRIVATE, "binning")
    name = st.selectbox("Mean and quartiles of", list(looked.numbers))
    st.dataframe(
        figures.stages(column_axes(looked.compared.domain)[name], looked.numbers[name])
    )


def groups_view(looked: Looked) -> None:
    """Show the errors within the groups of a chosen column, and lost small groups.

    A lost group is a cell of two columns with real rows and without a synthetic one.
    """
    compared = looked.compared
    name = st.selectbox(
        "Groups by",
        sorted(compared.domain.names, key=lambda name: compared.domain[name].size),
    )
    show(figures.groups(name, groups(compared, name)), Lane.PRIVATE, "groups")
    st.markdown("**Small groups**, counted over the cells of all pairs of columns:")
    sizes = lost_groups(compared)
    # Each of SIZES is the least number of rows of a class, the last one without an end.
    labels = [f"{a} to {b - 1} rows" for a, b in itertools.pairwise(SIZES)]
    table = {
        "Real size": [*labels, f"{SIZES[-1]} rows or more"],
        "Groups": [f"{size.groups:,}" for size in sizes],
        "Without a synthetic row": [f"{size.lost:,}" for size in sizes],
        # ``rows`` has the real and the synthetic rows of these groups.
        "Real rows": [f"{size.rows[0]:,}" for size in sizes],
        "Synthetic rows": [f"{size.rows[1]:,}" for size in sizes],
    }
    st.dataframe(table, hide_index=True)


def associations_view(looked: Looked) -> None:
    """Show the change of each pair's association from the real to the synthetic rows."""
    associations = looked.associations
    st.markdown(
        "How strongly two columns are associated, from 0 (not at all) to 1 (one determines "
        "the other): Cramér's V. For two numbers or dates, the table also has their "
        "correlation."
    )
    strength = slopes(associations.values()).sentence
    if strength:
        st.markdown(f"**{strength}**")
        st.caption(
            "Slopes of synthetic on real ones through 0, over all pairs but those below "
            f"{WEAK:g}; the second of correlations, where both columns are numbers or dates."
        )
    change = {
        names: association.synthetic - association.real
        for names, association in associations.items()
    }
    matrix = looked.compared.matrix(change)
    show(
        figures.changes(looked.compared.domain.names, matrix, associations),
        Lane.PRIVATE,
        "changes",
    )


def repairs_view(looked: Looked) -> None:
    """Show the real errors of the release under each repair of negative counts."""
    repairs, real_errors = looked.repairs
    repair = REPAIRS[str(looked.compared.result.record.repair)]
    st.markdown(
        f"This release used **{repair.title}**. Another repair of the same noisy counts "
        "costs nothing: choose it in the step Release. The certificate then says that you "
        "had seen these errors."
    )
    show(figures.repairs(repairs, real_errors), Lane.PRIVATE, "real_repairs")


def training_view(looked: Looked) -> None:
    """Show the test of a classifier that learned from synthetic rows.

    The user chooses the column that it predicts, and starts the training by a click. The test
    is stored with the comparison.
    """
    compared = looked.compared
    st.markdown(
        "A classifier learns from synthetic rows to predict one column from the others. It "
        "is tested on half of the real rows, against a classifier that learned from the "
        "other half."
    )
    choices = targets(compared.domain)
    if not choices:
        st.info("No column has few enough cells to be predicted.")
        return
    column_place, button_place = st.columns([3, 1], vertical_alignment="bottom")
    name = column_place.selectbox("Column to predict", choices, index=len(choices) - 1)
    button_place.button(
        "Train and test", type="primary", on_click=train_now, args=(looked, name)
    )
    if name in looked.trained:
        show_training(looked.trained[name])


@state.guard
def train_now(looked: Looked, name: str) -> None:
    """Train a classifier of a column, and store its test."""
    looked.trained[name] = train(looked.compared, name)


def show_training(training: Training) -> None:
    """Show how well a classifier from synthetic rows predicts the real ones."""
    show(figures.training(training), Lane.PRIVATE, "training")
    if training.left_out:
        st.caption(f"Too wide to learn from: {in_markdown(', '.join(training.left_out))}.")


def derived_view(looked: Looked) -> None:
    """Show the errors of derived columns, whose values follow by a rule from others.

    ``column.pairs`` has the error of its pair with each other column, by that column's name.
    """
    for column in looked.derived_columns:
        st.markdown(in_markdown(column.sentence))
    table = [
        {
            "Column": column.name,
            "Follows from": column.rule,
            "Off by": percent(column.error),
            "Worst pair": max(column.pairs, key=column.pairs.__getitem__),
            "Pair off by": percent(max(column.pairs.values())),
        }
        for column in looked.derived_columns
    ]
    st.dataframe(table, hide_index=True)
    st.caption(
        "Derived columns were computed on both sides, by the rule from each row's values."
    )


VIEWS: dict[str, Callable[[Looked], None]] = {
    "Worst first": worst_view,
    "Columns": columns_view,
    "Pairs": pairs_view,
    "Model's bars": bars_view,
    "Error split": split_view,
    "Groups": groups_view,
    "Associations": associations_view,
    "Repairs": repairs_view,
    "Training": training_view,
    "Derived": derived_view,
    "Public guess": guess_view,
}
