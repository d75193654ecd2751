"""The declaration as a spreadsheet: cells typed into, pasted, undone; what is wrong stays."""

from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.domain.remarks import left_out, open_notes, wrong
from pages.ui.domain.sheet import Edited, Seed, apply_edits, items, row, write_list
from pages.ui.shell.draft import Draft
from pages.ui.shell.history import History
from synth.domain import Column
from tests.app.steward import press, visit
from tests.wide import wide_draft


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    """Eight columns c000 to c007, one of each kind, of which the last two are not
    declared.
    """
    wide = wide_draft(tmp_path, 8)
    open_ = [{"name": f["name"]} for f in wide.fields[6:]]
    return replace(wide, fields=(*wide.fields[:6], *open_))


def type_into(draft: Draft, edits: dict[int, dict[str, Any]], troubles: Any = None) -> Edited:
    """Return the result of edits in the sheet: row number, then heading and new content."""
    names = [field["name"] for field in draft.fields]
    return apply_edits(draft, names, edits, troubles=troubles or {}, ticked=frozenset())


def test_a_pasted_block_declares_columns_of_all_kinds(draft: Draft) -> None:
    """A block that is pasted into the sheet declares columns of several kinds at once.

    Edits are given by row and heading. They set categories, an integer with bins and single
    values of its own, years of dates, and a column left out.
    """
    edited = type_into(
        draft,
        {
            0: {"values": "yes; no, or so"},
            1: {"low": "0", "high": "60", "bins": "0; 30; 60", "values": "40, 99"},
            4: {"bins": "year", "outside": "drop row", "missing": False},
            6: {"low": "1", "high": "9", "kind": "integer"},
            7: {"values": "1, 2", "use": False},
        },
    )

    assert not edited.troubles
    domain = edited.draft.declared_domain
    assert domain["c000"].labels == ("yes", "no, or so")
    # Bins from 0 and from 30, cut at the spike 40; the spike 99 is above the bounds.
    assert domain["c001"].labels == ("0 to 29", "30 to 39", "40", "41 to 60", "99")
    # The dates are from 2020 to 2024, which are five years.
    assert (domain["c004"].size, domain["c004"].rule.value) == (5, "drop")
    assert domain["c006"].labels[0] == "1"
    assert domain["c007"].labels == ("1", "2")
    # All but c007, whose tick was taken away.
    assert edited.draft.chosen_names == tuple(f"c00{i}" for i in range(7))


@pytest.mark.parametrize(
    ("column", "heading", "text", "why"),
    [
        (
            0,
            "low",
            "5",
            "Column 'c000': a categorical column has no lowest and no highest value.",
        ),
        (
            1,
            "bins",
            "many",
            "Column 'c001': 'many' is no number of bins, no edges and none of day",
        ),
        (1, "bins", "month", "Column 'c001': month is for dates only."),
        (1, "kind", "colour", "Column 'c001': 'colour' is no kind; there are categorical"),
        (1, "outside", "shout", "Column 'c001': 'shout' is no rule; there are usual"),
        (2, "values", "a; b", "Column 'c002': a boolean column lists no values"),
        (0, "values", "1,000 values, see the card", "Column 'c000': copy a long list in"),
    ],
)
def test_what_cannot_be_is_told_with_its_column_and_stays_typed(
    draft: Draft, column: int, heading: str, text: str, why: str
) -> None:
    """A cell that makes no sense changes no declaration, is reported with its column, and
    keeps its text. Once it is corrected, the report goes away. Each case is a row, a heading,
    the wrong text, and the report.
    """
    edited = type_into(draft, {column: {heading: text}})
    name = draft.fields[column]["name"]
    assert edited.draft.fields == draft.fields
    assert edited.troubles[name, heading].why.startswith(why)
    assert why.split(";")[0] in wrong(edited.draft, edited.troubles)[name]

    again = Seed.from_draft(edited.draft, [name], edited.troubles, ticked=frozenset())
    assert again.rows[0][heading] == text

    right = {"low": "", "bins": "3", "kind": "integer", "outside": "usual", "values": "1; 0"}
    mended = type_into(
        edited.draft, {column: {"kind": "categorical", heading: right[heading]}}
    )
    # Bins make no sense for the categorical column that this one has become.
    assert (name, heading) not in mended.troubles or heading == "bins"


