"""*How to use these files*: a short page in the bundle for its readers. PUBLIC.

It names the relations that the rows keep, and misuses, and shows three worked examples with
intervals. All of it follows from the certificate and the noisy counts.
"""

import math
from functools import cache
from html import escape

from synth.analysis import Conclusion, conclusions
from synth.bundle.certificate import ReleaseCertificate
from synth.bundle.guard import guard_cell
from synth.bundle.notebook import NOTEBOOK, notebook
from synth.bundle.report import list_items, page
from synth.domain import Column, Domain
from synth.errors import SynthError
from synth.estimate import Light, Record, Relation, worst_relations
from synth.questions import name_text, value_text
from synth.util import check_deadline

GUIDE = "how_to_use.html"
# Most worked examples of a guide.
MAX_EXAMPLES = 3
# Most values of a column that an example may list.
MAX_LISTED_VALUES = 12
# Number of questions that are tried for them.
TRIED_QUESTIONS = 12

NOT_TO_ASK = (
    "Do not use a statistics program's intervals: they leave out the noise and are too "
    "short. Use the intervals of synth.analyse, or the tables of synth.replicates with "
    "software for multiple imputation.",
    "Do not ask about single rows, extreme values or rare combinations. The noise may hide a "
    "small group, or invent one.",
    "Do not ask about column combinations marked 'poor' above, or about three columns that "
    "were not measured together. There, the rows only show a model's guess.",
    "Within a cell (a bin of numbers or dates), values are drawn evenly. They do not show "
    "the real values' positions in the cell.",
    "Do not join the rows with other tables: no row describes a real person.",
)


# Questions that the release answers, each with an expression of ``rows`` in pandas, the CSV
# file as texts, for the rows alone.
Examples = list[tuple[str, str]]
# With the release's answers.
Worked = list[tuple[str, str, Conclusion]]


def guide(certificate: ReleaseCertificate, record: Record, worked: Worked) -> str:
    """Return the page on how to use the files, as HTML.

    Args:
        certificate: The certificate of the release.
        record: The noisy counts.
        worked: Examples: a question, an expression in pandas, and the release's answer.
    """
    body = f"""<p><span class="lane">Public: safe to share</span></p>
<p>{certificate.rows:,} synthetic rows of {len(record.domain.columns)} columns, in
<code>synthetic.csv</code>. The noisy counts they were drawn from are in
<code>noisy_counts.csv</code>: they give correct intervals at no cost.</p>
<p>{escape(certificate.rows_fit)}</p>
<h2>How accurate each column and combination is</h2>{_legend()}{_preserved_section(record)}
<h2>Limits of the rows</h2><ul>{list_items(NOT_TO_ASK)}</ul>
<h2>Worked examples</h2>{_worked_section(worked)}
<p>For your own questions: <code>pip install synth-dp</code>, then
<code>synth.analyse("bundle.zip").ask("...")</code>, or the notebook
<code>how_to_use.ipynb</code> in this folder, or the page <i>Use a release</i> of the app.</p>
<h2>The guarantee</h2><p>{escape(certificate.guarantee.statement)}</p>
<ul>{list_items(certificate.caveats)}</ul>"""
    return page("How to use these files", body, charts=False)


def guides(certificate: ReleaseCertificate, record: Record) -> dict[str, bytes]:
    """Return the bytes of the guide and of its notebook, by the names of the files.

    Args:
        certificate: The certificate of the release.
        record: The noisy counts, which answer the examples.
    """
    worked = examples_of(record)
    return {
        GUIDE: guide(certificate, record, worked).encode(),
        NOTEBOOK: notebook([(question, pandas) for question, pandas, _ in worked]),
    }


def examples_of(record: Record) -> Worked:
    """Return up to `MAX_EXAMPLES` questions that the release answers with an interval.

    Questions whose answer is only a bound, was simulated or has no interval are left out.

    Args:
        record: The noisy counts.

    Returns:
        For each example the question, an expression in pandas that gives it from the rows
        alone, and the release's answer.
    """
    examples: Worked = []
    for question, pandas in _candidates(record.domain)[:TRIED_QUESTIONS]:
        check_deadline()
        try:
            (answer,) = conclusions([question], record)
        except SynthError:
            # The noisy counts cannot answer it; try the next one.
            continue
        if not (answer.bound or answer.simulated or math.isnan(answer.low[0])):
            examples.append((question, pandas, answer))
        if len(examples) == MAX_EXAMPLES:
            break
    return examples


