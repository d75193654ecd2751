"""What else is made of tables and bundles: texts that must stay the same."""

import io
import json
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import synth
from synth.__main__ import main
from tests.golden import tables

QUESTIONS = (
    "count where age >= 65 and sex = F",
    "share where hours > 30",
    "mean age by sex",
    "total hours",
    "table sex by smoker",
    "top 2 smoker",
    "variance age",
    "median age",
    "covariance age, hours",
    "correlation age, hours",
    "regression hours on age, sex",
    "logistic smoker on age, sex",
    "quantiles .1, .9 of age",
    "components age, hours",
    "best of [age < 30; age > 60] by count",
)
NAMES = ("sex", "age", "hours", "smoker")


def run_command(folder: Path, *words: str) -> str:
    """What a command prints, without the folder's name."""
    out = io.StringIO()
    errors = io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        status = main([*words])
    return f"{status} {out.getvalue()}{errors.getvalue()}".replace(str(folder), "")


def save_release(folder: Path, **options: object) -> Path:
    """A bundle of some columns."""
    release = synth.release(
        tables.people_frame(), tables.declared_domain(), epsilon=9, columns=NAMES, **options
    )
    return release.save(folder / "release.zip")


def answer_all(folder: Path, **options: object) -> str:
    """All that a bundle answers; simulations are not seeded by the digest of its
    certificate.
    """
    analysis = replace(synth.analyse(save_release(folder, **options)), digest="")
    pair = ("mean age where sex = F", "mean age where sex = M")
    ways: list[Callable[[], Iterable[Any]]] = [
        partial(analysis.ask, question, about=about)
        for question in QUESTIONS
        for about in ("rows", "people")
    ]
    ways += [
        lambda ratio=ratio: [analysis.contrast(*pair, ratio=ratio)] for ratio in (False, True)
    ]
    ways.append(lambda: [analysis.interval(lambda rows: rows["age"].mean(), ["age"])])
    return json.dumps([conclusion for way in ways for conclusion in conclusions_of(way)])


def conclusions_of(way: Callable[[], Iterable[Any]]) -> list[Any]:
    """Conclusions, or why there are none."""
    try:
        return [answer.to_json() for answer in way()]
    except synth.SynthError as error:
        return [str(error)]


def replicate_tables(folder: Path, **options: object) -> str:
    """Tables like a release's own."""
    replicates = synth.replicates(save_release(folder, **options), tables=2)
    return "".join(table.to_csv() for table in replicates)


def compare_rows(folder: Path) -> str:
    """The comparison of real and synthetic rows."""
    comparison = synth.compare(tables.people_frame(), save_release(folder, method="one-shot"))
    slopes = comparison.slopes
    words = f"Slopes(association={slopes.association}, correlation={slopes.correlation})"
    return f"{comparison.table.to_csv()}{words}{comparison.derived.to_csv()}"


def forecast_methods(_: Path) -> str:
    """What every method is likely to be worth, for some budgets."""
    budgets = ((1, 0, "replace-one"), ("1/10", 0, "add-remove"), (4, "1e-9", "add-remove"))
    return "".join(
        synth.forecast(
            tables.declared_domain(), epsilon, rows=rows, delta=delta, neighbors=neighbors
        ).table.to_csv()
        for epsilon, delta, neighbors in budgets
        for rows in (500, 50_000)
    )


def forecast_answers(folder: Path) -> str:
    """The forecast of answers, every way, and what an error would cost."""
    declared = tables.write_files(folder)[1:]
    question_options = ["--question", "mean age by sex", "--question", "table sex by smoker"]
    words = ["ask", *declared, *question_options, "--forecast", "--rows", "600", "--json"]
    ways = run_command(folder, *words, "--epsilon", "1", "--ways")
    return (
        ways
        + run_command(folder, *words, "--error", "2")
        + run_command(folder, *words, "--rho", "1/9")
    )


def answer_from_release(folder: Path) -> str:
    """Answers off a release, alone and beside paid ones."""
    file_options = tables.write_files(folder)
    bundle = str(folder / "release.zip")
    first = [
        "release",
        *file_options,
        "--epsilon",
        "3",
        "--no-ledger",
        "--method",
        "dense",
        "--out",
        bundle,
    ]
    question_options = ["--question", "mean age by sex", "--question", "table sex by smoker"]
    run_command(folder, *first)
    free = run_command(
        folder,
        "ask",
        *file_options,
        *question_options,
        "--release",
        bundle,
        "--way",
        "release",
        "--json",
    )
    words = [
        "ask",
        *file_options,
        *question_options,
        "--release",
        bundle,
        "--epsilon",
        "1/2",
        "--no-ledger",
        "--json",
    ]
    return free + run_command(folder, *words)


def check_and_score(folder: Path) -> str:
    """Whether rows fit, and a score: spends of their own."""
    file_options = tables.write_files(folder)
    written = ["--ledger", str(folder / "l.db"), "--dataset", "people", "--json"]
    spend_options = ["--epsilon", "1/2", "--columns", "age", "--budget", "9"]
    fits = run_command(folder, "check", *file_options, *spend_options, *written)
    words = [
        "--epsilon",
        "2",
        "--method",
        "dense",
        "--score",
        "1",
        "--out",
        str(folder / "out"),
    ]
    return fits + run_command(folder, "release", *file_options, *words, *written)


def draft_domains(folder: Path) -> str:
    """Declarations that were drafted with a guarantee."""
    table = tables.write_files(folder)[0]
    pure = run_command(
        folder, "domain", "draft", table, "--no-ledger", "--epsilon", "8", "--rows", "600"
    )
    words = ["--epsilon", "4", "--delta", "1e-6", "--columns", "sex,region,age,since"]
    return pure + run_command(
        folder, "domain", "draft", table, "--no-ledger", *words, "--neighbors", "add-remove"
    )


def in_parts(folder: Path) -> str:
    """Rows in parts."""
    words = [
        "--epsilon",
        "4",
        "--method",
        "tree",
        "--in-parts",
        "--out",
        str(folder / "parts"),
        "--json",
    ]
    text = run_command(folder, "release", "--no-ledger", *tables.write_files(folder), *words)
    texts = [path.read_text() for path in sorted((folder / "parts").rglob("*.csv/*"))]
    return text + "".join(texts)


def plan_collection(folder: Path) -> str:
    """How many people a form needs."""
    arguments = [
        "--question",
        "Do you smoke?",
        "--question",
        "How often? [never | at times | often]",
    ]
    words = ["collect", "plan", *arguments, "--epsilon", "2", "--json"]
    return run_command(folder, *words, "--error", "0.05") + run_command(
        folder, *words, "--people", "1000"
    )


OTHERS: dict[str, Callable[[Path], str]] = {
    "analyse a histogram": lambda folder: answer_all(folder, method="dense"),
    "analyse a model": lambda folder: answer_all(folder, method="tree", delta="1e-9"),
    "replicate a histogram": lambda folder: replicate_tables(folder, method="dense"),
    "replicate a model": lambda folder: replicate_tables(folder, method="tree"),
    "compare": compare_rows,
    "forecast a release": forecast_methods,
    "forecast answers": forecast_answers,
    "ask a release": answer_from_release,
    "check and score": check_and_score,
    "draft": draft_domains,
    "parts": in_parts,
    "collect": plan_collection,
}
"""What gives a text, in a folder."""