def test_a_wrong_bound_is_kept_in_the_declaration_and_told(draft: Draft) -> None:
    """A wrong bound or list stays visible in its cell, is reported, and the report goes once
    it is corrected.
    """
    edited = type_into(draft, {1: {"low": "abc"}, 0: {"values": "1; 1"}})
    assert row(edited.draft, "c001", edited.draft.field_of("c001"))["low"] == "abc"
    troubles = wrong(edited.draft, edited.troubles)
    assert "'abc' is not a finite number" in troubles["c001"]
    assert troubles["c000"] == "Column 'c000' lists the category '1' twice."

    assert not wrong(type_into(edited.draft, {1: {"low": "0"}, 0: {"values": "1"}}).draft, {})


@pytest.mark.parametrize(
    "values", [["a"], ["a, b"], ["a;b"], ["a, b", "c"], ["a;b", "c, d"], []]
)
def test_a_list_is_read_as_it_is_written(values: list[str]) -> None:
    """A list of categories that is written into one cell of the sheet is read back as it was.

    The cases have commas and semicolons within a category, which also separate categories.
    """
    assert items(write_list(values)) == values


def test_labels_stay_with_the_codes_that_stay(draft: Draft) -> None:
    """If the list of codes is edited, a code that stays keeps its label.

    Codes 0 and 1 have labels; the new list has 1 and 2, so only the label of 1 stays.
    """
    coded_field = {
        **draft.fields[0],
        "categories": [{"value": c, "label": f"no {c}"} for c in "01"],
    }
    edited_draft = type_into(
        draft.with_field("c000", coded_field), {0: {"values": "1; 2"}}
    ).draft
    assert edited_draft.declared_domain["c000"].meanings == {"1": "no 1"}


def test_a_sheet_stays_while_only_it_changes_the_declaration(draft: Draft) -> None:
    """The sheet is drawn anew, and loses the user's place, only if something else changed the
    columns. The browser always sends all edits since the last drawing, so `new` finds those
    that were not applied yet.
    """
    names = [field["name"] for field in draft.fields]
    seed = Seed.from_draft(draft, names, {}, ticked=frozenset())
    edits = {7: {"values": "1,2"}}
    assert seed.new(edits) == {7: {"values": "1,2"}}

    edited = type_into(draft, edits)
    after = seed.with_edits(edited.draft, edits, edited.troubles)
    assert after is not None
    assert after.shows(edited.draft, names)
    assert after.rows[7]["kind"] == "categorical"  # it follows from the list

    # All edits are applied; an edit that the browser no longer sends was undone there.
    assert after.new(edits) == {}
    assert after.new({}) == {7: {"values": None}}

    # Fewer columns, or a field that was changed elsewhere, need another sheet.
    assert not after.shows(edited.draft, names[:3])
    assert not after.shows(edited.draft.with_field("c000", {"name": "c000"}), names)

    more_edits = {1: {"low": "7", "bins": "0; 50"}}  # edges set the bounds
    edited = type_into(draft, more_edits)
    assert seed.with_edits(edited.draft, more_edits, edited.troubles) is None


def test_a_column_takes_part_again_once_its_wrong_cell_is_undone(draft: Draft) -> None:
    """A bound that is no number takes its column out, and the sheet shows no tick under
    "use". With the old bound typed again, the browser sends no edit of that row any more, and
    the tick is back.
    """
    names = [field["name"] for field in draft.fields]
    seed = Seed.from_draft(draft, names, {}, ticked=frozenset())
    assert seed.rows[1]["use"]

    wrong_edits = {1: {"low": "abc"}}
    edited = type_into(draft, wrong_edits)
    after = seed.with_edits(edited.draft, wrong_edits, edited.troubles)
    assert after is not None
    assert not after.rows[1]["use"]

    mended = type_into(edited.draft, after.new({}))
    again = after.with_edits(mended.draft, {}, mended.troubles)
    assert again is not None
    assert again.rows == seed.rows


