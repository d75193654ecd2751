"""Text from a file reaches Markdown through one function: what is put into a page is looked
at.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.rules import PAGES, ROOT, SYNTH, holds_of_all

MARKDOWN = (
    "badge button caption chat_message checkbox download_button empty error expander "
    "file_uploader form_submit_button header info link_button markdown metric multiselect "
    "number_input page_link pills popover progress radio segmented_control select_slider "
    "selectbox slider status subheader success tabs text text_area text_input title toast "
    "toggle warning write"
).split()
"""What of Streamlit reads Markdown in its first argument, or in one of these."""

ARGUMENTS = ("body", "label", "help", "text", "value", "delta", "captions", "note")

WIDGETS = {
    "upload": (1,),
    "ask_rows": (1,),
    "spend_button": (0,),
    "show_earlier_spend": (1, 2),
    "show_command": (1,),
    "download": (0,),
}
"""Groups of widgets of our own, and which of what they are given reaches Markdown."""

SAFE = {
    "explain_word",
    "in_code",
    "in_markdown",
    "len",
    "percent",
    "plain",
    "relations_sentence",
    "rough_share",
    "say_count",
    "write_count",
    "size",
    "span",
    "type_delta",
    "write_number",
    "write_share",
}
"""Functions that escape, or whose words are ours."""

OURS = {
    "pages/ui/domain/importing.py": {"offered.request.guarantee.epsilon"},
    "pages/steps/compare.py": {"release.cost"},
    "pages/steps/download.py": {"in_code(command)"},
    "pages/steps/use.py": {"title"},
    "pages/ui/data/format_options.py": {"label"},
    "pages/ui/data/unclear.py": {"label"},
    "pages/ui/data/reading.py": {"ANSWERS[name]"},
    "pages/ui/data/preview.py": {"_describe(source)"},
    "pages/ui/data/population.py": {"_doubt(source)", "_say_shared(source, datasets)"},
    "pages/steps/release.py": {"draft.release.cost"},
    "pages/ui/shell/budget_bar.py": {"share_spent(balance)"},
    "pages/ui/shell/rows_at_work.py": {
        "job.describe()",
        "job.may_stop",
        "min(ALMOST_FULL, job.share(job.expected_seconds))",
    },
    "pages/ui/release/noisy.py": {
        "' '.join(sentences)",
        "'  \\n'.join(facts)",
        "_say_noise(view)",
        "_say_repair(view, noisy)",
        "in_rows.title",
        "in_view.title",
        "marks",
        "repair.sentence",
        "repair.title",
        "view.line",
    },
    "pages/ui/release/details.py": {
        "label",
        "scale or describe_method(draft, plan)",
        "release.cost",
    },
    "pages/ui/shell/charts.py": {"label", "explanation"},
    "pages/ui/shell/exports.py": {"in_code(command)"},
    "pages/ui/domain/column.py": {"word", "key.capitalize()"},
    "pages/ui/domain/mapping.py": {"words.capitalize()"},
    "pages/ui/plan/epsilon.py": {"in_words(parse_epsilon(draft.epsilon), draft.neighbors)"},
    "pages/ui/compare/guess.py": {"label"},
    "pages/ui/compare/findings.py": {"list(views)"},
    "pages/ui/compare/details.py": {
        "noise.capitalize()",
        "repair.title",
        "result.plan.unit.max_rows",
    },
    "pages/ui/compare/pairs.py": {"findings.pairs_note", "sentence"},
    "pages/ui/frame/frame.py": {
        "at_place(job.before)",
        "first.title",
        "STEPS.index(current_step)",
        "current_step.title",
        "current_step.summary",
        "label",
        "help",
        "step.title",
        "step.file",
    },
    "pages/ui/shell/job.py": {"folder.fresh()"},  # it writes files
    "pages/ui/learn/lessons.py": {"_NOTES[note]", "label", "lesson.title", "lesson.words"},
    "pages/ui/domain/meter.py": {"_reach(draft)", "_write_ratio(rows, size)"},
    "pages/ui/plan/methods.py": {"number"},
    "pages/ui/domain/overview.py": {"how", "label"},
    "pages/ui/plan/prediction.py": {
        "' '.join(parts)",
    },
    "pages/ui/release/files.py": {"label", "purpose", "say_size(path)"},
    "pages/ui/release/publishing.py": {"verdict.advice", "verdict.why", "'\\n'.join(lines)"},
    "pages/ui/release/released.py": {"record.repair"},
    "pages/ui/release/spending.py": {
        "limit.unit",
        "_after(balance, charge, thing)",
        "price",
        "_name_spend(draft, plan, balance, price=price)",
    },
    # a number, a date, and what is looked at where it is given
    "pages/ui/shell/widgets.py": {
        "entry.number",
        "entry.time[:10]",
        "event",
        "back",
        "label",
        "note",
        "help_text",
    },
    "pages/ui/ask/answers.py": {"cost(answered)"},  # escaped where it is made
    "pages/ui/ask/builder.py": {"label"},
    "pages/ui/ask/budget.py": {"MEASURES[draft.asking.measure]"},
    "pages/ui/ask/downloads.py": {"label", "name"},
    "pages/ui/ask/forecasts.py": {"unit", "unit.capitalize()"},
    "pages/ui/ask/questions.py": {"', '.join(kinds)", "number"},
    "pages/ui/ask/suggesting.py": {"verb"},
    "pages/ui/collect/results.py": {"label", "note"},
    "pages/ui/learn/board.py": {  # of numbers, or escaped where it is made
        "_planned_epsilon(draft)",
        "_sure_after(FOLLOWED_GUESS, releases * epsilon, draft.neighbors)",
        "_delta_sentence(_planned_delta(draft))",
    },
    "pages/ui/ledger/people.py": {"name", "share_spent(balance)"},
    "pages/ui/ledger/reserving.py": {"balance.budget.unit"},
    "pages/ui/ledger/two_persons.py": {"number", "request.number"},
    "pages/ui/ask/spending.py": {
        "label",
        "job.stage",
        "job.may_stop",
        "job.stages.index(job.stage)",
        "min(0.9, job.seconds / 20)",
    },
    "pages/ui/shell/promise.py": {  # escaped a line before
        "fit_sentence.removesuffix(lost_relations)",
        "in_markdown(fit, MAX_GUARANTEE_LENGTH).replace('± ', '±\\xa0')",
    },
    "pages/ui/data/projects.py": {
        "project.name",  # a value
        "when(stored.changed)",  # a date
        "button",
        "help",
    },
    "pages/ui/data/welcome.py": {"text", "title"},
    "pages/ui/shell/tour.py": {"SENTENCES[step]", "list(SENTENCES).index(step)"},
    "pages/ui/data/unit.py": {"draft.max_rows"},
    "pages/ui/use/asking.py": {"', '.join(KINDS)", "label"},
    "pages/ui/domain/card.py": {"name_marks(options)"},
    "pages/ui/shell/writing.py": {
        "_describe(job)",  # escaped where it is made
        "job.may_stop",
        "job.share(1.0)",
    },
    "pages/ui/release/watching.py": {
        "_say_stage(job)",
        "job.may_stop",
        "job.stage",
        "min(ALMOST_FULL, job.share(expected_seconds))",
    },
}
"""What is put into Markdown as it is: our own words, numbers, and the parts that are escaped
where they are made. A text that may come from a file has no place here."""


def list_texts_for_markdown(tree: ast.AST) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Every text that a page hands to Markdown."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if (places := WIDGETS.get(node.func.id)) is not None:
                yield from (
                    (node, node.args[index]) for index in places if index < len(node.args)
                )
                yield from (
                    (node, keyword.value)
                    for keyword in node.keywords
                    if keyword.arg in ARGUMENTS
                )
            continue
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr in MARKDOWN:
            yield from ((node, text) for text in node.args[:1])
            yield from (
                (node, keyword.value) for keyword in node.keywords if keyword.arg in ARGUMENTS
            )
            if node.func.attr in ("metric", "progress"):
                yield from ((node, text) for text in node.args[1:])


def list_raw_parts(
    text: ast.expr, values_by_name: dict[str, list[ast.expr]]
) -> Iterator[str]:
    """The parts of a text that are neither written in the page nor made safe."""
    match text:
        case ast.Constant():
            return
        case ast.JoinedStr():
            for part in text.values:
                if isinstance(part, ast.FormattedValue) and part.format_spec is None:
                    yield from list_raw_parts(part.value, values_by_name)
        case ast.BinOp():
            yield from list_raw_parts(text.left, values_by_name)
            yield from list_raw_parts(text.right, values_by_name)
        case ast.IfExp():
            yield from list_raw_parts(text.body, values_by_name)
            yield from list_raw_parts(text.orelse, values_by_name)
        case ast.Dict():
            yield from (
                part
                for value in text.values
                for part in list_raw_parts(value, values_by_name)
            )
        case ast.Subscript(value=ast.Dict()):
            yield from list_raw_parts(text.value, values_by_name)
        case ast.Call(func=ast.Name(id=name)) if name in SAFE:
            return
        case ast.Call(func=ast.Name(id="brief")):
            return  # a number
        case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="join")):
            yield from _joined(text, values_by_name)
        case ast.Name(id=name) | ast.Attribute(attr=name) if (
            name.isupper() or name == "value"
        ):
            return  # a constant of ours, or of an enumeration
        case ast.Name(id=name) if name in values_by_name:
            other_values = {
                other_name: values
                for other_name, values in values_by_name.items()
                if other_name != name
            }
            yield from (
                part
                for value in values_by_name[name]
                for part in list_raw_parts(value, other_values)
            )
        case _:
            yield ast.unparse(text)


def _joined(text: ast.Call, values_by_name: dict[str, list[ast.expr]]) -> Iterator[str]:
    match text.args[0]:
        case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id=name), *_]) if name in SAFE:
            return
        case ast.GeneratorExp(elt=part):
            yield from list_raw_parts(part, values_by_name)
        case _:
            yield ast.unparse(text)


def list_assignments(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """Names to which a module assigns in plain sight, and nowhere else, with what they
    are.
    """
    values_by_name: dict[str, list[ast.expr]] = {}
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=False))
            for name, value in pairs:
                if isinstance(name, ast.Name):
                    values_by_name.setdefault(name.id, []).append(value)
                else:
                    bound |= _names(name)
        elif isinstance(node, ast.For | ast.comprehension):
            bound |= _names(node.target)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return {name: value for name, value in values_by_name.items() if name not in bound}


def _names(target: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def list_unsafe(text: str) -> set[str]:
    """All that a page puts into Markdown as it is."""
    tree = ast.parse(text)
    values_by_name = list_assignments(tree)
    return {
        part
        for _, text in list_texts_for_markdown(tree)
        for part in list_raw_parts(text, values_by_name)
    }


@holds_of_all(PAGES)
def test_foreign_text_is_escaped(path: Path) -> None:
    """A page puts into Markdown only texts that are written in it, escaped, or on the list
    `OURS`, so that no text from a file is taken for Markdown.
    """
    name = str(path.relative_to(ROOT).as_posix())
    assert list_unsafe(path.read_text(encoding="utf-8")) <= OURS.get(name, set())


@pytest.mark.parametrize(
    "code",
    [
        "st.markdown(name)",
        "st.error(str(error))",
        "place.metric('Rows', name)",
        "st.button('Next', help=why)",
        "st.caption(f'Of {name}: {rows:,}')",
        "st.info('Of ' + name)",
        "shown = name\nst.info(shown)",
        "st.info(', '.join(names))",
        "st.info(in_markdown(a) if a else b)",
        "spend_button(name, act, agreed=True)",
        "upload('key', name, take)",
        "show_command('synth', note=name)",
    ],
)
def test_a_text_that_is_not_escaped_is_found(code: str) -> None:
    """The rule finds a name, an error or a note that reaches Markdown unescaped, in any of
    these ways.
    """
    assert list_unsafe(code)


def test_what_is_safe_passes() -> None:
    """Escaped texts, numbers with a format and joined escaped names pass, also by way of a
    variable.
    """
    text_expression = "f'{shown}: {rows:,}' + ' · '.join(map(in_markdown, names))"
    code = f"shown = in_markdown(name)\nst.info({text_expression})"
    assert list_unsafe(code) == set()


def test_pictures_leave_by_two_doors() -> None:
    """Only two modules, the pages' charts and the report, show a figure, and both make its
    labels fit to be shown.
    """
    doors = {
        str(path.relative_to(ROOT).as_posix())
        for path in PAGES + SYNTH
        if "plotly_chart(" in (text := path.read_text(encoding="utf-8"))
        or ("to_html(" in text and "plotly" in text)  # a table's escapes what it shows
    }
    assert doors == {"pages/ui/shell/charts.py", "synth/bundle/report.py"}
    for door in doors:
        assert "in_picture(picture.figure)" in (ROOT / door).read_text(encoding="utf-8")


def test_nothing_but_text_is_asked_of_streamlit() -> None:
    """No page asks Streamlit for raw HTML, links or pictures out of cells of a table.

    Small pictures are the one exception: `synth.util.draw_small` escapes all texts in them,
    which `tests/util/test_small_multiples.py` tests.
    """
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        assert "unsafe_allow" not in text
        is_charts = path.name == "charts.py"
        assert re.findall(r"st\.html\b.*", text) == ["st.html(pictures.html)"] * is_charts
        assert "LinkColumn" not in text
        assert "ImageColumn" not in text
