"""The files of a release: the three that a steward hands on, and all others."""

import itertools
from collections.abc import Sequence
from pathlib import Path, PurePath

import streamlit as st

from pages.ui.release.publishing import is_in_review
from pages.ui.shell import state
from pages.ui.shell.exports import other_formats
from pages.ui.shell.release import Release
from pages.ui.shell.release_job import BUNDLE
from pages.ui.shell.widgets import download
from synth.bundle import (
    CERTIFICATE,
    DDI,
    DICTIONARY,
    DOMAIN,
    NOISY,
    OPEN_PAGE,
    PARQUET,
    STATEMENT,
    SYNTHETIC,
    base_name,
    clean_stem,
    download_name,
    sha256,
)
from synth.estimate import REPAIRS
from synth.foreign import in_markdown

# What a steward hands on. Whoever works with the rows needs the table and nothing else. A
# board or a reader asks what is promised, and reads it in plain words. Whoever doubts it, now
# or in ten years, needs the bundle: it has all files, and `verify` checks them without the
# table.
HANDED_ON = {
    SYNTHETIC: (
        "Download table",
        "text/csv",
        "The rows, with commas between cells and points in numbers, for everyone.",
    ),
    STATEMENT: (
        "Download statement",
        "text/plain",
        "What is promised, in plain words, for boards and readers.",
    ),
    BUNDLE: (
        "Download bundle",
        "application/zip",
        "All files with the certificate, for whoever checks or keeps them.",
    ),
}
# Every one of them is in the bundle, too.
OTHERS = {
    OPEN_PAGE: (
        "Download page",
        "text/html",
        "What is promised and measured, with charts; it checks the bundle in a browser.",
    ),
    PARQUET: ("Download Parquet", "application/vnd.apache.parquet", "The rows as Parquet."),
    DICTIONARY: ("Download dictionary", "text/csv", "The possible values of each column."),
    DDI: ("Download DDI", "application/xml", "The code book for data archives."),
    DOMAIN: ("Download description", "application/json", "The columns, for the next table."),
    NOISY: ("Download noisy counts", "text/csv", "The counts that the rows were drawn from."),
    CERTIFICATE: (
        "Download certificate",
        "application/json",
        "The guarantee and all facts, for programs.",
    ),
}
ICON = ":material/download:"
# Most letters that can be typed as a name; a name is cut where systems need it shorter.
MAX_TYPED = 200


def number_among(releases: Sequence[Release], release: Release) -> int:
    """Return 1, or a larger number if earlier releases would have files of the same names.

    They are of the same table, epsilon and day.

    Args:
        releases: All releases of the session, oldest first.
        release: One of them.
    """
    earlier = itertools.takewhile(lambda other: other is not release, releases)
    return 1 + sum(_proposed_base(other) == _proposed_base(release) for other in earlier)


def label_releases(releases: Sequence[Release]) -> list[str]:
    """Return a label for each release, by which a list tells them apart.

    It has the data and the cost. Where these are those of another release, the day of the
    spend and the repair of the counts follow if they differ, and otherwise a number.

    Args:
        releases: All releases of the session, oldest first.
    """
    labels = [release.title for release in releases]
    days = [release.result.certificate.created[:10] for release in releases]
    repairs = [f"drawn by {REPAIRS[release.repair].title}" for release in releases]
    for facts in (days, repairs):
        labels = _tell_apart(labels, facts)
    return [
        f"{label}, number {number}"
        if (number := labels[: place + 1].count(label)) > 1
        else label
        for place, label in enumerate(labels)
    ]


def _tell_apart(labels: Sequence[str], facts: Sequence[str]) -> list[str]:
    """Return labels with a fact each, where those with the same label have other facts.

    >>> _tell_apart(["a", "a", "b"], ["2026-11-29", "2026-11-30", "2026-11-30"])
    ['a, 2026-11-29', 'a, 2026-11-30', 'b']
    >>> _tell_apart(["a", "a"], ["2026-11-30", "2026-11-30"])
    ['a', 'a']
    """
    facts_by_label: dict[str, set[str]] = {}
    for label, fact in zip(labels, facts, strict=True):
        facts_by_label.setdefault(label, set()).add(fact)
    return [
        f"{label}, {fact}" if len(facts_by_label[label]) > 1 else label
        for label, fact in zip(labels, facts, strict=True)
    ]


def _proposed_base(release: Release) -> str:
    return base_name(release.result.certificate, _title(release))


def choose_base(release: Release, number: int) -> str:
    """Ask how the files are called, and return the beginning of their names.

    The name of the table is only proposed. No file says it: inside them the data has the name
    in the ledger.

    Args:
        release: The release.
        number: Its number among releases whose files have the same names (`number_among`).
    """
    proposed_stem = clean_stem(_title(release))
    place = f"stem of {proposed_stem}"
    stem = state.read_value(place) or proposed_stem

    def store(text: str | None) -> None:
        """Store a typed name as it will be used; without one, the proposal counts again."""
        state.keep(place, clean_stem(text) if text and text.strip() else proposed_stem)

    st.text_input(
        "Name of the files",
        max_chars=MAX_TYPED,
        help="Epsilon and the date of the spend follow it. This name is for your folders: "
        f"inside the files, the data is called '{in_markdown(release.plan.dataset)}'.",
        **state.tie("file_stem", stem, store),
    )
    base = base_name(release.result.certificate, stem)
    return base if number == 1 else f"{base}_{number}"


def _title(release: Release) -> str:
    """Return what the files may be called: the table's file name, without its ending."""
    source = release.source
    if source is None:
        return release.plan.dataset
    return source.title if source.place else PurePath(source.title).stem


def offer_files(release: Release, base: str) -> None:
    """Show the three files to hand on, one line each; the others are folded.

    Args:
        release: The release, whose files are written.
        base: The beginning of their names.
    """
    for name, (label, mime, purpose) in HANDED_ON.items():
        # While the lists wait for their review, the page has another first button.
        is_first = name == SYNTHETIC and not is_in_review(release)
        _line(release.files[name], base, (label, mime, purpose), is_first=is_first)
    with st.expander("More formats", icon=":material/table_convert:"):
        for name, words in OTHERS.items():
            _line(release.files[name], base, words)
        st.markdown("**For Excel, SPSS, Stata and SAS**")
        digest = sha256(release.files[CERTIFICATE])
        other_formats(release.result.synthetic, digest, "released", base=base)


def _line(
    path: Path, base: str, words: tuple[str, str, str], *, is_first: bool = False
) -> None:
    """Show a file on one line: its name, what it is for, its size, and the button.

    Args:
        path: The file, under its name in the bundle.
        base: The beginning of the name under which it is downloaded.
        words: The label of its button, its MIME type, and what it is for.
        is_first: Whether the button is the main one.
    """
    label, mime, purpose = words
    name = download_name(base, path.name)
    text_place, button_place = st.columns([7, 3], vertical_alignment="center")
    text_place.markdown(f"**{in_markdown(name)}** · {say_size(path)}  \n{purpose}")
    download(
        label,
        path.read_bytes,
        name,
        mime=mime,
        place=button_place,
        icon=ICON,
        key=f"download_{path.name}",
        type="primary" if is_first else "secondary",
        width="stretch",
    )


def say_size(path: Path) -> str:
    """Return the size of a file in words, such as "2.3 MB" or "12.0 kB"."""
    length = path.stat().st_size  # in bytes
    # From 100 kB on in MB, so that at most three digits precede the point.
    return f"{length / 1e6:.1f} MB" if length >= 1e5 else f"{length / 1e3:.1f} kB"
