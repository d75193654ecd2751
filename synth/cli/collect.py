"""``python -m synth collect form|plan|read``: randomised answers and their estimates."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from synth.cli.outputs import check_outputs
from synth.cli.plan import offer_options
from synth.cli.saying import add_verb, print_answer
from synth.errors import ArgumentError, CollectError
from synth.foreign import load_file
from synth.limits import FORM_MB, PEOPLE_MAX, ROWS_MAX
from synth.privacy import parse_epsilon, parse_rational, parse_whole, plain
from synth.util import Document, FileOutput, Protection

if TYPE_CHECKING:
    from synth.collecting import Collected, FormDesign

# Modules for forms and answers are imported on use: other commands do not need them.

FORM_EXAMPLES = """questions are answered yes or no, or with one of the options in brackets:
  'Do you smoke?'      'How often do you swim? [never | now and then | often]'

a file of questions has one on each line, or is a JSON list of such texts and of
objects {"question": "How often?", "options": ["never", "often"]}"""


def define(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of ``synth collect`` with their options."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="form|plan|read")
    form = add_verb(
        verbs, "form", "make the form: one HTML file that needs no network", run=_form
    )
    form.add_argument("--title", metavar="TEXT", help="over the form")
    offer_options(
        form,
        "out",
        required=True,
        metavar="FILE",
        help="the form (.html), or its design alone (.json)",
    )
    offer_options(form, "overwrite")
    plan = add_verb(
        verbs, "plan", "say how many people are needed, before you ask any", run=_plan
    )
    plan.add_argument("--form", metavar="FILE", help="a form, or its design, that exists")
    plan.add_argument("--error", metavar="T", help="largest error of a share, such as 0.05")
    plan.add_argument(
        "--outside", metavar="B", help="chance that some share is further off (default: 0.05)"
    )
    plan.add_argument("--people", metavar="N", help="accuracy with this many people")
    for verb in (form, plan):
        _question_options(verb)
    read_verb = add_verb(
        verbs, "read", "estimate the shares from the collected answers", run=_read
    )
    read_verb.add_argument(
        "files", nargs="+", metavar="FILES", help="files of answers, folders or zips of them"
    )
    read_verb.add_argument(
        "--form", required=True, metavar="FILE", help="the form, or its design"
    )
    read_verb.add_argument(
        "--table",
        metavar="I,J",
        help="the joint table of these questions, by number from 1 up",
    )
    offer_options(
        read_verb, "out", metavar="FILE.csv", help="a synthetic table of made-up people"
    )
    read_verb.add_argument(
        "--rows", metavar="N", help="its rows (default: as many as people)"
    )
    offer_options(read_verb, "overwrite")


def _question_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that give the questions of a form and its epsilon."""
    parser.epilog = FORM_EXAMPLES
    parser.add_argument(
        "--question",
        action="append",
        default=[],
        metavar="TEXT",
        help="a question; repeatable",
    )
    parser.add_argument("--questions", metavar="FILE", help="a file of questions")
    parser.add_argument(
        "--epsilon", metavar="E", help="of one person, over all questions together"
    )


def _form(options: argparse.Namespace) -> None:
    """Write a form that randomises answers, or its design alone, and print their facts."""
    from synth.collecting import design_text, form_html

    protection = check_outputs(options, FileOutput(options.out, (".html", ".json")))
    design = _design(options)
    if not options.overwrite:
        _spare(Path(options.out), design)
    is_form = options.out.lower().endswith(".html")
    text = form_html(design) if is_form else design_text(design)
    protection.write_file(options.out, lambda part: part.write_bytes(text.encode()))
    summary: Document = {
        "form": design.identifier,
        "epsilon": str(design.epsilon),
        "certified_loss": str(design.loss),
        "neighbors": "one person's answers replaced by any others (local model)",
        "questions": design.to_json()["questions"],
        "files": [options.out],
    }
    lines = [f"Written: {options.out}", *_design_lines(design)]
    print_answer(options, summary, lines)


