"""The declaration in the editor: imports of all kinds, changes of one column and of many."""

from dataclasses import replace
from pathlib import Path

import pytest

from pages.ui.domain.overview import ODD, OPEN, PART, search_columns
from pages.ui.shell.declaration import (
    Change,
    code_book,
    read_declaration,
    with_book,
    with_cut,
    with_kind,
    with_spikes,
)
from pages.ui.shell.draft import Draft, start
from pages.ui.shell.release import Source
from synth.domain import LOOKED_UP, Date, Integer, Period, name_kind
from synth.drafting import DraftColumn, Review
from synth.errors import DomainError
from synth.private.table import open_table

AGE = {
    "name": "age",
    "type": "integer",
    "constraints": {"minimum": "0", "maximum": "99", "required": True},
}
SEX = {"name": "sex", "type": "string", "constraints": {"enum": ["1", "2"], "required": True}}


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    """The draft of a table with five columns, with nothing declared."""
    path = tmp_path / "people.csv"
    path.write_text("age,sex,income,person_id,note\n41,1,3,7,hm\n", encoding="utf-8")
    return start(Source(title="people.csv", table=open_table(path)), Draft())


def test_sdv_metadata_fills_in_kinds_and_says_what_is_wanting(draft: Draft) -> None:
    """SDV metadata has kinds but no bounds and no categories, which the user is asked for.

    An ID column stays undeclared. Once age has both bounds, it takes part.
    """
    columns = {
        "age": {"sdtype": "numerical", "computer_representation": "Int64"},
        "sex": {"sdtype": "categorical"},
        "person_id": {"sdtype": "id"},
    }
    after = draft.with_declaration({"columns": columns})
    assert [name_kind(f) for f in after.fields] == [
        "integer",
        "categorical",
        None,
        None,
        None,
    ]

    assert after.notes == (
        "Column 'age' needs bounds; SDV metadata does not say them.",
        "Column 'sex' needs categories; SDV metadata does not say them.",
        "Column 'person_id' (id) is left out: it is no category.",
        "In the table and not in the declaration: income, person_id, note.",
    )
    assert after.domain is None

    for end, bound in (("minimum", "0"), ("maximum", "9")):
        field = after.field_of("age")
        constraints = {**field["constraints"], end: bound}
        after = after.with_field("age", {**field, "constraints": constraints})
    assert after.chosen_names == ("age",)


def test_a_half_finished_table_schema_keeps_what_it_says() -> None:
    """An imported schema keeps what can be used, and a note says for each column what is
    missing. AGE has bounds, so it gets the usual 20 bins. A type that Synth does not know
    leaves only the name.
    """
    declaration = read_declaration(
        {
            "fields": [
                AGE,
                {"name": "pay", "type": "number"},
                {"name": "where", "type": "geopoint"},
                {"name": "note", "type": "string", "description": "as said"},
            ],
            "missingValues": ["", "NA"],
        }
    )

    assert declaration.fields["age"]["synth:bins"] == 20
    assert name_kind(declaration.fields["pay"]) == "number"
    assert declaration.fields["where"] == {"name": "where"}
    assert declaration.fields["note"]["description"] == "as said"
    assert declaration.missing_values == ("", "NA")
    assert declaration.notes == (
        "Column 'pay' needs bounds.",
        "Column 'where' needs another kind, as nothing can be made of the type geopoint.",
        "Column 'note' needs categories.",
    )


def test_one_change_declares_many_columns_and_leaves_the_rest_as_it_is(draft: Draft) -> None:
    """One change of bins, missing values and rule applies to each column as far as its kind
    has them. The integer age gets bins and may be missing, the categorical sex may be
    missing, and the undeclared income stays as it is.
    """
    ready = draft.with_declaration({"fields": [AGE, SEX]})
    change = Change(bins=7, missing=True, outside="nearest")
    fields = {f["name"]: change.apply(f) for f in ready.fields}
    assert fields["age"]["synth:bins"] == 7
    assert fields["age"]["constraints"]["required"] is False
    assert fields["sex"]["constraints"] == {"enum": ["1", "2"], "required": False}
    assert "synth:outside" not in fields["sex"]
    assert fields["income"] == {"name": "income"}

    after = ready.with_fields(fields)
    assert after.domain is not None
    # 7 bins of age, 2 categories of sex, and one cell for missing values in each.
    assert after.domain.shape == (8, 3)

    # Columns that were read once are the same as columns that are read again.
    seeded = after.columns
    found_again = replace(after).columns
    assert list(map(str, seeded.values())) == list(map(str, found_again.values()))


