"""Step 6: review what came from the rows, vouch for it, and take the files."""

import streamlit as st

from pages.ui.frame import frame
from pages.ui.release.accepting import writing
from pages.ui.release.dossier import DOSSIER, Subject, offer_dossier
from pages.ui.release.files import choose_base, label_releases, number_among, offer_files
from pages.ui.release.publishing import FOR_YOU_ONLY, review, show_verdict
from pages.ui.release.watching import watch
from pages.ui.shell import at_work
from pages.ui.shell.ending import end_page
from pages.ui.shell.promise import first_line, show_promise
from pages.ui.shell.release_job import BUNDLE
from pages.ui.shell.widgets import show_command
from pages.ui.shell.words import command_line
from synth.bundle import CERTIFICATE, download_name
from synth.foreign import in_code

with frame.step("download") as draft:
    running = at_work.job()
    if running is not None:
        watch(running, st.empty())
    newest = list(reversed(draft.releases))
    release = newest[0]
    if len(newest) > 1:
        labels = dict(
            zip(map(id, draft.releases), label_releases(draft.releases), strict=True)
        )
        release = st.selectbox(
            "Release", newest, format_func=lambda choice: labels.get(id(choice), choice.title)
        )
    first_line(release)
    if not release.files:
        writing(release)
        end_page()
    show_verdict(release)
    review(draft, release)
    st.header("Files")
    base = choose_base(release, number_among(draft.releases, release))
    offer_files(release, base)
    subject = Subject(
        bundle=release.files[BUNDLE],
        certificate=release.result.certificate,
        name=download_name(base, DOSSIER),
    )
    offer_dossier(draft, subject)
    bundle_name = download_name(base, BUNDLE)
    command = f"synth verify {bundle_name}"
    st.caption(f"Check the bundle with {in_code(command)}.")
    st.caption(FOR_YOU_ONLY)
    show_promise(release)
    table = release.source.title if release.source else release.plan.dataset
    note = "The command draws new noise, so it spends epsilon once more."
    show_command(command_line(release.plan, table), note)
    with st.expander("The certificate", icon=":material/verified:"):
        st.json(release.files[CERTIFICATE].read_text(encoding="utf-8"), expanded=2)
