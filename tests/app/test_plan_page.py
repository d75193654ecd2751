"""The Plan page without a browser: methods, delta, groups, rules, and what is said of
them.
"""

import gc
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.frame import warm
from pages.ui.plan import prediction
from pages.ui.plan.epsilon import readouts
from pages.ui.plan.ruling import in_words, with_rule, without_rule
from pages.ui.shell.words import command_line
from synth import limits
from synth.domain import FOR_RELATIONS
from synth.lessons import survey_domain
from synth.plans import Method
from tests.app.steward import (
    choose,
    choose_example,
    draft_of,
    error_texts,
    go_to,
    press,
    release_by_plan,
    text_of,
    use_file,
    visit,
)

ALL = survey_domain().names
PAIRS = len(ALL) * (len(ALL) - 1) // 2


@pytest.fixture
def page() -> AppTest:
    """The Plan page of the simulated survey."""
    return visit("plan", choose_example())


def open_advanced(page: AppTest) -> AppTest:
    """Open the section Advanced, whose forecasts are worked out only then."""
    page.session_state["advanced"] = True
    return page.run()


def name_chosen(page: AppTest) -> str:
    """The chosen method, as the page names it; the automatic one is the first."""
    return page.selectbox(key="choice_method").options[0]


def read_released(page: AppTest, name: str) -> str:
    """The words of a file in the bundle of the current release."""
    release = draft_of(page).release
    assert release is not None
    with zipfile.ZipFile(release.files["bundle.zip"]) as bundle:
        return " ".join(bundle.read(name).decode().split())


def slider_of(page: AppTest) -> dict[str, Any]:
    """What the slider gets: its steps, the number of the last one, and what each leaves."""
    slider = next(e for e in page.get("bidi_component") if e.key == "epsilon_slider")
    content: dict[str, Any] = json.loads(slider.proto.json)
    return content


def end_of_slider(page: AppTest) -> tuple[str, str]:
    """The last step that the thumb reaches, and what it leaves of the budget."""
    content = slider_of(page)
    last = content["last"]
    return content["steps"][last], content["left"][last]


def declare_people(page: AppTest, folder: Path) -> AppTest:
    """Take a table of 100 people with three columns of two values, and open the plan."""
    table = folder / "people.csv"
    table.write_text("sex,region,job\n" + "F,north,yes\nM,south,no\n" * 50)
    values = {"sex": "FM", "region": ("north", "south"), "job": ("no", "yes")}
    fields = [
        {
            "name": name,
            "type": "string",
            "constraints": {"enum": list(cells), "required": True},
        }
        for name, cells in values.items()
    ]
    use_file(go_to(page, "data"), table)
    page.session_state["draft"] = draft_of(page).with_declaration({"fields": fields})
    return go_to(page, "plan")


def choose_method(page: AppTest, method: Method) -> AppTest:
    """Choose a method on the Plan page."""
    return page.selectbox(key="choice_method").select(method).run()


def is_release_locked(page: AppTest) -> bool:
    return next(b for b in page.button if b.label == "Next: Release").disabled


def test_automatic_is_the_first_choice_and_says_what_it_would_do(page: AppTest) -> None:
    """The automatic method is the default, and the page names the one that it takes, and why.

    It takes the histogram for few cells or many rows, and pairs of columns otherwise. Without
    the number of rows it cannot decide yet.
    """
    assert draft_of(page).method == Method.AUTO
    assert name_chosen(page) == "Automatic: pairs of columns"
    assert "the pairs of columns that are worth their cost" in text_of(page)

    # 16 cells of age and 2 of sex make 32.
    choose(page, left_out=frozenset(ALL) - {"age", "sex"}).run()
    assert name_chosen(page) == "Automatic: histogram of all 32 cells"
    assert "The histogram of all 32 cells promises no more error" in text_of(page)

    few = frozenset(ALL) - {"age", "sex", "region", "smoker"}
    choose(page, left_out=few, about_rows=None).run()
    assert draft_of(page).plan().by_model
    assert name_chosen(page).startswith("Automatic: the histogram if it is best")
    assert "Automatic decides by the number of rows" in text_of(page)

    choose(page, about_rows=20_000).run()
    cells = draft_of(page).domain.size
    assert name_chosen(page) == f"Automatic: histogram of all {cells} cells"
    assert "With so many rows, counts outweigh the noise" in text_of(page)
    assert not page.error


