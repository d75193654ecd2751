"""The draft: choices, locks, and a declaration that is a Table Schema all along."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from pages.ui.frame.frame import summary
from pages.ui.shell.declaration import (
    read_column,
    split_list,
    with_constraint,
    with_key,
    with_kind,
    with_missing,
)
from pages.ui.shell.draft import Draft, start, why_locked
from pages.ui.shell.release import Source
from pages.ui.shell.words import command_line
from synth.domain import Categorical, Integer, name_kind, read_schema
from synth.errors import DomainError, SynthError
from synth.estimate import Repair
from synth.plans import Method, Plan
from synth.privacy import Neighbors, Unit
from synth.private.table import Format, open_table

SEX = {"name": "sex", "type": "string", "constraints": {"enum": ["F", "M"], "required": True}}


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A table of the columns age and sex."""
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n41,F\n", encoding="utf-8")
    return Source(title="people.csv", table=open_table(path))


@pytest.fixture
def draft(source: Source) -> Draft:
    """The draft of that table, with nothing declared."""
    return start(source, Draft())


def test_a_new_table_gives_names_and_nothing_else(draft: Draft) -> None:
    """A new table fills in the names of its columns only; kinds, bounds and categories are
    declared.
    """
    assert [dict(f) for f in draft.fields] == [{"name": "age"}, {"name": "sex"}]
    assert draft.domain is None
    assert "not declared yet" in str(draft.columns["age"])


def test_a_kind_starts_without_bounds_or_categories() -> None:
    """Choosing a kind fills in no bounds and an empty list of categories, so nothing is
    guessed from the rows.
    """
    assert with_kind({"name": "age"}, "integer") == {
        "name": "age",
        "type": "integer",
        "constraints": {"required": False},
    }
    assert with_kind({"name": "x"}, "categorical")["constraints"]["enum"] == []


def test_bounds_survive_between_integer_and_number_only() -> None:
    age = with_constraint(with_kind({"name": "age"}, "integer"), "minimum", "0")
    assert with_kind(age, "number")["constraints"]["minimum"] == "0"
    assert "minimum" not in with_kind(age, "date")["constraints"]


def test_every_kind_is_recognised_again() -> None:
    for kind in ("categorical", "boolean", "integer", "number", "date", "date and time"):
        assert name_kind(with_kind({"name": "x"}, kind)) == kind


def test_declaring_by_hand_gives_the_column() -> None:
    """A column that is declared step by step becomes usable once its bounds are known."""
    age = with_kind({"name": "age"}, "integer")
    for key, value in (("minimum", "0"), ("maximum", "99")):
        age = with_constraint(age, key, value)
    column = read_column(with_key(age, "synth:bins", 10))
    assert isinstance(column, Integer)
    assert (column.size, column.missing) == (11, True)  # 10 bins, and missing
    assert "declares no maximum" in str(read_column(with_constraint(age, "maximum", "")))


def test_import_keeps_the_tables_order_and_names_what_is_absent(draft: Draft) -> None:
    """An imported declaration keeps the order of the table and names the differences.

    The table has age and sex; the declaration has income and sex. Only sex is in both and
    takes part.
    """
    income = {**SEX, "name": "income"}
    after = draft.with_declaration({"fields": [income, SEX], "missingValues": ["", "?"]})
    assert [f["name"] for f in after.fields] == ["age", "sex", "income"]
    assert after.chosen_names == ("sex",)
    assert after.notes == (
        "In the table and not in the declaration: age.",
        "In the declaration and not in the table: income.",
    )
    assert after.absent() == ["income"]
    assert after.missing_values == ("", "?")


def test_import_of_a_foreign_declaration_changes_nothing(draft: Draft) -> None:
    with pytest.raises(DomainError, match="None of the columns of this declaration"):
        draft.with_declaration({"fields": [{**SEX, "name": "income"}]})


