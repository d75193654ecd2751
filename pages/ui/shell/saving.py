"""Automatic saving of a project: its start, and its stored parts of the draft."""

from dataclasses import replace
from pathlib import Path

from pages.ui.shell.draft import Draft
from pages.ui.shell.saved import choices_of, is_private, known_table
from synth import limits
from synth.plans import KnownTable, Project, new_identifier


def begin_project(draft: Draft) -> Draft:
    """Return the draft with a new project's identifier, if it needs one.

    It needs one if it has a table and no project.
    """
    if draft.source is None or draft.project:
        return draft
    return replace(draft, project=new_identifier())


def is_begun(draft: Draft) -> bool:
    """Return whether the user made any choice."""
    fresh = Draft(fields=tuple({"name": field["name"]} for field in draft.fields))
    return choices_of(draft) != choices_of(fresh)


def project_of(draft: Draft, before: Project | None, uploads: Path) -> Project:
    """Return the project of a draft: a new one, or the next state of the stored one.

    Args:
        draft: All choices of the session.
        before: The stored project; None if the draft was not saved yet.
        uploads: The folder of uploads, whose paths are not stored.
    """
    table = known_table(draft, uploads)
    choices = choices_of(draft)
    if before is None:
        name = " ".join(table.title.split())[: limits.PROJECT_NAME] or "Table"
        return Project(
            identifier=draft.project,
            name=name,
            table=table,
            choices=choices,
            private=is_private(draft),
        )
    return replace(before, table=table, choices=choices, private=is_private(draft))


def copy_project(project: Project, why: str) -> Project:
    """Return a new project of the same content, whose name ends with the reason in brackets.

    It has not been saved and has started no release.
    """
    ending = f" ({why})"
    name = project.name.removesuffix(ending)[: limits.PROJECT_NAME - len(ending)] + ending
    return replace(project, identifier=new_identifier(), name=name, revision=0, started=())


def recognition_note(expected: KnownTable, mark: str) -> str:
    """Return the sentence on whether the chosen table is the file of the reopened project.

    Args:
        expected: The project's table.
        mark: The keyed digest of the chosen table.
    """
    if expected.mark == mark:
        return "This is the table of the project: its declaration and plan are back."
    return (
        "This table has the columns of the project's table but is another file, such as a "
        "newer version: the declaration and plan are kept. Check that they fit."
    )