@pytest.mark.slow
def test_a_method_has_one_name_on_every_page_and_in_every_file(page: AppTest) -> None:
    """The plan, the release, its statement and its report call a method by the same name.

    Automatic is sure to take the histogram of 16 cells of age and 2 of sex. With 3 of smoker
    it decides by the number of rows.
    """
    choose(page, left_out=frozenset(ALL) - {"age", "sex"}).run()
    assert name_chosen(page) == "Automatic: histogram of all 32 cells"
    release_by_plan(page)
    assert "on the histogram of all cells; 32 cells" in read_released(page, "statement.txt")
    assert "Histogram of all 32 cells" in read_released(page, "open.html")

    choose(page, left_out=frozenset(ALL) - {"age", "sex", "smoker"})
    assert name_chosen(go_to(page, "plan")) == "Automatic: histogram of all 96 cells"
    release_by_plan(page)
    assert "Measurements (histogram of all 96 cells)" in [e.label for e in page.expander]
    assert "method: histogram of all cells" in read_released(page, "statement.txt")
    assert "Histogram of all cells" in read_released(page, "open.html")


def test_a_universe_of_any_size_passes_through_plan(page: AppTest) -> None:
    """With all columns there are too many cells for a histogram, and the page still leads to
    a release. The automatic method then chooses a model.
    """
    choose(page, left_out=frozenset()).run()
    assert draft_of(page).domain.size > limits.DENSE_CELLS
    assert not page.error
    assert not is_release_locked(page)
    assert name_chosen(page) == "Automatic: pairs of columns"


@pytest.mark.slow
def test_every_method_has_its_forecast(page: AppTest) -> None:
    """The Plan page compares the forecasts of all usual methods, whichever is chosen.

    The method of the user's own groups is listed only while it is chosen.
    """
    usual = [
        "Pairs of columns",
        "Pairs of columns, one by one",
        "Tree of pairs",
        "Columns only",
    ]
    for method in Method:
        if method == Method.HISTOGRAM:  # which is that of all cells in so small a table
            continue
        choose_method(page, method)
        if method == Method.GROUPS:
            page.multiselect(key="group 0").select("age").select("sex").run()

        assert not page.error
        open_advanced(page)
        methods = next(d.value for d in page.dataframe if "Method" in d.value)
        named = list(methods["Method"].str.removesuffix(" (chosen)"))
        histogram = f"Histogram of all {draft_of(page).domain.size:,} cells"
        groups = ["Groups of columns"] * (method == Method.GROUPS)
        assert named == [*groups, histogram, *usual]
        assert draft_of(page).method == method


def test_sums_of_numbers_are_automatic_while_nothing_is_chosen(page: AppTest) -> None:
    """The sums that a release measures are chosen automatically until the user chooses some.

    The empty entry means none. If the chosen column is left out, none remains; an empty box
    is automatic again.
    """
    sums = page.multiselect(key="choice_moments")
    assert (sums.value, draft_of(page).moments) == ([], ("auto",))
    sums.select("means").run()
    assert draft_of(page).moments == ("means",)

    page.multiselect(key="choice_moments").select("").run()
    assert (draft_of(page).moments, draft_of(page).plan().moments) == ((), ())

    page.multiselect(key="choice_moments").select("age").run()
    assert draft_of(page).moments == ("age",)
    choose(page, left_out=frozenset(ALL) - {"income", "sex"}).run()
    assert page.multiselect(key="choice_moments").value == [""]  # what was chosen is left out

    page.multiselect(key="choice_moments").set_value([]).run()
    assert draft_of(page).moments == ("auto",)


def test_delta_is_a_choice_in_words_or_any_value(page: AppTest) -> None:
    """A delta is chosen from a list or given as a number below 0.001, and larger ones are
    refused. A histogram uses no delta, so the wrong one does no harm there.
    """
    page.selectbox(key="choice_delta").select("1e-9").run()
    assert float(draft_of(page).plan().delta) == 1e-9

    for delta in ("much", "2"):
        choose(page, delta=delta).run()
        assert len(page.error) == 1
        assert page.selectbox(key="choice_delta").value == delta

    choose(page, delta="1e-2").run()
    assert page.error[0].value.startswith("Delta must be above 0 and below 0.001")

    choose_method(page, Method.DENSE)
    assert not page.error
    assert not draft_of(page).plan().delta