def _spare(path: Path, design: "FormDesign") -> None:
    """Refuse to replace another form, without which its answers could not be read.

    Args:
        path: The file to write; it may hold anything, or not exist.
        design: The design of the new form.

    Raises:
        ArgumentError: The file holds another form.
    """
    if not path.is_file():
        return
    try:
        form_there = _form_of(str(path))
    except CollectError:  # it is no form; the usual protection of files decides
        return
    if form_there.identifier != design.identifier:
        raise ArgumentError(
            f"'{path}' holds another form, whose answers are read by it; choose another "
            "name, or replace it by --overwrite."
        )


def _plan(options: argparse.Namespace) -> None:
    """Print how many people a largest error needs, or the accuracy with so many people."""
    if (options.error is None) == (options.people is None):
        raise ArgumentError("Give either --error T or --people N.")
    design = _design(options)
    if options.people is not None:
        numbers, lines = _plan_accuracy(options, design)
    else:
        numbers, lines = _plan_people(options, design)
    summary: Document = {"form": design.identifier, "epsilon": str(design.epsilon), **numbers}
    print_answer(options, summary, [*lines, *_design_lines(design)])


def _plan_accuracy(
    options: argparse.Namespace, design: "FormDesign"
) -> tuple[Document, list[str]]:
    """Return the half widths of 95 % intervals with ``--people``, as JSON and as lines."""
    from synth.collecting import expected_reach

    people = parse_whole(options.people, name="--people", most=PEOPLE_MAX)
    half_widths = [expected_reach(weights, people) for weights in design.weights]
    lines = [f"With {people:,} people, the 95 % interval of each share is at its widest:"]
    for question, half_width in zip(design.questions, half_widths, strict=True):
        lines.append(f"  {question.text}: ± {100 * half_width:.1f} percentage points")
    return {"people": people, "reach": half_widths}, lines


def _plan_people(
    options: argparse.Namespace, design: "FormDesign"
) -> tuple[Document, list[str]]:
    """Return how many people the largest ``--error`` needs, as JSON and as lines.

    ``--outside`` is the probability with which some share may be further off.
    """
    from synth.collecting import USUAL_MISS_CHANCE, people_needed

    error = parse_rational(options.error, name="--error")
    outside = USUAL_MISS_CHANCE
    if options.outside is not None:
        outside = parse_rational(options.outside, name="--outside")
    needed = people_needed(design, error=error, outside=outside)
    sentence = (
        f"{needed.exact:,} people are enough: all shares are within {plain(error)} of the "
        f"truth with probability at least {float(1 - outside):g} (exact binomial law; "
        f"Hoeffding's bound: {needed.hoeffding:,})."
    )
    numbers: Document = {
        "error": str(error),
        "outside": str(outside),
        "people": needed.exact,
        "hoeffding": needed.hoeffding,
    }
    return numbers, [sentence]


def _design(options: argparse.Namespace) -> "FormDesign":
    """Return the design of an existing form, or a new one from questions and an epsilon.

    Raises:
        ArgumentError: Options are missing or do not go together.
        CollectError: The form cannot be read.
    """
    from synth.collecting import TITLE, FormDesign, parse_closed, read_closed

    # Only the verb `plan` has the option --form, and only `form` has --title.
    if getattr(options, "form", None) is not None:
        if options.question or options.questions or options.epsilon:
            raise ArgumentError("--form has its questions and epsilon; leave out the others.")
        return _form_of(options.form)
    if options.epsilon is None:
        raise ArgumentError("Set the epsilon of one person over all questions: --epsilon E.")
    questions = read_closed(Path(options.questions)) if options.questions else ()
    questions += tuple(map(parse_closed, options.question))
    title = getattr(options, "title", None)
    return FormDesign(
        questions, parse_epsilon(options.epsilon), TITLE if title is None else title
    )


def _form_of(name: str) -> "FormDesign":
    """Return the design in a file, which is a form or the design alone."""
    from synth.collecting import read_design

    content = load_file(name, FORM_MB * 2**20, "The form", kind=CollectError)
    return read_design(content, Path(name).name)


