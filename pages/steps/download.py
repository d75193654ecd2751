"""Step 6: the files of a release, all public."""

from operator import attrgetter
from pathlib import Path

import streamlit as st

from pages.ui.frame import frame
from pages.ui.release.accepting import writing
from pages.ui.release.publishing import may_publish, review
from pages.ui.release.watching import watch
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.ending import end_page
from pages.ui.shell.exports import other_formats
from pages.ui.shell.job import BUNDLE
from pages.ui.shell.promise import first_line, show_promise
from pages.ui.shell.release import Release
from pages.ui.shell.widgets import offer_file, show_command
from pages.ui.shell.words import command_line
from synth.bundle import CERTIFICATE, DOMAIN, NOISY, SYNTHETIC, sha256

FILES = {
    BUNDLE: ("Download bundle", "application/zip", ":material/folder_zip:"),
    SYNTHETIC: ("Download table", "text/csv", ":material/table:"),
    NOISY: ("Download noisy counts", "text/csv", ":material/bar_chart:"),
    DOMAIN: ("Download description", "application/json", ":material/schema:"),
    CERTIFICATE: ("Download certificate", "application/json", ":material/verified:"),
}


def offer(release: Release, name: str) -> None:
    """Show the download button of one file of a release.

    ``name`` is the file's name, a key of ``release.files``. The button of the bundle stands
    out.
    """
    path = release.files[name]
    label, mime, icon = FILES.get(name, ("Download", None, ":material/description:"))
    caption = (f"{label} ({name}, {size(path)})", mime, icon)
    offer_file(name, path, caption, is_first=name == BUNDLE)


def size(path: Path) -> str:
    """Return the size of a file in words, such as "2.3 MB" or "12.0 kB"."""
    length = path.stat().st_size  # in bytes
    # From 100 kB on in MB, so that at most three digits precede the point.
    return f"{length / 1e6:.1f} MB" if length >= 1e5 else f"{length / 1e3:.1f} kB"


with frame.step("download") as draft:
    running = state.job()
    if running is not None:
        watch(running, st.empty())
    badge(Lane.DP)
    newest = list(reversed(draft.releases))
    release = newest[0]
    if len(newest) > 1:
        release = st.selectbox("Release", newest, format_func=attrgetter("title"))
    first_line(release)
    if not release.files:
        writing(release)
        end_page()
    with st.container(horizontal=True):
        offer(release, BUNDLE)
        offer(release, SYNTHETIC)
    st.caption(
        "The bundle holds every file: the table as CSV and Parquet, the certificate, a "
        "statement, a data dictionary and a report. Check it with `synth verify "
        "bundle.zip`."
    )
    may_publish(release)
    review(draft, release)
    with st.expander("Other files", icon=":material/draft:"), st.container(horizontal=True):
        for name in release.files:
            if name not in (BUNDLE, SYNTHETIC):
                offer(release, name)
    with st.expander("For Excel, SPSS, Stata and SAS", icon=":material/table_convert:"):
        digest = sha256(release.files[CERTIFICATE])
        other_formats(release.result.synthetic, digest, "released")
    show_promise(release)
    table = release.source.title if release.source else release.plan.dataset
    note = "The command draws new noise, so it spends epsilon once more."
    show_command(command_line(release.plan, table), note)
    with st.expander("The certificate", icon=":material/verified:"):
        st.json(release.files[CERTIFICATE].read_text(encoding="utf-8"), expanded=2)
