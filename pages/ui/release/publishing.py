"""May I publish this? Each file of a release, who may have it, and why: by its certificate."""

from dataclasses import dataclass

import streamlit as st

from pages.ui.shell.release import Release
from synth.bundle import CERTIFICATE, DOMAIN, NOISY, SYNTHETIC
from synth.domain import LOOKED_UP
from synth.foreign import in_markdown

ANYBODY = "Anybody"
WITH_CARE = "Whoever may know the declaration"
NOBODY = "Nobody else"

COVERED = "The guarantee covers it, whatever else anybody knows or does with it."
CARRIES = "It carries the declaration, which was read from the rows; no guarantee covers that."


@dataclass(frozen=True)
class Verdict:
    """Who may have a file, and why."""

    file: str
    what: str
    who: str
    why: str


def verdicts(release: Release) -> list[Verdict]:
    """What the certificate's facts say of each file, and of what is shown and is no file."""
    certificate = release.result.certificate
    vouched = certificate.declaration is not None and certificate.declaration.taken_is_public
    looked_up = certificate.domain_origin == LOOKED_UP and not vouched
    who = WITH_CARE if looked_up else ANYBODY
    why = CARRIES if looked_up else COVERED
    declared = CARRIES if looked_up else "It was declared beforehand, and says nothing of the rows."
    told = "It tells what was promised and how, and lets anybody check the rest."
    files = {
        SYNTHETIC: ("The synthetic table", why),
        NOISY: ("Noisy counts", why),
        DOMAIN: ("The declared domain", declared),
        CERTIFICATE: ("The certificate", CARRIES if looked_up else told),
        "bundle.zip": ("All of them, with the statement and the report", why),
    }
    there = [
        Verdict(name, what, who, because)
        for name in release.files
        for what, because in [files.get(name, ("Another file of the release", why))]
    ]
    return [*there, *KEPT]


KEPT = (
    Verdict(
        "the page Compare",
        "Real against synthetic",
        NOBODY,
        "It reads the confidential table; its numbers are for you, and for no slide.",
    ),
    Verdict(
        "the confidential table",
        "The table itself",
        NOBODY,
        "A release changes nothing about who may see the real rows.",
    ),
    Verdict(
        "ledger.db and its key",
        "What was spent",
        NOBODY,
        "With the key somebody could test whether a file is your table.",
    ),
)
"""What is no file of a release, and stays."""


def may_publish(release: Release) -> None:
    """The table, and what comes first in one sentence."""
    st.header("May I publish this?")
    found = verdicts(release)
    if any(one.who == WITH_CARE for one in found):
        st.warning(
            "**Not without asking.** The declaration was read from the rows, and every file "
            "carries it. The guarantee is about all the rest.",
            icon=":material/front_hand:",
        )
    else:
        st.success(
            "**Yes, every file on this page.** What protects people is the noise, not that the "
            "files are hard to get.",
            icon=":material/public:",
        )
    rows = "\n".join(
        f"| {in_markdown(one.file)} | {one.what} | **{one.who}** | {one.why} |" for one in found
    )
    st.markdown(f"| File | What it is | Who may have it | Why |\n|---|---|---|---|\n{rows}")