def _design_lines(design: "FormDesign") -> list[str]:
    """Return sentences on the guarantee of a form, and its identifier."""
    number = len(design.questions)
    questions = "1 question" if number == 1 else f"{number} questions"
    return [
        f"{questions}, epsilon {plain(design.epsilon)} for each person over all of them. "
        "Synth proved that no person loses more.",
        "Neighbours: one person's answers replaced by any others (local model). No ledger "
        "counts it: answers are protected before they leave.",
        f"Form {design.identifier}",
    ]


def _read(options: argparse.Namespace) -> None:
    """Print estimates of shares from collected answers, and write made-up people.

    The joint table of some questions is added with ``--table``.
    """
    from synth.collecting import debiased_shares, read_collected

    if options.rows is not None and options.out is None:
        raise ArgumentError("--rows goes with --out FILE.csv.")
    outputs = [FileOutput(options.out, (".csv",))] if options.out else []
    protection = check_outputs(options, *outputs, is_same_again=False)
    design = _form_of(options.form)
    questions = _numbers(options.table, design)
    collected = read_collected(map(Path, options.files), design)
    shares = debiased_shares(collected)
    summary: Document = {
        "form": design.identifier,
        "epsilon": str(design.epsilon),
        "certified_loss": str(design.loss),
        "people": collected.people,
        "questions": [
            {
                "question": question.text,
                "shares": [share.to_json() for share in question_shares],
            }
            for question, question_shares in zip(design.questions, shares, strict=True)
        ],
    }
    lines = [f"{collected.people:,} people answered."]
    for question, question_shares in zip(design.questions, shares, strict=True):
        lines.append(question.text)
        width = max(len(share.option) for share in question_shares)
        lines += [f"  {share.option:{width}}  {share.text}" for share in question_shares]
    lines.append("Each 95 % interval contains the true share with at least 95 % probability.")
    if questions:
        summary["joint"], joint_lines = _estimate_joint(collected, questions)
        lines += joint_lines
    if options.out:
        summary["synthetic"], people_lines = _write_people(options, collected, protection)
        lines += people_lines
    print_answer(options, summary, [*lines, *_design_lines(design)])


def _estimate_joint(
    collected: "Collected", questions: tuple[int, ...]
) -> tuple[Document, list[str]]:
    """Return the joint table of some questions, as JSON and as lines of text.

    Args:
        collected: The randomised answers.
        questions: The numbers of the questions, from 0.
    """
    from synth.collecting import joint_shares

    joint = joint_shares(collected, questions)
    lines = ["Joint table, repaired (debiased, standard error):"]
    for chosen, debiased, error, repaired in joint.cells():
        spread = f"{100 * debiased:.1f} ± {100 * error:.1f} %"
        lines.append(f"  {' & '.join(chosen)}: {100 * repaired:.1f} % ({spread})")
    return joint.to_json(), lines


def _write_people(
    options: argparse.Namespace, collected: "Collected", protection: Protection
) -> tuple[Document, list[str]]:
    """Write a synthetic table of people by the collected answers.

    Args:
        options: Name the file and perhaps its number of rows.
        collected: The randomised answers.
        protection: It refuses to replace files.

    Returns:
        What was written, as JSON and as lines of text.
    """
    from synth.collecting import draw_people, write_people

    path = Path(options.out)
    rows = None
    if options.rows is not None:
        rows = parse_whole(options.rows, name="--rows", most=ROWS_MAX)
    people = draw_people(collected, rows)
    write_people(people, path, protection)
    summary: Document = {
        "file": str(path),
        "rows": people.table.rows,
        "joint": people.joint,
    }
    return summary, [f"{people.table.rows:,} made-up people. {people.says}", f"  {path}"]


def _numbers(text: str | None, design: "FormDesign") -> tuple[int, ...]:
    """Return the numbers of questions from 0, typed from 1 with commas between them.

    There are none without a text.

    Raises:
        ArgumentError: A number is no question, or is given twice.
    """
    if text is None:
        return ()
    question_count = len(design.questions)
    numbers = [
        parse_whole(part, name="--table", most=question_count, example=1)
        for part in text.split(",")
    ]
    if len(set(numbers)) < len(numbers):
        raise ArgumentError("--table names a question twice.")
    return tuple(number - 1 for number in numbers)