def test_left_out_columns_take_no_part(draft: Draft) -> None:
    """A declared column that the user leaves out is not in the domain.

    Without any other declared column, there is no domain.
    """
    after = draft.with_declaration({"fields": [SEX]})
    assert after.domain is not None
    assert isinstance(after.domain["sex"], Categorical)
    assert replace(after, left_out=frozenset({"sex"})).domain is None


def test_locks_say_why(draft: Draft) -> None:
    """A step is locked until the one before it has what it needs, and says what that is.

    `why_locked` returns None for an open step. A wrong epsilon locks the release, but not the
    plan, where it can be corrected.
    """
    assert why_locked(Draft(), "data") is None
    assert why_locked(Draft(), "domain") == "Choose a table in the step Data first."
    assert why_locked(draft, "domain") is None
    assert (
        why_locked(draft, "plan") == "Describe at least one column in the step Domain first."
    )

    ready = draft.with_declaration({"fields": [SEX]})
    assert why_locked(ready, "release") is None
    assert (
        why_locked(ready, "download") == "Make a release first; there is nothing to show yet."
    )

    wrong = replace(ready, epsilon="-1")
    assert why_locked(wrong, "plan") is None
    assert "epsilon" in str(why_locked(wrong, "release"))


def test_a_universe_too_large_for_any_method_locks_the_release(draft: Draft) -> None:
    """A domain that no method can handle locks the release and says what to change.

    Two columns of 10,000 bins each already have 100 million cells as a pair.
    """
    wide = {"type": "integer", "constraints": {"minimum": 0, "maximum": 9999}}
    fields = [{**wide, "name": n, "synth:bins": 10_000} for n in ("age", "sex")]
    message = str(why_locked(draft.with_declaration({"fields": fields}), "release"))
    assert "cells" in message
    assert "Coarsen or leave out" in message


def test_a_plan_needs_a_domain(draft: Draft) -> None:
    with pytest.raises(SynthError, match="Declare at least one column"):
        draft.plan()


PLANS = {
    "everything of a histogram": {
        "epsilon": Fraction(1, 3),
        "neighbors": Neighbors.ADD_REMOVE,
        "repair": Repair.CLAMP,
        "method": Method.HISTOGRAM,
        "unit": Unit("age", 3),
        "rows": 77,
    },
    "everything of a model": {
        "epsilon": Fraction(2),
        "delta": Fraction(1, 3 * 10**9),
        "method": Method.GROUPS,
        "groups": (("age", "sex"), ("sex",)),
        "rules": {"impossible": [{"sex": ["F"], "age": ["0"]}]},
        "max_model_mb": 64,
    },
}


@pytest.mark.parametrize("kind", PLANS)
def test_a_plan_comes_back_whole(draft: Draft, kind: str) -> None:
    """A plan that is written as JSON and opened in the app gives the same plan again.

    PLANS holds two plans that use every option between them.
    """
    age = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 1}}
    domain = read_schema({"fields": [age, SEX], "missingValues": ["", "?"]})
    plan = Plan(
        domain=domain, dataset="people.csv", **{"method": Method.DENSE, **PLANS[kind]}
    )
    assert draft.with_plan(plan.to_json()).plan() == plan


def test_the_command_line_of_a_model_names_every_choice(draft: Draft) -> None:
    """The page shows a command line with every choice that differs from the defaults.

    PLANS holds the choices of a model and of a histogram; a file name with a space is quoted.
    """
    ready = draft.with_declaration({"fields": [SEX]})
    text = command_line(
        replace(ready.plan(), **PLANS["everything of a model"]), "my table.csv"
    )
    assert text.startswith(
        "python -m synth release 'my table.csv' --domain domain.json --epsilon"
    )
    assert text.endswith(
        "--epsilon 2 --out release --method groups --delta 1/3000000000 "
        "--groups 'age,sex;sex' --rules rules.json --max-model-mb 64"
    )
    text = command_line(replace(ready.plan(), **PLANS["everything of a histogram"]), "t.csv")
    assert "--person age --max-rows 3 --neighbors add-remove --repair clamp --rows 77" in text


