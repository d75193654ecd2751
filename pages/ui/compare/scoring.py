"""A utility score: its cost, its expected precision, and its value."""

from dataclasses import replace
from fractions import Fraction

import streamlit as st

from pages.ui.shell import budgets, state
from pages.ui.shell.numbers import percent
from pages.ui.shell.release import Release
from pages.ui.shell.release_job import write_files
from pages.ui.shell.widgets import spend_button
from synth.bundle import score_reach
from synth.errors import SynthError
from synth.foreign import in_markdown
from synth.privacy import parse_epsilon, plain
from synth.spending import add_score


def utility_score(release: Release) -> None:
    """Show the bought utility scores of a release, and offer another one for more epsilon.

    A score is the mean error of pairs of columns, measured with noise so that it can be
    published. A release from a bundle has no table, so it can buy none.
    """
    for score in release.result.scores:
        # Noise may make an error negative, and so the score larger than 1000: both are cut.
        st.markdown(
            f"**Bought score:** pairs are off by **{percent(max(0.0, score.error))}** "
            f"(± {percent(score.reach)}, 95 % of the time). As a k-marginal score, this is "
            f"{min(1000.0, 1000 * (1 - score.error)):.0f} of 1000. It cost epsilon "
            f"{plain(score.epsilon)} and is in the bundle."
        )
    if release.opened:
        return
    with st.expander("Buy a utility score that may be published", icon=":material/sell:"):
        st.markdown(
            "One number, how far off pairs of columns are on average, can be measured with "
            "noise for a little more epsilon. It is then public: it goes into the "
            "certificate, the statement and the report, and the guarantee of the bundle "
            "becomes that of both together."
        )
        text = st.text_input("Epsilon for the score", value="0.05", key="score_epsilon")
        try:
            epsilon = parse_epsilon(text)
        except SynthError as error:
            st.error(in_markdown(str(error)))
            return
        plan = release.plan
        rows = max(1.0, float(release.result.record.total))  # noisy, so it may be 0 or less
        # The most by which counts of neighbouring tables differ, summed over all cells.
        sensitivity = plan.neighbors.sensitivity * plan.unit.max_rows
        # How far the noise moves the score in 95 of 100 cases, in percentage points.
        points = 100 * score_reach(rows, epsilon, sensitivity)
        moved = f"The noise will move the score by up to {points:.2g} points of 100."
        st.caption(in_markdown(f"{moved} {budgets.budget_left()}".strip()))
        agreed = st.checkbox(f"Spend epsilon {plain(epsilon)} more", key="score_agreed")
        label = f"Buy the score for epsilon {plain(epsilon)}"
        spend_button(label, buy_now, release, epsilon, agreed=agreed)


def buy_now(release: Release, epsilon: Fraction) -> None:
    """Spend epsilon on a utility score of a release, and write its files with the score.

    Raises:
        SynthError: The budget does not allow it, or files cannot be written.
    """
    assert release.source is not None  # only a release from a bundle may lack its table
    bought = add_score(release.result, release.source.table, epsilon, ledger=budgets.ledger())
    scored = replace(release, result=bought, files={})
    # Stored before the files are written: the score is paid for even if writing fails.
    state.renew(release, scored)
    files = write_files(bought, state.folder(), budgets.ledger())
    state.renew(scored, replace(scored, files=files))