def test_history_goes_back_and_forth_and_forgets_what_was_undone(draft: Draft) -> None:
    """Undo and redo go through the different states of a declaration.

    Unchanged states are no steps, a new edit forgets what was undone, and another table
    forgets all. `can(n)` says whether n steps forward, or back if negative, are possible.
    """
    # Three different states: the draft, a new list in c000, and c001 left out.
    history = History()
    first = draft
    second = type_into(draft, {0: {"values": "1"}}).draft
    for state in (first, first, second, second.change(left_out=frozenset({"c001"}))):
        history.see(state)
    assert history.can(-2)
    assert not history.can(-3)

    back = history.go(second, -1)
    assert back.left_out == frozenset()
    assert history.go(back, -1).fields is first.fields

    history.see(history.go(back, 1))
    assert history.can(1)

    # A new edit after an undo.
    third = type_into(first, {0: {"values": "9"}}).draft
    history.see(third)
    assert not history.can(1)

    # Another table.
    assert third.source is not None
    other_table = replace(third.source.table, path=Path("other.csv"))
    history.see(replace(third, source=replace(third.source, table=other_table)))
    assert not history.can(-1)


def test_remarks_vanish_when_they_are_mended(draft: Draft) -> None:
    """Remarks on an import vanish once they are dealt with.

    A remark goes once its column is declared, and the list of undeclared columns gets
    shorter. A remark that asks for nothing stays.
    """
    notes = (
        "Column 'c006' needs bounds.",
        "In the table and not in the declaration: c006, c007.",
        "Column 'c000': as it was imported.",
    )

    noted = replace(draft, notes=notes)
    fields = {f["name"]: f for f in noted.fields}
    assert open_notes(noted, fields) == list(notes)

    edited_draft = type_into(noted, {6: {"kind": "integer", "low": "0", "high": "9"}}).draft
    assert open_notes(edited_draft, fields) == [
        "In the table and not in the declaration: c007.",
        "Column 'c000': as it was imported.",
    ]
    assert open_notes(type_into(edited_draft, {7: {"values": "1"}}).draft, fields) == [
        notes[2]
    ]


def test_columns_left_out_have_their_reasons(draft: Draft) -> None:
    """Each column that takes no part has a reason: the user's choice, a note, no declaration,
    or no such column in the table. The columns gone and email are in the declaration only.
    """
    noted = replace(
        draft,
        notes=("Column 'c006' is left open: a key.",),
        left_out=frozenset({"c000"}),
        fields=(*draft.fields, {"name": "gone"}, {"name": "email"}),
    )

    assert left_out(noted) == {
        "c000": "You left it out.",
        "c006": "Column 'c006' is left open: a key.",
        "c007": "Column 'c007' is not declared yet.",
        "gone": "It is not in the table.",
        "email": "It is not in the table.",
    }


def sheet_key(app: AppTest) -> str:
    """Return the key of the sheet; it changes when the sheet is drawn anew."""
    return f"overview_{app.session_state['number_overview']}"


def test_seventy_six_columns_are_drawn_in_less_than_a_third_of_a_second(
    tmp_path: Path,
) -> None:
    """The page of a table of 76 columns is drawn again so fast that a user need not wait.

    It takes 0.1 seconds of processor time on a quiet machine, and may take 0.6 here.
    """
    app = visit("domain", wide_draft(tmp_path, 76))
    assert not app.exception
    assert len(app.data_editor[0].value) == 76

    start = process_time()
    app.session_state["draft"] = app.session_state["draft"].change(about_rows=20_000)
    app.run()
    assert process_time() - start < 0.6


def test_undo_brings_back_what_many_columns_were(tmp_path: Path) -> None:
    """Eight columns that were left out with one button come back with one, and can be left
    out again.
    """
    before = wide_draft(tmp_path, 8)
    app = visit("domain", before)
    first = sheet_key(app)

    press(app, "Leave out")
    assert app.session_state["draft"].domain is None
    assert sheet_key(app) != first  # the sheet is drawn anew

    press(app, "Undo")
    now: Draft = app.session_state["draft"]
    assert now.fields == before.fields
    assert len(now.chosen_names) == 8

    press(app, "Redo")
    assert app.session_state["draft"].domain is None
    assert "Left out: 8 columns" in [e.label for e in app.expander]
    assert all(isinstance(c, Column) for c in now.columns.values())