def test_groups_are_lists_of_columns_and_one_more(page: AppTest) -> None:
    """The user lists groups of columns, and the page always offers one more group.

    Without any group the release is locked. A group that is emptied is removed, and the
    others move up.
    """
    choose_method(page, Method.GROUPS)
    assert "Choose the columns of at least one group." in text_of(page)
    assert not page.error
    assert is_release_locked(page)

    page.multiselect(key="group 0").set_value(["age", "income"]).run()
    page.multiselect(key="group 1").set_value(["sex", "smoker"]).run()
    assert draft_of(page).plan().groups == (("age", "income"), ("sex", "smoker"))
    assert not is_release_locked(page)

    page.multiselect(key="group 0").set_value([]).run()
    assert draft_of(page).groups == (("sex", "smoker"),)


def test_a_rule_is_added_by_the_form_and_removed(page: AppTest) -> None:
    """A rule that the user adds with the form is in the plan, and is gone once it is removed.

    Histograms cannot keep rules, so the automatic method takes a model.
    """
    page.selectbox(key="rule first impossible").select("employment").run()
    page.multiselect(key="rule cells employment").set_value(["retired"]).run()
    page.multiselect(key="rule values sex").set_value(["male"]).run()

    press(page, "Add this rule")
    assert not page.error
    rule = draft_of(page).rules["impossible"][0]
    assert rule["employment"] == ["retired"]
    assert draft_of(page).plan().by_model
    assert name_chosen(page) == "Automatic: pairs of columns"

    press(page, "Remove")
    assert draft_of(page).rules is None


def test_a_rule_that_leaves_no_row_is_refused_and_nothing_lost(page: AppTest) -> None:
    """Rules that forbid every row are refused, and the plan stays as it was; valid rules are
    taken. Both sexes are forbidden here, so no row would be left. For a histogram the page
    says that rules need a model.
    """
    both = {"impossible": [{"sex": ["female"]}, {"sex": ["male"]}]}
    page.file_uploader[0].upload("rules.json", json.dumps(both).encode(), "text/json").run()
    assert "The rules leave no cell of column 'sex'" in page.error[0].value
    assert draft_of(page).rules is None

    fine = {"order": [], "impossible": [{"sex": ["female"], "smoker": ["yes"]}]}
    page.file_uploader[0].upload("rules.json", json.dumps(fine).encode(), "text/json").run()
    assert draft_of(page).rules == fine

    choose_method(page, Method.DENSE)
    assert "Rules and groups are for models" in text_of(page)


def test_a_rule_without_cells_is_one_sentence(page: AppTest) -> None:
    press(page, "Add this rule")
    assert error_texts(page) == ["Choose cells of both columns for the rule."]


def test_rules_are_said_in_words_and_removed_by_number() -> None:
    """The page shows each rule as a sentence, and removes the one whose number is given.

    A fixed rule lists the values of b that go with a value of a.
    """
    rules = with_rule(None, "fixed", {"given": "a", "then": "b", "values": {"x": ["1", "2"]}})
    rules = with_rule(rules, "impossible", {"a": ["x"], "b": ["3"]})
    assert [text for *_, text in in_words(rules)] == [
        "Never together: 'a' is x and 'b' is 3.",
        "When 'a' is x, 'b' is 1 or 2.",
    ]

    assert without_rule(rules, "impossible", 0) == {"fixed": rules["fixed"]}


def test_an_epsilon_that_cannot_be_read_keeps_the_last_one(page: AppTest) -> None:
    """The page says below the field why a typed epsilon is not taken, and keeps the last one.

    The sentence is gone with the next choice.
    """
    for typed in ("much", "0", "1e9"):
        page.text_input(key="choice_epsilon").input(typed).run()
        assert page.text_input(key="choice_epsilon").value == draft_of(page).epsilon == "1"
        assert "Epsilon 1 stays." in text_of(page)
        assert not page.error
        assert not is_release_locked(page)

    page.text_input(key="choice_epsilon").input("0.5").run()
    assert draft_of(page).epsilon == "0.5"
    assert "stays." not in text_of(page)