def _candidates(domain: Domain) -> Examples:
    """Return questions that may serve as examples: a share, a table, a mean, and so on.

    Returns:
        Each question with an expression in pandas that gives it from the rows alone.
    """
    # Columns that list their values; then columns of numbers, which are no dates and have no
    # text for values outside.
    countable = [
        column
        for column in domain.columns
        if column.list_size or column.dtype in ("bool", "boolean")
    ]
    short = [column for column in countable if len(column.labels) <= MAX_LISTED_VALUES]
    numeric = [
        column
        for column in domain.columns
        if column.summable and not column.told_in and not column.is_mixed
    ]
    # Tables leave out the first column, as the first share is about it already.
    kinds: list[Examples] = [
        [_ask_share(column) for column in countable],
        [_ask_table(column) for column in short[1:] or short],
        [_ask_mean(column) for column in numeric],
    ]
    in_turn: Examples = []
    for number in range(max(map(len, kinds))):
        in_turn += [kind[number] for kind in kinds if number < len(kind)]
    return in_turn


def _select(column: Column) -> str:
    """Return the expression in pandas for a column of the rows."""
    return f"rows[{guard_cell(column.name)!r}]"


def _ask_share(column: Column) -> tuple[str, str]:
    """Return a question and the code in pandas that answers it from the rows alone.

    It asks for the share of rows with the column's first value.
    """
    label = column.labels[0]
    return (
        f"share where {name_text(column.name)} = {value_text(label)}",
        f"({_select(column)} == {guard_cell(label)!r}).mean()",
    )


def _ask_table(column: Column) -> tuple[str, str]:
    """Return the question for the counts of a column's values, and its pandas code."""
    return f"table {name_text(column.name)}", f"{_select(column)}.value_counts()"


def _ask_mean(column: Column) -> tuple[str, str]:
    """Return a question and the code in pandas that answers it from the rows alone.

    It asks for the mean of a column. The code leaves out texts that are no numbers.
    """
    return (
        f"mean {name_text(column.name)}",
        f'pd.to_numeric({_select(column)}, errors="coerce").mean()',
    )


@cache
def _legend() -> str:
    """Return the legend of the symbols for small, medium and large errors, as HTML."""
    lights = "; ".join(f"<b>{light.sign} {light.says}</b>: {light.advice}" for light in Light)
    meaning = (
        "Error bar: the share of rows, in the table of these columns alone, that the noise "
        "may put in the wrong place."
    )
    return f"<p class='quiet'>{meaning} {lights}.</p>"


def _preserved_section(record: Record) -> str:
    """Return three tables, as HTML: how accurate single columns, pairs and triples are."""
    titles = {1: "Single columns", 2: "Two columns together", 3: "Three columns together"}
    return "".join(
        _lights(title, *worst_relations(record, width)) for width, title in titles.items()
    )


def _lights(title: str, worst: tuple[Relation, ...], count: int) -> str:
    """Return the table of how accurate combinations of columns are, as HTML.

    Args:
        title: The heading, which says how many columns are combined.
        worst: The least accurate combinations, the least accurate first.
        count: The number of all combinations.
    """
    if not worst:
        return f"<h3>{title}</h3><p>None of them was measured.</p>"
    # ``light`` says whether an error is small, medium or large.
    rows = "".join(
        f"<tr><td>{escape(' × '.join(relation.names))}</td><td>{relation.light.sign} "
        f"{relation.light.says}</td>"
        f"<td class='n'>{_percent(relation.error)}</td></tr>"
        for relation in worst
    )
    head = "<tr><th>Columns</th><th>Kept</th><th>Error bar</th></tr>"
    table = f"<h3>{title}</h3><table>{head}{rows}</table>"
    if len(worst) < count:
        table += f"<p class='quiet'>The worst {len(worst)} of {count:,}.</p>"
    return table


def _percent(error: float) -> str:
    """Return an error in percent, as text; NaN is an unknown one."""
    return "not known" if math.isnan(error) else f"{100 * error:.1f} %"


def _worked_section(worked: Worked) -> str:
    """Return the worked examples, as HTML; a sentence if there are none.

    Args:
        worked: Each question with an expression in pandas and the release's answer.
    """
    if not worked:
        return (
            "<p>The noise hides the answers to simple questions. Ask about larger groups.</p>"
        )
    return "".join(_example(question, answer) for question, _, answer in worked)


def _example(question: str, answer: Conclusion) -> str:
    """Return a question with its answer and interval, as HTML: a table and a sentence.

    The table has a line for each number of the answer, with its label. An answer of one
    number has its unit instead of a label.
    """
    head = "<tr><th></th><th>Estimate</th><th>From</th><th>To</th></tr>"
    rows = "".join(
        f"<tr><td>{escape(label)}</td>{_numbers(answer, place)}</tr>"
        for place, label in enumerate(answer.labels or (answer.unit,))
    )
    return (
        f"<h3><code>{escape(question)}</code></h3><table>{head}{rows}</table>"
        f"<p class='quiet'>{escape(answer.sentence)}</p>"
    )


def _numbers(answer: Conclusion, place: int) -> str:
    """Return the cells with one number of an answer and its interval, as HTML.

    Args:
        answer: The answer.
        place: The position of the number in it.
    """
    values = (float(numbers[place]) for numbers in (answer.estimate, answer.low, answer.high))
    return "".join(f"<td class='n'>{value:,.6g}</td>" for value in values)
