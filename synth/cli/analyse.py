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
    from synth.api.analysing import Analysis
    from synth.questions import Question

# Modules for bundles and questions are imported on use: other commands do not need them.


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth analyse``, and the function that runs."""
    set_run(parser, _run, details=True)
    parser.add_argument(
        "bundle", metavar="BUNDLE", help="the zip file or the folder of a release"
    )
    offer_options(parser, "question", "questions")
    questions = in_group(parser, "questions")
    function = in_group(parser, "function")
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
    in_group(parser, "request to check a figure").add_argument(
        "--asker",
        metavar="NAME",
        help="who asks the steward whether the real figure is close to the claimed one; "
        "writes --out, for a --question such as 'close to 0.42 within 0.05: share where ...'",
    )
    group = "request to check a figure"
    written = "with --asker: the file that the steward opens by 'synth ask --request'"
    offer_options(parser, "out", group=group, metavar="FILE.json", help=written)
    offer_options(parser, "overwrite", group=group)
    offer_options(
        parser, "anyway", help="use a bundle that does not verify; every answer mentions it"
    )


def _run(options: argparse.Namespace) -> None:
    """Answer questions from a bundle, or apply a user's function, and print the answers.

    All other questions are answered before an error about refused ones is raised.

    Raises:
        QuestionError: Questions have no answer; the message has the reason of each.
        ArgumentError: Options do not go together.
    """
    from synth.api.analysing import analyse
    from synth.cli.ask import questions_from
    from synth.cli.functions import function_of, progress_bar
    from synth.privacy import parse_rational

    second_question = options.less or options.over
    level = float(parse_rational(options.confidence, name="--confidence"))
    options_of_answer: dict[str, Any] = {"about": options.about, "confidence": level}
    _check_options(options)
    function = None if options.function is None else function_of(options.function)
    analysis = analyse(options.bundle, anyway=options.anyway)
    questions = [] if function else questions_from(options, analysis.domain)
    if options.asker is not None:
        _write_request(options, analysis, questions)
        return
    conclusions: list[Conclusion] = []
    refused: list[str] = []
    if function is not None:
        columns = [name for name in (options.columns or "").split(",") if name]
        options_of_answer |= {"by_model": options.by_model, "progress": progress_bar}
        conclusions = [analysis.interval(function, columns, **options_of_answer)]
    elif second_question is None:
        for question in questions:
            try:
                conclusions += analysis.ask(question, **options_of_answer)
            except QuestionError as error:
                refused.append(str(error))
    elif len(questions) != 1 or (options.less and options.over):
        raise ArgumentError(
            "--less and --over go with one --question, and not with each other."
        )
    else:
        is_ratio = options.over is not None
        conclusions = [
            analysis.contrast(
                questions[0], second_question, ratio=is_ratio, **options_of_answer
            )
        ]
    if conclusions:
        summary: Document = {
            "answers": [conclusion.to_json() for conclusion in conclusions],
            "epsilon": 0,
            "delta": 0,
        }
        lines = conclusion_lines(conclusions, verbose=options.verbose)
        if function is not None:
            lines.append(f"The code of {options.function.rpartition(':')[0]} was run.")
        print_answer(options, summary, [*lines, NOTHING])
    if refused:
        raise QuestionError("\n".join(refused))


def _check_options(options: argparse.Namespace) -> None:
    """Refuse options of a function without one, and a function together with questions.

    Raises:
        ArgumentError: Options do not go together.
    """
    if options.function is None:
        if options.columns or options.by_model:
            raise ArgumentError("--columns and --by-model go with --function.")
    elif options.question or options.questions or options.less or options.over:
        raise ArgumentError("--function goes with --columns, and not with questions.")
    if (options.asker is None) != (options.out is None):
        raise ArgumentError("--asker NAME and --out FILE.json go together.")
    if options.asker is not None and (options.function or options.less or options.over):
        raise ArgumentError("--asker goes with one --question alone.")


def _write_request(
    options: argparse.Namespace, analysis: "Analysis", questions: "Sequence[Question]"
) -> None:
    """Write the request to compare a claimed figure with the real one.

    Raises:
        ArgumentError: There is more than one question.
        QuestionError: The question has no claimed figure.
    """
    from synth.cli.outputs import check_outputs
    from synth.util import FileOutput

    if len(questions) != 1:
        raise ArgumentError("A request has one question; write a file for each.")
    protection = check_outputs(
        options, FileOutput(options.out, (".json",)), inputs=[options.bundle]
    )
    request = analysis.request(questions[0], asker=options.asker)
    path = request.write(options.out, protection)
    summary: Document = {"file": str(path), "question": str(request.question)}
    lines = [str(path), f"The steward answers it by: synth ask TABLE --request {path}"]
    print_answer(options, summary, lines)


def conclusion_lines(conclusions: "Sequence[Conclusion]", *, verbose: bool) -> list[str]:
    """Return each question with its numbers and notes, as lines of text.

    Notes that all conclusions share come once, at the end.

    Args:
        conclusions: At least one.
        verbose: Whether to add how each was computed.
    """
    all_notes = [_notes(conclusion, verbose=verbose) for conclusion in conclusions]
    shared = [note for note in all_notes[0] if all(note in notes for notes in all_notes)]
    lines: list[str] = []
    for conclusion, notes in zip(conclusions, all_notes, strict=True):
        lines.append(conclusion.question)
        lines += [f"  {line}" for line in _number_lines(conclusion)]
        if conclusion.stamp:
            lines.append(f"  UNVERIFIED: {conclusion.stamp}")
        lines += [f"  {note}" for note in notes if note not in shared]
    return [*lines, *shared]


def _notes(conclusion: "Conclusion", *, verbose: bool) -> list[str]:
    """Return sentences on what the interval covers, the method (if verbose), and remarks."""
    notes = [conclusion.sentence]
    if verbose:
        notes.append(f"How: {conclusion.how}.")
    return [*notes, *map(sentence_of, conclusion.remarks)]


def _number_lines(conclusion: "Conclusion") -> list[str]:
    """Return the answer: the chosen values, or a number for each label."""
    if conclusion.chosen:
        return [", ".join(conclusion.chosen)]
    heads = [f"{label}: " for label in conclusion.labels] or [""]
    return [head + text for head, text in zip(heads, conclusion.texts, strict=False)]