def test_another_table_begins_its_own_declaration(draft: Draft, tmp_path: Path) -> None:
    """A table with the same columns may be about other people, so it takes nothing over.

    The very same content, by its mark in the ledger, keeps the declaration.
    """
    ready = draft.with_declaration({"fields": [SEX]})
    assert ready.source is not None
    path = tmp_path / "other.csv"
    path.write_text("age,sex\n1,2\n")
    other = Source(title="other.csv", table=open_table(path))
    assert start(other, ready).chosen_names == ()

    marked = replace(ready, source=replace(ready.source, mark="ab" * 16))
    assert start(replace(other, mark="ab" * 16), marked).chosen_names == ("sex",)


def test_a_table_that_is_read_anew_keeps_what_it_still_has(tmp_path: Path) -> None:
    """A column that the new reading has, too, keeps its description; the project stays."""
    path = tmp_path / "people.csv"
    path.write_text("about people\nsex,town\nf,Bonn\n")
    titled = start(Source(title="people.csv", table=open_table(path)), Draft())
    described = replace(titled, project="p").with_fields({})
    assert [new["name"] for new in described.fields] == ["about people"]

    read_anew = open_table(path, Format(header=2))
    ready = replace(described, fields=(SEX, {"name": "about people"}))
    after = start(Source(title="people.csv", table=read_anew), ready)
    assert after.fields == (SEX, {"name": "town"})
    assert after.project == "p"


def test_the_surveys_declaration_is_never_kept(draft: Draft) -> None:
    """After the simulated survey, a real table begins without the declaration of the survey.

    It does so even if it has the same columns.
    """
    ready = draft.with_declaration({"fields": [SEX]})
    assert ready.source is not None

    rehearsed = replace(ready, source=replace(ready.source, simulated=True))
    assert start(ready.source, rehearsed).chosen_names == ()


def test_summary_is_one_line(draft: Draft) -> None:
    """The sidebar sums up the draft in one line: table, declared columns, epsilon."""
    assert summary(Draft()) == "Nothing chosen yet."
    ready = draft.with_declaration({"fields": [SEX]})
    assert summary(ready) == "people.csv · 1 column · epsilon 1"


def test_a_pasted_list_may_have_commas_in_its_lines() -> None:
    assert split_list("a, b\nc") == ["a, b", "c"]
    assert split_list("a, b; c") == ["a", "b", "c"]
    assert split_list("") == []


def test_a_look_is_for_all_that_a_code_book_leaves_open(draft: Draft) -> None:
    """A kind without bounds is open, and so is a list of those values that have a label.

    Codes for missing values of one column stay with it, also when its kind is chosen anew.
    """
    age = {"name": "age", "type": "integer", "missingValues": ["", "98"]}
    labelled = {**SEX, "synth:open_list": True, "synth:outside": "cell"}
    after = draft.with_declaration({"fields": [age, labelled]})
    assert after.undeclared_names() == ["age", "sex"]
    assert after.annotated_fields()["age"]["missingValues"] == ["", "98"]
    assert "whether there are others is to decide" in after.remarks["sex"]
    assert with_kind(after.field_of("age"), "number")["missingValues"] == ["", "98"]

    closed = with_key(after.field_of("sex"), "synth:open_list", None)
    assert after.with_field("sex", closed).undeclared_names() == ["age"]


def test_missing_codes_of_a_column_are_typed_on_its_card() -> None:
    """The empty cell comes with them; without any, those of all columns count."""
    labels = [{"value": "98", "label": "refused"}]
    typed = with_missing({**SEX, "missingValues": labels}, ["98", "99"])
    assert typed["missingValues"] == ["", *labels, "99"]
    assert "missingValues" not in with_missing(typed, [])