def test_many_likert_items_are_declared_at_once() -> None:
    """A pasted list of codes with labels makes columns categorical, even if no kind is
    chosen. A column that has a kind keeps it, and parts of a change that a kind lacks are
    left out. Integers have no calendar period, for example.
    """
    change = Change(kind="categorical", codes="1\tnever\n2\toften", missing=False)
    new = change.apply({"name": "q1"})
    assert new["constraints"] == {"required": True, "enum": ["1", "2"]}
    assert new["categories"] == [
        {"value": "1", "label": "never"},
        {"value": "2", "label": "often"},
    ]
    assert replace(change, kind=None).apply({"name": "q1"}) == new
    assert replace(change, kind=None).apply(AGE)["type"] == "integer"

    dated = Change(kind="date", minimum="2024-01-01", maximum="2024-12-31", period="quarter")
    assert dated.apply({"name": "d"})["synth:period"] == "quarter"
    assert "synth:period" not in Change(period="quarter").apply(AGE)


def test_the_three_ways_to_cut_replace_each_other() -> None:
    """A number of bins, a list of edges and a calendar period exclude each other: the last
    one counts. Edges set the bounds as well. Without a number, no bins are set and the rest
    stays.
    """
    new = with_cut(AGE, "synth:bins", 5)

    new = with_cut(new, "synth:edges", ["0", "50", "90"])
    assert "synth:bins" not in new
    assert new["constraints"]["maximum"] == "90"

    new = with_cut(new, "synth:period", "day")
    assert "synth:edges" not in new
    assert "synth:period" not in with_cut(new, "synth:bins", 5)

    assert with_cut(new, "synth:bins", None) == new


def test_spikes_keep_their_labels_when_others_are_added() -> None:
    """A spike is a single value with a cell of its own.

    A spike that stays in an edited list keeps its label, and an empty list removes them all.
    """
    field = {**AGE, "synth:spikes": [{"value": "99", "label": "unknown"}, 0]}
    assert with_spikes(field, ["99", "40"])["synth:spikes"] == [
        {"value": "99", "label": "unknown"},
        "40",
    ]
    assert "synth:spikes" not in with_spikes(field, [])


@pytest.mark.parametrize(
    ("text", "book"),
    [
        ("1, male\n2, female, or so", {"1": "male", "2": "female, or so"}),
        ("1\tA=b\n2\tC", {"1": "A=b", "2": "C"}),
        ('"01";"yes"\n"02";"no"', {"01": "yes", "02": "no"}),
        ("1 = one\n2 = two\n", {"1": "one", "2": "two"}),
        ("Value,Meaning\n1,one", {"1": "one"}),
        ("1\tone\n2\t\n3", {"1": "one", "2": "", "3": ""}),
        ("a\nb, c", {"a": "", "b, c": ""}),
        ("a, b, c", {"a": "", "b": "", "c": ""}),
        ("", {}),
    ],
)
def test_a_pasted_code_book(text: str, book: dict[str, str]) -> None:
    """A pasted code book is read line by line as code and label, whichever mark stands
    between them. Commas, tabs, semicolons and equals signs are such marks, and a line of
    headings is left out. A list without labels gives empty ones.
    """
    assert code_book(text) == book


def test_a_code_book_replaces_the_list_and_its_labels() -> None:
    """A new code book for a column leaves nothing of the old one, neither codes nor labels.

    Choosing the kind that the column already has changes nothing.
    """
    new = with_book(with_book(SEX, {"1": "male", "2": ""}), {"x": ""})
    assert new["constraints"]["enum"] == ["x"]
    assert "categories" not in new
    assert with_kind(new, "categorical") is new


def test_columns_that_are_not_in_the_table_take_no_part(draft: Draft) -> None:
    """A declared column that the table lacks is named as absent and takes no part."""
    after = draft.with_declaration({"fields": [AGE, {**SEX, "name": "gone"}]})
    assert after.absent() == ["gone"]
    assert after.chosen_names == ("age",)


def test_unfit_columns_are_remarked_on_from_the_declaration(draft: Draft) -> None:
    """The page warns of columns that will hardly work, judged by name and declaration only.

    The fixture's person_id and note look like a key and free text by their names. A list of
    300 values is long for 200 rows.
    """
    assert set(draft.remarks) == {"person_id", "note"}

    wide = {**SEX, "constraints": {"enum": [str(i) for i in range(300)]}}
    ready = replace(draft.with_declaration({"fields": [AGE, wide]}), about_rows=200)
    assert ready.remarks["sex"].startswith("lists 300 values for 200 rows")


