"""Replicates of a release: made with a progress bar, stoppable, then offered as files."""

import shutil
from pathlib import Path

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.numbers import say_count
from pages.ui.shell.widgets import download
from pages.ui.use.choices import Using
from synth import limits
from synth.analysis import MIN_TABLES, check_replicable
from synth.api.replicating import replicates_of
from synth.bundle import (
    CSV,
    FORMATS,
    RULE,
    check_replicates,
    replica_formats,
    warn_unmeasured,
)
from synth.errors import ReleaseError, SynthError
from synth.foreign import in_markdown

_WANTED = "used_several_wanted"
ARCHIVE = "replicates.zip"


def make_replicates(now: Using) -> None:
    badge(Lane.DP)
    st.markdown(
        "For software with multiple imputation. Synth makes several tables from the noisy "
        "counts, each with fresh noise, for free. Prefer the intervals of *Ask* above. Use "
        "these tables for columns that the release measured together."
    )
    try:
        check_replicable(now.analysis.result.plan, now.analysis.result.record)
    except SynthError as error:
        st.info(in_markdown(str(error)))
        return
    if warned := warn_unmeasured(now.analysis.result.record):
        st.info(in_markdown(warned))
    wanted: tuple[int, str] | None = state.said(_WANTED)
    state.keep(_WANTED, None)  # an interrupted run stops the work
    at_work = wanted is not None
    left, middle, right = st.columns([2, 3, 2], vertical_alignment="bottom")
    left.number_input(
        "Tables", MIN_TABLES, limits.REPLICATES, value=5, key="used_several", disabled=at_work
    )
    titles = {one.name: one.title for one in (CSV, *FORMATS.values())}
    middle.segmented_control(
        "As",
        [*titles],
        format_func=titles.__getitem__,
        default=CSV.name,
        required=True,
        key="used_several_as",
        disabled=at_work,
    )
    right.button(
        "Make the tables",
        icon=":material/library_add:",
        on_click=_ask,
        args=(now,),
        disabled=at_work,
        width="stretch",
    )
    if wanted is not None:
        _make(now, *wanted)
        st.rerun()
    _take(now)


@state.guard
def _ask(now: Using) -> None:
    kind = state.said("used_several_as") or CSV.name
    check_replicates(
        now.analysis.result, replica_formats(kind), state.folder().fresh() / "tables"
    )
    state.keep(_WANTED, (int(state.said("used_several") or MIN_TABLES), kind))


def _make(now: Using, tables: int, kind: str) -> None:
    # A script run may end at each sign of progress.
    bar = st.progress(0.0, text=f"Making the first of {say_count(tables, 'table')} …")
    st.button("Stop: no table is kept", icon=":material/stop:", key="used_several_stop")
    place = state.folder().fresh()
    made = replicates_of(now.analysis.result, now.certificate, tables)

    def tell(done: int, of: int) -> None:
        bar.progress(done / of, text=f"Table {done:,} of {of:,}")

    made.save(place / "tables", formats=kind, progress=tell)
    try:
        path = shutil.make_archive(str(place / "replicates"), "zip", place / "tables")
    except OSError:
        raise ReleaseError(
            "The tables cannot be packed: the disk of this server is full."
        ) from None
    shutil.rmtree(place / "tables", ignore_errors=True)
    before: Path | None = state.said(_place(now))
    if before is not None:
        state.folder().drop(before)
    state.keep(_place(now), Path(path))


def _place(now: Using) -> str:
    return f"used_several {now.certificate}"


def _take(now: Using) -> None:
    path: Path | None = state.said(_place(now))
    if path is None or not path.is_file():
        return
    download(
        f"Download {ARCHIVE}",
        path.read_bytes,
        ARCHIVE,
        mime="application/zip",
        icon=":material/download:",
        key="used_several_take",
    )
    st.caption(in_markdown(RULE))
