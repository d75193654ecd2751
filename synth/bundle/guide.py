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
from synth.estimate import SHOWN, Light, Record, Relation, relations
from synth.questions import name_text, value_text

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
    worked = examples_of(record)
    return {
        GUIDE: guide(certificate, record, worked).encode(),
        NOTEBOOK: notebook([(question, pandas) for question, pandas, _ in worked]),
    }


def examples_of(record: Record) -> Worked:
    found: Worked = []
    for question, pandas in _candidates(record.domain)[:TRIED_QUESTIONS]:
        try:
            (answer,) = conclusions([question], record)
        except SynthError:
            continue
        if not (answer.bound or answer.simulated or math.isnan(answer.low[0])):
            found.append((question, pandas, answer))
        if len(found) == MAX_EXAMPLES:
            break
    return found


def _candidates(domain: Domain) -> Examples:
    def rows_of(column: Column) -> str:
        return f"rows[{guard_cell(column.name)!r}]"

    listed = [c for c in domain.columns if c.list_size or c.dtype in ("bool", "boolean")]
    few = [c for c in listed if len(c.labels) <= MAX_LISTED_VALUES]
    numbers = [
        c for c in domain.columns if c.summable and not c.told_in and c.other_code is None
    ]
    kinds: list[Examples] = [
        [
            (
                f"share where {name_text(c.name)} = {value_text(c.labels[0])}",
                f"({rows_of(c)} == {guard_cell(c.labels[0])!r}).mean()",
            )
            for c in listed
        ],
        [
            (f"table {name_text(c.name)}", f"{rows_of(c)}.value_counts()")
            for c in few[1:] or few
        ],
        [
            (
                f"mean {name_text(c.name)}",
                f'pd.to_numeric({rows_of(c)}, errors="coerce").mean()',
            )
            for c in numbers
        ],
    ]
    longest = max(map(len, kinds))
    return [kind[i] for i in range(longest) for kind in kinds if i < len(kind)]


@cache
def _legend() -> str:
    said = "; ".join(f"<b>{one.sign} {one.says}</b>: {one.advice}" for one in Light)
    what = (
        "Error bar: the share of rows, in the table of these columns alone, that the noise "
        "may put in the wrong place."
    )
    return f"<p class='quiet'>{what} {said}.</p>"


def _preserved_section(record: Record) -> str:
    titles = {1: "Single columns", 2: "Two columns together", 3: "Three columns together"}
    return "".join(
        _lights(title, relations(record, width)) for width, title in titles.items()
    )


def _lights(title: str, found: tuple[Relation, ...]) -> str:
    if not found:
        return f"<h3>{title}</h3><p>None of them was measured.</p>"
    rows = "".join(
        f"<tr><td>{escape(' × '.join(one.names))}</td><td>{one.light.sign} "
        f"{one.light.says}</td>"
        f"<td class='n'>{_percent(one.error)}</td></tr>"
        for one in found[:SHOWN]
    )
    more = f"<p class='quiet'>The worst {SHOWN} of {len(found):,}.</p>" * (len(found) > SHOWN)
    head = "<tr><th>Columns</th><th>Kept</th><th>Error bar</th></tr>"
    return f"<h3>{title}</h3><table>{head}{rows}</table>{more}"


def _percent(error: float) -> str:
    return "not known" if math.isnan(error) else f"{100 * error:.1f} %"


def _worked_section(found: Worked) -> str:
    if not found:
        return (
            "<p>The noise hides the answers to simple questions. Ask about larger groups.</p>"
        )
    return "".join(_example(question, answer) for question, _, answer in found)


def _example(question: str, answer: Conclusion) -> str:
    head = "<tr><th></th><th>Estimate</th><th>From</th><th>To</th></tr>"
    rows = "".join(
        f"<tr><td>{escape(label)}</td>{_numbers(answer, i)}</tr>"
        for i, label in enumerate(answer.labels or (answer.unit,))
    )
    return (
        f"<h3><code>{escape(question)}</code></h3><table>{head}{rows}</table>"
        f"<p class='quiet'>{escape(answer.sentence)}</p>"
    )


def _numbers(answer: Conclusion, i: int) -> str:
    values = (float(one[i]) for one in (answer.estimate, answer.low, answer.high))
    return "".join(f"<td class='n'>{value:,.6g}</td>" for value in values)
