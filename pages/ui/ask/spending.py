"""The button that spends, and the progress of the questions."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.data.population import population
from pages.ui.release.spending import budget
from pages.ui.shell import at_work, budgets
from pages.ui.shell.budget_bar import watch_spend
from pages.ui.shell.draft import Draft
from pages.ui.shell.job import AskJob
from pages.ui.shell.numbers import say_count
from pages.ui.shell.resuming import resume_watching
from pages.ui.shell.widgets import show_earlier_spend, spend_button
from synth.foreign import in_markdown
from synth.privacy import name_cost
from synth.questions import Inquiry


def spend(draft: Draft, inquiry: Inquiry) -> None:
    """Show the cost of the questions, and the button that asks them.

    Nothing is spent if they are public, or if the ledger has an entry of the same spend.
    Otherwise the user first ticks a box.
    """
    if inquiry.arrangement.spending is None:
        st.markdown("All of this is public already: **it spends nothing**.")
        _button("Show the public answers", inquiry)
    elif (entry := budgets.find_spend(inquiry)) is not None:
        show_earlier_spend(entry, "These very questions were asked", "those answers")
        _button("Get the stored answers", inquiry)
    else:
        assert draft.source is not None  # the step is locked without a table
        if not population(draft.source):
            return
        spent = inquiry.arrangement.spending
        budget(budgets.balance(), spent, inquiry, thing="spend")
        price = in_markdown(name_cost(spent))
        agreed = st.checkbox(
            f"Spend {price}", key="ask agreed", help="You cannot take a spend back."
        )
        questions = say_count(len(inquiry.questions), "question")
        _button(f"Ask {questions} with {price}", inquiry, agreed=agreed)


def _button(label: str, inquiry: Inquiry, *, agreed: bool = True) -> None:
    spend_button(label, at_work.start_asking, inquiry, agreed=agreed, type="primary")


def watch(job: AskJob, place: DeltaGenerator) -> None:
    """Show the progress of a spend until it ends; then take its result and rerun.

    ``place`` is the page's container. It is emptied first, as old content would stay and
    fade.
    """
    place.empty()
    job.wait(0.2)  # a short job ends within this time
    with place.container():
        resume_watching(job)
        bar = st.progress(0.0, text=job.stage)
        stop = st.empty()
        # ``may_stop`` is the label of the button, and empty once it is too late to stop.
        if job.may_stop and not job.wait(0.3):
            stop.button(job.may_stop, on_click=job.stop)
        for _ in watch_spend(job):
            if not job.may_stop:
                stop.empty()
            # A stage reports no progress of its own. The bar only shows that time passes: up
            # to 0.9 of a stage, after 18 seconds.
            stages_done = job.stages.index(job.stage) + min(0.9, job.seconds / 20)
            share_done = stages_done / len(job.stages)
            half_seconds = round(2 * job.seconds)
            bar.progress(share_done, text=f"{job.stage} … ({half_seconds / 2:.1f} s)")
    at_work.finish_job(job)
    st.rerun()
