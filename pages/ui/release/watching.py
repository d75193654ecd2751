"""The progress of a release: one bar for all stages, time, and measurements."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.plan.prediction import outlook_of
from pages.ui.shell import at_work, state
from pages.ui.shell.budget_bar import watch_spend
from pages.ui.shell.numbers import say_count
from pages.ui.shell.release_job import SPENDS_AT, FilesJob, ReleaseJob
from pages.ui.shell.resuming import resume_watching
from synth.foreign import in_markdown
from synth.plans import Plan

# The full bar would say that the work is done.
ALMOST_FULL = 0.99


def watch(job: ReleaseJob | FilesJob, place: DeltaGenerator) -> None:
    """Show the progress of a release until it ends; then take over its result and rerun.

    ``place`` is the page's container. It is emptied first, as old content would stay and
    fade.
    """
    place.empty()
    job.wait(0.2)  # a short job ends within this time
    with place.container():
        resume_watching(job)
        _watch(job)
    at_work.finish_job(job)
    st.rerun()


def _watch(job: ReleaseJob | FilesJob) -> None:
    """Show the stage, the time and the latest measurements of a release until it ends."""
    bar = st.progress(0.0, text=job.stage)
    expected_seconds = seconds_for(job.plan)
    stop = st.empty()
    below = st.empty()
    stop_label = ""
    for _ in watch_spend(job):
        # The button changes with the stage: its label says whether the spend is recorded.
        if job.may_stop != stop_label:
            stop_label = job.may_stop
            stop.button(stop_label, on_click=job.stop)
        if job.is_stopped:
            stop.caption("Stopping …")
        if job.before:
            waiting = f"Waiting; before it: {say_count(job.before, 'release')}"
            bar.progress(0.0, text=waiting)
            continue
        bar.progress(min(ALMOST_FULL, job.share(expected_seconds)), text=_say_stage(job))
        if job.measured:
            latest = "  \n".join(
                in_markdown(measurement) for measurement in job.measured[-8:]
            )
            below.caption(f"{len(job.measured)} measured so far, the latest:  \n{latest}")


def _say_stage(job: ReleaseJob | FilesJob) -> str:
    """Return the stage at work, its position among all stages, and the time so far."""
    position = ""
    if len(job.stages) > 1:
        position = f", stage {job.position} of {len(job.stages)}"
    halves = round(2 * job.seconds) / 2  # it ticks even where the bar hardly moves
    return f"{_name_stage(job)}{position} … ({halves:.1f} s)"


def seconds_for(plan: Plan) -> float:
    """Return about how many seconds a release takes; 20 if its rows are unknown."""
    rows = state.draft().table_rows
    if not rows:
        return 20.0
    return max(3.0, outlook_of(plan, rows).seconds)  # a shorter bar would only flash up


def _name_stage(job: ReleaseJob | FilesJob) -> str:
    """Return the job's current stage in words; a model's measurements get a clearer name."""
    if job.stage != SPENDS_AT or job.plan.cell_noise is not None:
        return job.stage
    return "Measuring small tables and joining them into one"