def test_the_search_finds_parts_of_names_and_whole_names(draft: Draft) -> None:
    """The search takes parts of names, in any case, separated by commas or semicolons.

    PART filters for columns that take part, OPEN for undeclared ones, ODD for those with a
    warning. Only age, which is left out, and income are declared. Each name holds an e.
    """
    ready = draft.with_declaration({"fields": [AGE, {**AGE, "name": "income"}]})
    ready = replace(ready, left_out=frozenset({"age"}))
    assert search_columns(ready, "", None) == ["age", "sex", "income", "person_id", "note"]
    assert search_columns(ready, "e", None) == ["age", "sex", "income", "person_id", "note"]
    assert search_columns(ready, "AGE, inc", None) == ["age", "income"]
    assert search_columns(ready, "age;sex", PART) == []
    assert search_columns(ready, "", PART) == ["income"]
    assert search_columns(ready, "", OPEN) == ["sex", "person_id", "note"]
    assert search_columns(ready, "", ODD) == ["person_id", "note"]


def test_what_the_rows_fill_in_is_stamped(draft: Draft) -> None:
    """A declaration that was filled in from the rows is marked LOOKED_UP, and so is its
    domain. An imported declaration removes that mark.
    """
    after = draft.with_look(
        [DraftColumn(field=AGE, reason="holds whole numbers", left_out=True)], ("", "?")
    )
    assert (after.origin, after.look["age"].reason) == (LOOKED_UP, "holds whole numbers")
    assert (after.left_out, after.missing_values) == ({"age"}, ("", "?"))

    after = draft.with_look([DraftColumn(field=AGE, reason="")])
    assert after.domain is not None
    assert after.domain.origin == LOOKED_UP
    assert after.undeclared_names() == ["sex", "income", "person_id", "note"]
    assert after.with_declaration({"fields": [AGE]}).origin != LOOKED_UP


def test_what_a_look_leaves_to_the_steward_is_decided_once(draft: Draft) -> None:
    """A look at the rows leaves doubtful columns to the steward, who decides once about each.

    A column that looks like a key stays out until then, and one with a tail stays in. A
    decided column is no longer listed for review.
    """
    key = DraftColumn(
        field=AGE,
        reason="is a key",
        left_out=True,
        review=Review.IDENTIFIERS,
        offer="Take in",
    )
    cut = DraftColumn(
        field={**AGE, "name": "income"}, reason="has a tail", review=Review.QUESTIONS
    )

    after = draft.with_look([key, cut], remarks=("Blanks go.",))
    assert (after.list_reviews(Review.IDENTIFIERS), after.look_remarks) == (
        [key],
        ("Blanks go.",),
    )

    taken = after.decide("age", takes_part=True)
    assert (taken.list_reviews(Review.IDENTIFIERS), taken.chosen_names) == (
        [],
        ("age", "income"),
    )
    gone = taken.decide("income", takes_part=False)
    assert (gone.list_reviews(Review.QUESTIONS), gone.chosen_names) == ([], ("age",))

    # An edit of the column, or an import, is a decision as well.
    assert not after.with_field("age", {**AGE, "synth:bins": 3}).list_reviews(
        Review.IDENTIFIERS
    )
    assert not after.with_declaration({"fields": [AGE]}).look


def test_an_edited_calendar_and_spikes_are_a_column(draft: Draft) -> None:
    """A date column cut by months and an integer column with a spike are valid columns.

    The year 2024 has 12 months. The spike 120 gets a cell of its own at the end.
    """
    new = with_kind({"name": "age"}, "date")
    constraints = {"minimum": "2024-01-01", "maximum": "2024-12-31", "required": True}
    new = with_cut({**new, "constraints": constraints}, "synth:period", "month")
    column = draft.with_field("age", new).columns["age"]
    assert isinstance(column, Date)
    assert (column.period, column.size) == (Period.MONTH, 12)

    column = draft.with_field("age", with_spikes(AGE, ["120"])).columns["age"]
    assert isinstance(column, Integer)
    assert column.labels[-1] == "120"


def test_what_is_wrong_in_a_half_finished_one_is_still_refused() -> None:
    with pytest.raises(DomainError, match="'synth:bins' must be a whole number"):
        read_declaration({"fields": [{"name": "note"}, {**AGE, "synth:bins": 0.5}]})