def test_the_budget_ends_the_slider(page: AppTest, tmp_path: Path) -> None:
    """Of a budget of 3 with 1 spent, the slider ends at 2, and each step says what it leaves.

    A typed epsilon above it is not taken, unless its release is paid for already. Another
    budget can be typed until the first spend.
    """
    assert slider_of(page)["left"] == [""] * 11  # nobody's budget for a simulated table
    declare_people(page, tmp_path)
    assert end_of_slider(page) == ("3", "leaves 0 of 3")
    page.text_input(key="choice_budget").input("5").run()
    assert end_of_slider(page) == ("5", "leaves 0 of 5")
    page.text_input(key="choice_budget").input("3").run()

    release_by_plan(page)
    go_to(page, "plan")
    assert "choice_budget" not in [box.key for box in page.text_input]
    assert end_of_slider(page) == ("2", "leaves 0 of 3")
    content = slider_of(page)
    assert content["left"][content["steps"].index("1")] == "stored, costs nothing"

    page.text_input(key="choice_epsilon").input("2.5").run()
    assert draft_of(page).epsilon == "1"
    assert "Epsilon 2.5 is more than the budget has: only 2 of 3 is left." in text_of(page)


def test_the_box_and_the_line_of_the_sidebar_follow_the_epsilon(page: AppTest) -> None:
    """An epsilon that the user types is the one of the plan, of the box, and of the summary
    in the sidebar.
    """
    page.text_input(key="choice_epsilon").input("0.3").run()
    assert draft_of(page).epsilon == "0.3"
    assert page.text_input(key="choice_epsilon").value == "0.3"
    assert [c.value for c in page.sidebar.caption][-1].count("epsilon 0.3") == 1


def test_relations_that_will_be_lost_are_said_with_the_change_that_keeps_some(
    page: AppTest,
) -> None:
    """If the noise hides all relations between columns, the page says so and offers a change
    that keeps some. At epsilon 0.12 no pair is worth its noise; a delta makes the noise
    smaller. n columns have n (n - 1) / 2 pairs.
    """
    lost = "This table would show no relation between columns"
    choose(page, left_out=frozenset(), epsilon="1", about_rows=20_000).run()
    assert lost not in text_of(page)
    assert "Weaker relations may be lost. If one column matters most, name it" in text_of(
        page
    )

    choose(page, epsilon="0.12").run()
    assert "Weaker relations may be lost." not in text_of(page)
    assert lost in text_of(page)
    heads = [head.value for head in page.subheader]
    assert heads[-1] == f"0 of {PAIRS} pairs"
    kept = [int(head.removeprefix("About ").split()[0]) for head in heads[:-1]]
    assert kept == sorted(kept, reverse=True)
    assert kept[-1] > 0

    press(page, "Allow a delta of one in a billion")
    assert draft_of(page).delta == "1e-9"
    assert lost not in text_of(page)
    assert "This promise may fail with a chance of one in a billion" in text_of(page)


def test_protecting_persons_tells_its_price(page: AppTest) -> None:
    """Where ten rows of each person count, the page says what that costs, in noise and in
    errors with persons and with rows protected; where one row counts, it costs nothing more.
    """
    few = frozenset(ALL) - {"age", "sex"}
    choose(page, left_out=few, about_rows=900, person="region", max_rows=10).run()
    said = text_of(page)
    assert "Noise is then 10 times as large, as with epsilon 0.1 instead of 1" in said
    assert "or 90 rows instead of 900." in said
    assert "Expected error with each person protected: columns" in said
    assert "; with each row protected: columns" in said

    choose(page, max_rows=1).run()
    assert "Noise is then" not in text_of(page)


@pytest.mark.parametrize("step", ["plan", "release"])
def test_repeating_keys_are_named_before_the_spend(page: AppTest, step: str) -> None:
    """Where values of a column repeat as keys of persons do, Plan and Release say that only
    rows are protected. With the person chosen they say it no more.
    """
    source = draft_of(page).source
    assert source is not None
    few = frozenset(ALL) - {"age", "sex"}
    choose(page, left_out=few, source=replace(source, key="region", key_rows=10))
    go_to(page, step)
    warning = "protects each row by itself. But values of 'region' repeat"
    assert warning in text_of(page)

    choose(page, person="region", max_rows=10).run()
    assert warning not in text_of(page)


