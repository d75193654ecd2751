"""Where the error comes from, and other details of a comparison. PRIVATE."""

from collections.abc import Callable

import streamlit as st

from pages.ui.compare.compared import Findings
from pages.ui.compare.guess import guess_view
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, show
from pages.ui.shell.numbers import percent
from synth.estimate import REPAIRS
from synth.foreign import in_markdown
from synth.private.comparison import internal_report
from synth.util import explain_word


def details_view(findings: Findings) -> None:
    """Show one chosen detail, the scores, and the button for the internal report."""
    views = list_details(findings)
    chosen = st.pills("Choose a detail", list(views), key="detail")
    with st.container():  # one place for all details: what comes below stays as it is
        if chosen:
            views[chosen](findings)
    _show_scores(findings)
    st.download_button(
        "Make the internal report (private)",
        lambda: internal_report(findings.compared).encode(),
        file_name="PRIVATE-internal-report.html",
        mime="text/html",
        icon=":material/visibility_off:",
        on_click="ignore",
        key="internal",
        help="All of this on one page, marked private. No bundle contains it.",
    )


def list_details(findings: Findings) -> dict[str, Callable[[Findings], None]]:
    """Return the details that make sense for a comparison, by title.

    Some need a noisy histogram, derived columns, a public table, bounds of errors, or more
    than one column.
    """
    result = findings.compared.result
    details: dict[str, tuple[Callable[[Findings], None], bool]] = {
        "Where the error comes from": (split_view, True),
        "Bars that the model gave": (bars_view, bool(result.pair_bars)),
        "Other repairs": (repairs_view, result.record.repair is not None),
        "Derived columns": (derived_view, bool(findings.compared.domain.derived)),
        "The public table that was the guess": (guess_view, result.plan.public is not None),
        "A classifier that learns from synthetic rows": (training_view, findings.has_pairs),
    }
    return {title: view for title, (view, is_there) in details.items() if is_there}


def _show_scores(findings: Findings) -> None:
    """Show scores of pairs that other programs use, too."""
    errors = findings.compared.errors
    if findings.has_pairs:
        by_chance = 1000 * (1 - errors.floor[1].mean)
        st.caption(
            f"The k-marginal score is {errors.k_marginal:.0f} of 1,000 (by chance alone "
            f"{by_chance:.0f}).",
            help=explain_word("k-marginal"),
        )


def bars_view(findings: Findings) -> None:
    """Show how many pairs of columns have an error within the bound that the model gave.

    The release's model gave a bound for each pair, which nine of ten errors should keep.
    """
    coverage = findings.pair_coverage
    st.markdown(
        f"The model said how far off each pair would be. **{coverage.within:,} of "
        f"{coverage.bars:,} pairs are within their bar**; nine of ten should be."
    )
    show(findings.draw_bars(), Lane.PRIVATE, "bars")


def split_view(findings: Findings) -> None:
    """Show how much of the error comes from each step.

    The steps are left-out rows, noise, the drawing of rows, and bins. Binning matters for
    numbers and dates only.
    """
    result = findings.compared.result
    # ``treatment`` says in words what follows the noise: a repair or a model.
    noise = f"noise and {result.record.treatment}"
    st.markdown(
        f"**{noise.capitalize()}** move the shares of the cells; **drawing** turns them into "
        "whole rows. The parts need not add up: one can undo a little of another."
    )
    if result.plan.unit.person:
        st.markdown(
            "**Left out** are rows of persons with more than "
            f"{result.plan.unit.max_rows}: the shares of the others are what the release is "
            "about. If it is the largest part, keep more rows of each person."
        )
    # A release from a bundle fits its model again, and numbers are read from the table again.
    with st.spinner("Working out the part of each step."):
        picture = findings.draw_parts()
        has_numbers = bool(findings.numbers)
    show(picture, Lane.PRIVATE, "parts")
    if any(part.noise is None for part in findings.parts.values()):
        st.caption("This model makes no estimate of some pairs: these have no parts.")
    if has_numbers:  # else no column of numbers or dates, so nothing is binned
        _show_binning(findings)


def _show_binning(findings: Findings) -> None:
    """Show what bins do to numbers and dates."""
    st.markdown(
        "**Binning** comes before both: within a bin, synthetic values are spread evenly, "
        "and values outside the bounds are pulled in. Only numbers and dates lose by it. If "
        "it is the largest part, choose other bins; more budget would not help."
    )
    show(findings.draw_number_parts(), Lane.PRIVATE, "binning")
    name = st.selectbox("Mean and quartiles of", list(findings.numbers), key="stages_of")
    st.dataframe(findings.tabulate_stages(name), alt=f"Mean and quartiles of {name}.")


def repairs_view(findings: Findings) -> None:
    """Show the real errors of the release under each repair of negative counts."""
    repair = REPAIRS[str(findings.compared.result.record.repair)]
    st.markdown(
        f"This release used **{repair.title}**. Another repair of the same noisy counts "
        "spends nothing: choose it in the step Release, which draws the rows again. The "
        "certificate then says that you had seen these errors."
    )
    show(findings.draw_repairs(), Lane.PRIVATE, "real_repairs")


def training_view(findings: Findings) -> None:
    """Show the test of a classifier that learned from synthetic rows.

    The user chooses the column that it predicts, and starts the training by a click. The test
    is stored with the comparison.
    """
    st.markdown(
        "A classifier learns from synthetic rows to predict one column from the others. It "
        "is tested on half of the real rows, against a classifier that learned from the "
        "other half."
    )
    choices = findings.targets
    if not choices:
        st.info("No column has few enough cells to be predicted.")
        return
    column_place, button_place = st.columns([3, 1], vertical_alignment="bottom")
    name = column_place.selectbox(
        "Column to predict", choices, index=len(choices) - 1, key="to_predict"
    )
    button_place.button(
        "Train and test", type="primary", on_click=train_now, args=(findings, name)
    )
    if name in findings.trained:
        _show_training(findings, name)


@state.guard
def train_now(findings: Findings, name: str) -> None:
    """Train a classifier of a column, and store its test."""
    findings.train(name)


def _show_training(findings: Findings, name: str) -> None:
    """Show how well a classifier from synthetic rows predicts the real ones."""
    show(findings.draw_training(name), Lane.PRIVATE, "training")
    if left_out := findings.trained[name].left_out:
        st.caption(f"Too wide to learn from: {in_markdown(', '.join(left_out))}.")


def derived_view(findings: Findings) -> None:
    """Show the errors of derived columns, whose values follow from other columns by a rule.

    ``column.pairs`` has the error of its pair with each other column, by that column's name.
    """
    for column in findings.derived_columns:
        st.markdown(in_markdown(column.sentence))
    table = [
        {
            "Column": column.name,
            "Follows from": column.rule,
            "Off by": percent(column.error),
            "Worst pair": max(column.pairs, key=column.pairs.__getitem__),
            "Pair off by": percent(max(column.pairs.values())),
        }
        for column in findings.derived_columns
    ]
    st.dataframe(table, hide_index=True, alt="The error of each derived column.")
    st.caption(
        "Derived columns were computed on both sides, by the rule from each row's values."
    )
