"""``analyse BUNDLE --question '...'``: conclusions from a release, without the table."""

import argparse
from typing import TYPE_CHECKING

from synth.cli.free import NOTHING
from synth.cli.plan import in_group, offer_options
from synth.cli.saying import print_answer, sentence_of, set_run
from synth.errors import ArgumentError, QuestionError
from synth.util import Document

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from synth.analysis import Conclusion

# Modules for bundles and questions are imported on use: other commands do not need them.


def define(parser: argparse.ArgumentParser) -> None:
    set_run(parser, _run, details=True)
    parser.add_argument(
        "bundle", metavar="BUNDLE", help="the zip file or the folder of a release"
    )
    offer_options(parser, "question", "questions")
    questions, function = (in_group(parser, name) for name in ("questions", "function"))
    questions.add_argument(
        "--about",
        choices=("rows", "people"),
        default="rows",
        help="these rows (default), or the people they are a random sample of",
    )
    questions.add_argument(
        "--confidence", metavar="C", default="0.95", help="of the intervals (default: 0.95)"
    )
    function.add_argument(
        "--function",
        metavar="FILE.py:NAME",
        help="apply this function to a DataFrame of --columns; runs the code of the file",
    )
    function.add_argument(
        "--columns", metavar="A,B", help="the columns of the function's DataFrame"
    )
    function.add_argument(
        "--by-model",
        action="store_true",
        help="let a model join columns that were not measured together",
    )
    questions.add_argument("--less", metavar="TEXT", help="subtract this question's answer")
    questions.add_argument("--over", metavar="TEXT", help="divide by this question's answer")
    offer_options(
        parser, "anyway", help="use a bundle that does not verify; every answer mentions it"
    )


def _run(options: argparse.Namespace) -> None:
    from synth.api.analysing import analyse
    from synth.cli.ask import questions_from
    from synth.cli.functions import function_of, progress_bar
    from synth.privacy import parse_rational

    other = options.less or options.over
    level = float(parse_rational(options.confidence, name="--confidence"))
    how: dict[str, Any] = {"about": options.about, "confidence": level}
    if options.function is None and (options.columns or options.by_model):
        raise ArgumentError("--columns and --by-model go with --function.")
    if options.function is not None and (options.question or options.questions or other):
        raise ArgumentError("--function goes with --columns, and not with questions.")
    function = None if options.function is None else function_of(options.function)
    analysis = analyse(options.bundle, anyway=options.anyway)
    asked = [] if function else questions_from(options, analysis.domain)
    found: list[Conclusion] = []
    refused: list[str] = []
    if function is not None:
        columns = [name for name in (options.columns or "").split(",") if name]
        how |= {"by_model": options.by_model, "progress": progress_bar}
        found = [analysis.interval(function, columns, **how)]
    elif other is None:
        for question in asked:
            try:
                found += analysis.ask(question, **how)
            except QuestionError as error:
                refused.append(str(error))
    elif len(asked) != 1 or (options.less and options.over):
        raise ArgumentError(
            "--less and --over go with one --question, and not with each other."
        )
    else:
        found = [analysis.contrast(asked[0], other, ratio=options.over is not None, **how)]
    if found:
        summary: Document = {
            "answers": [one.to_json() for one in found],
            "epsilon": 0,
            "delta": 0,
        }
        lines = conclusion_lines(found, verbose=options.verbose)
        if function is not None:
            lines.append(f"The code of {options.function.rpartition(':')[0]} was run.")
        print_answer(options, summary, [*lines, NOTHING])
    if refused:
        raise QuestionError("\n".join(refused))


def conclusion_lines(found: "Sequence[Conclusion]", *, verbose: bool) -> list[str]:
    """Return numbers with intervals, then the errors that these cover; a note on all comes
    last.
    """
    notes = [
        [one.sentence, *[f"How: {one.how}."] * verbose, *map(sentence_of, one.remarks)]
        for one in found
    ]
    shared = [line for line in notes[0] if all(line in each for each in notes)]
    lines: list[str] = []
    for one, each in zip(found, notes, strict=True):
        heads = [f"{label}: " for label in one.labels] or [""]
        numbers = (
            [", ".join(one.chosen)] if one.chosen else map(str.__add__, heads, one.texts)
        )
        stamp = [f"UNVERIFIED: {one.stamp}"] * bool(one.stamp)
        own = [*numbers, *stamp, *(line for line in each if line not in shared)]
        lines += [one.question, *(f"  {line}" for line in own)]
    return [*lines, *shared]
