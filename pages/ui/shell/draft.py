"""The steward's choices so far: one frozen draft without any screen.

Each step adds a class to the one before: declared columns (`draft_columns`), looks
(`draft_look`), the plan (`draft_plan`), and here the releases and answers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from pages.ui.shell.ask_choices import Choices
from pages.ui.shell.draft_plan import Planned
from pages.ui.shell.job import Answered
from pages.ui.shell.release import Release, Source
from synth.domain import FrozenMap
from synth.errors import SynthError
from synth.plans import KnownTable
from synth.util import omitted


@dataclass(frozen=True, eq=False, kw_only=True)
class Draft(Planned):
    """All choices of one session.

    Attributes:
        releases: The paid ones, oldest first.
        asking: The choices of the step Ask.
        answers: The paid ones, oldest first.
        dossier: The typed answers of dossiers, by question.
        project: Its identifier; empty before a table is chosen.
        expected: The table that a reopened project waits for.
    """

    releases: tuple[Release, ...] = field(default=(), repr=False)
    asking: Choices = field(default_factory=Choices)
    answers: tuple[Answered, ...] = field(default=(), repr=False)
    dossier: Mapping[str, str] = omitted(FrozenMap())
    project: str = ""
    expected: KnownTable | None = None

    @property
    def release(self) -> Release | None:
        """Return the latest release of the current table."""
        return next((r for r in reversed(self.releases) if r.source is self.source), None)

    @property
    def earlier_release(self) -> Release | None:
        """Return the latest release of the table by the current plan; None without one.

        SynthError if the plan is not complete.
        """
        plan = self.plan()
        of_this_table = (r for r in reversed(self.releases) if r.source is self.source)
        return next((r for r in of_this_table if r.follows(plan)), None)

    @property
    def waiting(self) -> Release | None:
        """Return a release from a bundle whose table was not chosen yet."""
        return next((r for r in reversed(self.releases) if r.source is None), None)

    def follows_plan(self, release: Release) -> bool:
        """Return whether a release was made by the current plan.

        An incomplete plan has no release.
        """
        try:
            return release.follows(self.plan())
        except SynthError:
            return False

    def with_source(self, source: Source) -> Self:
        """Return the draft with a changed record of its table.

        The table's releases and answers get it too. They refer to their table by identity, so
        they must refer to the new record.
        """
        releases = [
            replace(release, source=source) if release.source is self.source else release
            for release in self.releases
        ]
        answers = [
            replace(answered, source=source) if answered.source is self.source else answered
            for answered in self.answers
        ]
        return replace(self, source=source, releases=tuple(releases), answers=tuple(answers))

    def with_release(self, opened: Release) -> Self:
        """Return the draft with a release from a bundle, and with the bundle's plan.

        The current table is put aside if it lacks a column of the release.
        """
        source = None if self.source is None or _lacks(self.source, opened) else self.source
        drafted = replace(self, source=source).with_plan(opened.plan.to_json())
        return replace(drafted, releases=(*self.releases, replace(opened, source=source)))


def start(source: Source, before: Draft) -> Draft:
    """Return the draft for a newly chosen table.

    The declaration is kept if the table is the one before, perhaps read in another way, or
    the table of the reopened project. A release from a bundle is taken over by a table with
    all its columns.

    Args:
        source: The new table.
        before: The draft so far.
    """
    old = before.source
    waiting = before.waiting  # a release from a bundle, without its table
    if waiting is not None and not source.simulated and not _lacks(source, waiting):
        others = tuple(r for r in before.releases if r is not waiting)
        return replace(before, source=source, releases=others).with_release(waiting)
    if old is not None and not old.simulated and _is_same_table(source, old):
        return _read_anew(source, before)
    if _is_expected(source, before.expected):
        return replace(before, source=source, expected=None)
    # Another table: only the epsilon, the neighbours and what was paid for are kept.
    names = dict.fromkeys(name for name in source.table.header if name)
    return Draft(
        source=source,
        fields=tuple({"name": name} for name in names),
        epsilon=before.epsilon,
        neighbors=before.neighbors,
        releases=before.releases,
        answers=before.answers,
    )


def _is_same_table(source: Source, old: Source) -> bool:
    """Return whether a table is the one before: its file read anew, or the same bytes."""
    is_same_content = bool(source.mark) and source.mark == old.mark
    return source.table.path == old.table.path or is_same_content


def _read_anew(source: Source, before: Draft) -> Draft:
    """Return the draft for the same table, read in the same way or in another.

    Columns that it still has keep their descriptions. Its releases stay with it if it is
    read in the same way.
    """
    assert before.source is not None
    if before.source.table.asked == source.table.asked:
        return before.with_source(source)
    names = dict.fromkeys(name for name in source.table.header if name)
    if tuple(names) == tuple(field["name"] for field in before.fields):
        return replace(before, source=source)
    known_fields = {field["name"]: field for field in before.fields}
    return before.change(
        source=source,
        fields=tuple(known_fields.get(name, {"name": name}) for name in names),
        left_out=before.left_out & names.keys(),
        person=before.person if before.person in names else "",
        open_column="",
    )


def _is_expected(source: Source, table: KnownTable | None) -> bool:
    """Return whether a table has the header of the one that the reopened project had.

    ``table`` is the project's table; None without such a project. Simulated tables and real
    ones never match.
    """
    return (
        table is not None
        and table.simulated == source.simulated
        and table.header == tuple(source.table.header)
    )


def _lacks(source: Source, release: Release) -> bool:
    """Return whether a table lacks a column of a release, or its column of persons."""
    person = {release.plan.unit.person} - {""}
    return not {*release.plan.domain.names, *person} <= set(source.table.header)


def why_locked(draft: Draft, step: str) -> str | None:
    """Return the sentence why a step cannot be used yet; None if it can.

    ``step`` is the page's name, such as ``domain`` or ``release``.
    """
    if step in ("data", "learn"):
        return None
    if step == "download" and draft.releases:
        return None
    if draft.source is None and draft.expected is not None:
        return (
            f"Choose the table of the project, '{draft.expected.title}', in the step Data "
            "first."
        )
    if draft.source is None:
        return "Choose a table in the step Data first."
    if step == "domain":
        return None
    if draft.domain is None:
        return "Describe at least one column in the step Domain first."
    try:
        if step == "release":
            draft.plan()
    except SynthError as error:
        return str(error)
    if step in ("compare", "download") and draft.release is None:
        return "Make a release first; there is nothing to show yet."
    return None