def test_the_next_step_stands_out_once_the_question_is_answered(page: AppTest) -> None:
    """As long as the page asks what to do about lost relations, no button stands out.

    Whoever goes on with columns only can have the question again.
    """
    choose(page, left_out=frozenset(), epsilon="0.12").run()
    assert [b.label for b in page.button if b.proto.type == "primary"] == []

    press(page, "Go on with columns only")
    assert [b.label for b in page.button if b.proto.type == "primary"] == ["Next: Release"]
    assert not page.subheader
    assert "This table would show no relation between columns" in text_of(page)

    press(page, "Ask me again")
    assert f"0 of {PAIRS} pairs" in [head.value for head in page.subheader]


def test_offers_are_within_the_budget(page: AppTest, tmp_path: Path) -> None:
    """An offer needs no delta where the budget has none, and no epsilon that is not left.

    With 100 rows no pair of columns is worth its noise at epsilon 0.02.
    """
    declare_people(page, tmp_path)
    choose(page, epsilon="0.02", rules={"order": []}).run()
    labels = {b.label for b in page.button}
    assert labels >= {"Raise epsilon from 0.02 to 0.1", "Go on with columns only"}

    choose(page, epsilon="0.02", budget="epsilon=0.02").run()
    labels = {b.label for b in page.button if str(b.key).startswith("change")}
    assert not any("epsilon" in label or "delta" in label for label in labels)


def test_columns_are_left_out_by_the_card(page: AppTest) -> None:
    """The card that leaves out columns takes them out of the plan, and the question ends."""
    choose(page, left_out=frozenset(), epsilon="0.12").run()
    card = next(b for b in page.button if b.key == "change columns")
    number = int(card.label.split()[2])
    card.click().run()
    assert len(draft_of(page).left_out) == number
    assert len(draft_of(page).plan().domain.names) == len(ALL) - number
    assert not page.subheader
    # The files say what they were given up for.
    reasons = draft_of(page).plan().domain.decisions.left_out
    assert set(reasons.values()) == {FOR_RELATIONS}
    assert f"({FOR_RELATIONS})" in text_of(page)


def test_the_readouts_are_those_of_the_forecast(page: AppTest) -> None:
    """The numbers beside the slider are those of the forecast at each epsilon.

    At epsilon 1 odds of 1 to 9 can rise by a factor e, which is 10 % to 23.2 %.
    """
    now = draft_of(page)
    readouts_shown = readouts(now, ["0.1", "1"], allowed=2)
    plan = now.plan()
    predictions = prediction.along(plan, now.about_rows, ["0.1", "1"])

    assert "10 % sure of a fact about that person can become at most 23.2 % sure" in (
        readouts_shown["1"].sentence
    )
    assert readouts_shown["1"].numbers[1] == (
        "Expected error of pairs",
        prediction.span(predictions["1"].pairs),
    )
    assert [label for label, _ in readouts_shown["0.1"].numbers] == [
        label for label, _ in readouts_shown["1"].numbers
    ]


def test_backwards_names_the_epsilon_and_the_columns_to_coarsen(page: AppTest) -> None:
    """For an error that the user wants, the page names the epsilon that it takes, or which
    columns to coarsen. 1 % is too strict for the survey as it is, and 20 % needs no coarser
    columns. A hundredth of its 20,000 rows is 200.
    """
    open_advanced(choose_method(page, Method.DENSE))
    assert "For an error of 5 %, pairs need an epsilon of about **" in text_of(page)

    page.select_slider(key="wanted").set_value("1 %").run()
    assert "coarsen columns to at most" in text_of(page)
    sentence = "A cell that holds a hundredth of the rows (200) is expected to come out as: "
    assert f"{sentence}Pooled" in text_of(page)

    page.select_slider(key="wanted").set_value("20 %").run()
    assert "For an error of 20 %" in text_of(page)
    assert "coarsen" not in text_of(page)


