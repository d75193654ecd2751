"""What is at work for the session: its release or files, and its inquiry."""

from pages.ui.shell import budgets, home, state
from pages.ui.shell.job import AskJob, Job
from pages.ui.shell.release import Release
from pages.ui.shell.release_job import FilesJob, ReleaseJob
from pages.ui.shell.words import cost
from synth.plans import Plan, Started
from synth.questions import Inquiry
from synth.spending import request_of


def job() -> ReleaseJob | FilesJob | None:
    """Return the running release, or the writing of a release's files."""
    running: ReleaseJob | FilesJob | None = state.read_value("job")
    return running


def start_job() -> None:
    """Start the release of the current plan, unless one is running or it was made already.

    Raises:
        SynthError: The plan is not complete, or the first budget is invalid.
    """
    current = state.draft()
    source = current.source
    plan = current.plan()
    if job() is not None or source is None or _is_released(current.earlier_release, plan):
        return
    budgets.set_first_budget(cost(plan))
    # Stored before the spend: after a crash the plan is found again by its table. Without a
    # mark no ledger counts the table, which is then a simulated one.
    if source.mark:
        home.remember(source.mark, plan.to_json(), source.table.asked)
    state.save(Started(source.dataset, source.mark, request_of(plan, source.table)))
    running = ReleaseJob(
        source,
        plan,
        ledger=budgets.ledger(),
        folder=state.folder(),
        desk=state.desk(),
        preparations=current.checks,
        public=current.public,
    )
    state.keep("job", running)


def write_files(release: Release, *, vouch: bool = False) -> None:
    """Start to write the files of a paid release once more, unless a job is running.

    Args:
        release: The release.
        vouch: Whether the steward vouches that the values from the rows are public.
    """
    if job() is None:
        state.keep(
            "job",
            FilesJob(release, ledger=budgets.ledger(), folder=state.folder(), vouch=vouch),
        )


def _is_released(earlier: Release | None, plan: Plan) -> bool:
    """Return whether a plan's release exists already.

    It does not if it comes from a bundle, or if the user vouches otherwise for the
    declaration: then the paid result gets another certificate, at no cost.

    Args:
        earlier: The release of the current table by this plan; None without one.
        plan: The current plan.
    """
    if earlier is None or earlier.opened:
        return False
    return earlier.plan.domain.vouched == plan.domain.vouched


def is_shown(running: Job) -> bool:
    """Return whether a job is the session's, and its result was not taken over yet."""
    return state.read_value(running.name) is running


def finish_job(done: Job) -> None:
    """Move the outcome of a job that has ended into the draft, and show its error, if any.

    A job can have both: a paid release whose files could not be written.
    """
    # It runs no more, for this session and for the one after a refresh.
    state.forget(done.name)
    if done.outcome is not None:
        state.change(**done.changes(getattr(state.draft(), done.draft_part)))
    if done.error is not None:
        state.complain(done.error)


def settle() -> None:
    """Move the outcomes of all jobs that have ended into the draft."""
    for running in (job(), ask_job()):
        if running is not None and running.wait(0):
            finish_job(running)


def ask_job() -> AskJob | None:
    """Return the running inquiry."""
    running: AskJob | None = state.read_value("ask_job")
    return running


def start_asking(inquiry: Inquiry) -> None:
    """Start to answer an inquiry in a thread of its own, unless one is being answered.

    SynthError if the dataset has no budget yet and the typed one is invalid.
    """
    source = state.draft().source
    if ask_job() is not None or source is None:
        return
    if spent := inquiry.arrangement.spending:
        budgets.set_first_budget(spent)
    state.keep(
        "ask_job", AskJob(source, inquiry, ledger=budgets.ledger(), folder=state.folder())
    )
