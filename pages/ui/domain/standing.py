"""The standing of each column: whether it goes on, what waits for the user, what is out."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from pages.ui.domain.remarks import left_out
from pages.ui.shell.declaration import Field
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from synth.domain import Column, name_kind
from synth.drafting import Review, describe_losses, describe_values
from synth.errors import name_some

# Most columns that a sentence names.
NAMED_COLUMNS = 8


class Status(StrEnum):
    """What becomes of a column as it is, by the word that the table shows.

    The order is that of the table: what needs a decision comes first.
    """

    # It stays out until the user decides.
    DECIDE = "decide"
    # It goes on, and there is a remark to look at.
    CHECK = "check"
    CLEAR = "clear"
    # It goes on without cells: by a rule, or with drawn IDs.
    FOLLOWS = "by a rule"
    DRAWN = "drawn IDs"
    # Nobody has described it, and nothing goes on yet.
    BLANK = "describe"
    OUT = "out"


GOES_ON = (Status.CHECK, Status.CLEAR, Status.FOLLOWS, Status.DRAWN)


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One column in the table of columns.

    Attributes:
        name: Its name.
        status: What becomes of it.
        kind: Its kind; empty without one.
        values: Its values in words, or why it is out.
        lost: What it loses, what is asked, or why it waits, each a sentence or phrase.
        lock: Why its tick cannot be changed; empty if it can.
    """

    name: str
    status: Status
    kind: str
    values: str
    lost: tuple[str, ...]
    lock: str


def list_standings(draft: Draft, questions: Mapping[str, str]) -> dict[str, Standing]:
    """Return the standing of each column, by name, in the order of the table's columns.

    Args:
        draft: All choices of the session.
        questions: The open question on each column, by its name.
    """
    out = left_out(draft)
    derived_names = {str(new["name"]) for new in draft.derived}
    drawn_names = {identifier.name for identifier in draft.identifiers}
    absent_names = {*draft.absent()}
    standings = {}
    for field in draft.fields:
        name = field["name"]
        status = _find_status(draft, field, is_asked=name in questions, is_out=name in out)
        if name in out and name in derived_names:
            status = Status.DRAWN if name in drawn_names else Status.FOLLOWS
        column = draft.columns[name]
        lock = ""
        if not isinstance(column, Column):
            lock = "Describe it first."
        elif name in absent_names:
            lock = "The table has no such column."
        elif status in (Status.FOLLOWS, Status.DRAWN):
            lock = out[name]
        why = questions.get(name, "") or out.get(name, "")
        if status is Status.BLANK:
            why = "Nobody has described this column yet."
        standings[name] = Standing(
            name=name,
            status=status,
            kind=name_kind(field) or "",
            values=_say_values(draft, name),
            lost=_list_lost(draft, name, why),
            lock=lock,
        )
    return standings


def _find_status(draft: Draft, field: Field, *, is_asked: bool, is_out: bool) -> Status:
    """Return the status of a column, unless it follows from others or has drawn IDs."""
    if is_asked:
        return Status.DECIDE if is_out else Status.CHECK
    if not is_out:
        return Status.CLEAR
    is_begun = draft.domain is not None
    is_described = "type" in field
    if not is_begun and not is_described and field["name"] not in draft.left_out:
        return Status.BLANK
    return Status.OUT


def _say_values(draft: Draft, name: str) -> str:
    """Return the described values of a column in words; empty without a description."""
    column = draft.columns[name]
    if not isinstance(column, Column):
        return ""
    looked = draft.look.get(name)
    if looked is None or looked.field != draft.field_of(name):
        return describe_values(column)
    return describe_values(column, looked.loss)


def _list_lost(draft: Draft, name: str, why: str) -> tuple[str, ...]:
    """Return what a column loses by a look, or else why it waits or is out.

    Args:
        draft: All choices of the session.
        name: The column.
        why: The open question on it, or why it is out; empty if it goes on.
    """
    looked = draft.look.get(name)
    if looked is None or looked.field != draft.field_of(name):
        return (why,) if why else ()
    losses = tuple(describe_losses(looked))
    if not why:
        return losses
    if looked.reason not in why:  # the question is not from the look
        return (why, *losses)
    asks_about_loss = looked.loss.is_large and looked.review is Review.QUESTIONS
    if asks_about_loss:  # the losses say the same in words
        return losses
    return (f"It {looked.reason}.", *losses)


def sum_up(standings: Mapping[str, Standing]) -> str:
    """Return how many columns go on, which wait for the user, and which are out.

    Args:
        standings: The standing of each column, by its name.
    """
    names = {status: _names_of(standings, status) for status in Status}
    goes_on = sum(len(names[status]) for status in GOES_ON)
    total = say_count(len(standings), "column")
    if len(names[Status.BLANK]) == len(standings):
        return f"{total}, none described yet."
    sentences = [f"{goes_on:,} of {total} {'goes' if goes_on == 1 else 'go'} on."]
    for status, words in ((Status.DECIDE, "wait for you"), (Status.OUT, "out")):
        count = len(names[status])
        if status is Status.DECIDE and count == 1:
            words = "waits for you"
        if count:
            named = name_some(names[status], NAMED_COLUMNS)
            sentences.append(f"{count:,} {words}: {named}.")
    return " ".join(sentences)


def _names_of(standings: Mapping[str, Standing], status: Status) -> list[str]:
    return [name for name, standing in standings.items() if standing.status is status]


def waiting_names(standings: Mapping[str, Standing]) -> list[str]:
    """Return the columns that stay out until the user decides."""
    return _names_of(standings, Status.DECIDE)


def sort_names(names: list[str], standings: Mapping[str, Standing]) -> list[str]:
    """Return names of columns, with those first that need a decision or a look."""
    urgent = [
        name
        for status in (Status.DECIDE, Status.CHECK)
        for name in names
        if standings[name].status is status
    ]
    return [*urgent, *(name for name in names if name not in {*urgent})]