def test_a_plan_with_a_delta_gets_a_budget_with_room_for_it(
    page: AppTest, tmp_path: Path
) -> None:
    """The first budget that the page offers allows the delta of the plan, so its release is
    not refused. The default budget is 3. Confirmation and release name epsilon and delta.
    """
    table = tmp_path / "people.csv"
    table.write_text("sex,region,job\n" + "F,north,yes\nM,south,no\n" * 50)
    schema = [
        {
            "name": name,
            "type": "string",
            "constraints": {"enum": list(cells), "required": True},
        }
        for name, cells in {
            "sex": "FM",
            "region": ("north", "south"),
            "job": ("no", "yes"),
        }.items()
    ]

    use_file(go_to(page, "data"), table)
    page.session_state["draft"] = replace(
        draft_of(page).with_declaration({"fields": schema}), method=Method.TREE, delta="1e-9"
    )

    go_to(page, "release")
    assert "Spend **epsilon 1 and delta 1e-09** of **3** on **3 columns**." in text_of(page)
    assert page.checkbox(key="agreed").label == "Spend epsilon 1 and delta 1e-09"

    page.checkbox(key="agreed").check().run()
    press(page, "Release with epsilon 1 and delta 1e-09")
    assert not page.error
    assert len(draft_of(page).releases) == 1
    assert "synthetic rows with epsilon 1 and delta 1e-09." in page.success[0].value


def test_what_the_ledger_would_refuse_is_named_before_the_spend(
    page: AppTest, tmp_path: Path
) -> None:
    """What the ledger would refuse is named before the user confirms: a delta under a budget
    without one, or another privacy unit. A first release for epsilon 1 fixes a budget of
    epsilon 3 that protects rows.
    """
    table = tmp_path / "strict.csv"
    table.write_text("sex,region,who\n" + "F,north,1\nM,south,2\n" * 50)
    schema = [
        {
            "name": name,
            "type": "string",
            "constraints": {"enum": list(cells), "required": True},
        }
        for name, cells in {"sex": "FM", "region": ("north", "south")}.items()
    ]

    use_file(go_to(page, "data"), table)
    page.session_state["draft"] = draft_of(page).with_declaration({"fields": schema})
    go_to(page, "release")
    page.text_input(key="choice_budget").input("epsilon=3").run()
    page.checkbox(key="agreed").check().run()
    press(page, "Release with epsilon 1")

    # A plan with a delta, where the budget has none.
    before = draft_of(page)
    page.session_state["draft"] = replace(before, method=Method.TREE, delta="1e-9")
    page.run()
    assert "allows no delta" in text_of(page)
    assert "Change the budget on the page Ledger, or the plan." in text_of(page)

    # A plan that protects persons, where the budget protects rows.
    page.session_state["draft"] = replace(before, person="who", max_rows=2)
    page.run()
    assert "protect one row, but this release protects one person by the column" in text_of(
        page
    )
    assert "Here the name is the answer to Whose data is this? on the page Data." in text_of(
        page
    )
    assert "on the page Ledger, or the plan" not in text_of(page)


def test_the_libraries_are_out_of_the_collectors_sight() -> None:
    """The app freezes the objects of its libraries, so that garbage collection does not look
    at them each time. Importing `warm` freezes them; there are far more than 10,000.
    """
    assert warm.__doc__
    assert gc.get_freeze_count() > 10_000


def test_a_column_to_be_predicted_is_part_of_the_plan_where_pairs_are_measured(
    page: AppTest,
) -> None:
    """A column that people will predict is part of the plan and of its command line.

    It is offered for methods that choose pairs only, and other methods ignore it. A column
    that is left out is not predicted.
    """
    assert draft_of(page).plan().predict == ""
    name = draft_of(page).chosen_names[-1]
    page.selectbox(key="choice_predict").select(name).run()
    plan = draft_of(page).plan()
    assert (plan.predict, draft_of(page).with_plan(plan.to_json()).predict) == (name, name)
    assert f"--predict {name}" in command_line(plan, "table.csv")

    choose_method(page, Method.TREE)
    assert all(box.key != "choice_predict" for box in page.selectbox)
    assert draft_of(page).plan().predict == ""

    choose_method(page, Method.ONE_SHOT)
    assert draft_of(page).plan().predict == name

    left_out = draft_of(page).change(left_out=frozenset({name}))
    assert left_out.plan().predict == ""
    assert not page.exception
