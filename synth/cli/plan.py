"""The options of a command that follows a plan, and the plan they make.

A plan is given by its options, or whole by ``--plan FILE``, as a bundle has it.
"""

import argparse
from fractions import Fraction
from pathlib import Path

from synth import limits
from synth.domain.domain import Domain
from synth.domain.table_schema import read_schema
from synth.errors import ArgumentError
from synth.estimate.models.names import Favour
from synth.estimate.repair.histogram import Repair
from synth.foreign.files import read_file
from synth.plans.plan import Method, Plan
from synth.privacy.guarantee import Neighbors, Unit, parse_epsilon, parse_rational, parse_whole
from synth.util.check import read_json

_SAID_BY_A_PLAN = (
    "domain columns epsilon neighbors method delta groups rules max_model_mb person max_rows "
    "repair rows favour predict"
).split()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Every choice of a plan, or one file with all of them."""
    parser.add_argument("--plan", metavar="FILE", help="plan.json of a bundle, instead of these:")
    declare(parser, required=False)
    spend(parser, required=False)
    parser.add_argument(
        "--method",
        choices=[m.value for m in Method],
        help="auto (default): decides by public numbers: rows (noisy ones where they are "
        "private), cells and epsilon; dense: the histogram of all cells; histogram: of any size, "
        "from a public threshold up; the others join marginals by a model",
    )
    parser.add_argument(
        "--delta",
        metavar="D",
        help="for a model: (epsilon, delta) by way of Gaussian DP, such as 1e-9",
    )
    parser.add_argument("--groups", metavar="a,b;c,d", help="for groups: columns of each group")
    parser.add_argument("--rules", metavar="FILE", help="JSON of public rules, true of every row")
    parser.add_argument(
        "--max-model-mb", metavar="MB", help=f"memory of a model (default: {limits.MODEL_MB})"
    )
    parser.add_argument("--repair", choices=[r.value for r in Repair])
    parser.add_argument("--rows", metavar="N", help="synthetic rows wanted")
    parser.add_argument(
        "--favour",
        choices=[f.value for f in Favour],
        help="what rows that are settled on pairs are nearest to: errors (default) or "
        "associations, such as correlations; for auto, one-shot and adaptive, at no cost",
    )
    parser.add_argument(
        "--predict",
        metavar="COLUMN",
        help="the column that analysts will predict: its pairs with the others come first; for "
        "auto, one-shot and adaptive",
    )


def declare(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """The options of a command about declared columns."""
    parser.add_argument("--domain", required=required, metavar="FILE", help="Table Schema JSON")
    parser.add_argument("--columns", metavar="a,b,..", help="the columns that take part")


def spend(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """The options of a command about a spend."""
    parser.add_argument("--epsilon", required=required, metavar="E", help="such as 1, 0.5 or 1/3")
    parser.add_argument(
        "--neighbors",
        choices=[n.value for n in Neighbors],
        help="what the guarantee compares (default: replace-one)",
    )
    parser.add_argument(
        "--person", metavar="COLUMN", help="whose row it is; default: each row's own"
    )
    parser.add_argument(
        "--max-rows", metavar="K", help="most rows of one person that count (default: 1)"
    )


def plan_from(options: argparse.Namespace) -> Plan:
    """The plan that the options make.

    Raises:
        SynthError: Something is missing, said twice or wrong.
    """
    dataset = options.dataset or Path(options.table).name
    if options.plan is not None:
        return _read(options, dataset)
    for name in ("domain", "epsilon"):
        if getattr(options, name) is None:
            raise ArgumentError(
                f"The option --{name} is missing; give it, or a whole plan by --plan FILE."
            )
    from synth.estimate.models.rules import load_rules

    return Plan(
        domain=domain_from(options),
        epsilon=parse_epsilon(options.epsilon),
        neighbors=neighbors_from(options),
        method=Method(options.method or Method.AUTO),
        unit=unit_from(options),
        repair=Repair(options.repair or Repair.AUTO),
        rows=None if options.rows is None else rows_from(options.rows),
        dataset=dataset,
        delta=delta_from(options.delta),
        groups=_groups(options.groups),
        rules=None if options.rules is None else load_rules(options.rules),
        max_model_mb=_megabytes(options.max_model_mb),
        favour=Favour(options.favour or Favour.ERRORS),
        predict=options.predict or "",
    )


def domain_from(options: argparse.Namespace) -> Domain:
    """The declared columns that take part."""
    domain = read_schema(options.domain)
    if options.columns is None:
        return domain
    return domain.project(name.strip() for name in options.columns.split(","))


def neighbors_from(options: argparse.Namespace) -> Neighbors:
    """The neighbouring relation."""
    return Neighbors(options.neighbors or Neighbors.REPLACE_ONE)


def unit_from(options: argparse.Namespace) -> Unit:
    """Whose data is to be protected."""
    most, text = limits.ROWS_MAX, options.max_rows
    rows = 1 if text is None else parse_whole(text, name="--max-rows", most=most, example=4)
    return Unit(options.person or "", rows)


def rows_from(text: str) -> int:
    """A number of rows.

    Raises:
        ArgumentError: It is none, or too large.
    """
    return parse_whole(text, name="--rows", most=limits.ROWS_MAX)


def _read(options: argparse.Namespace, dataset: str) -> Plan:
    for name in _SAID_BY_A_PLAN:
        if getattr(options, name) is not None:
            raise ArgumentError(
                f"The plan says all; leave out --{name.replace('_', '-')}, or --plan."
            )
    path = Path(options.plan)
    try:
        text = read_file(path, limits.SCHEMA_MB * 2**20)
        content = read_json(text, f"The plan '{path.name}'")
    except OSError:
        raise ArgumentError(f"The plan '{path}' cannot be read.") from None
    return Plan.from_json({**content, "dataset": dataset} if isinstance(content, dict) else {})


def delta_from(text: str | None) -> Fraction:
    """A delta above 0; 0 where none is given.

    Raises:
        ArgumentError: It is none.
    """
    if text is None:
        return Fraction(0)
    delta = parse_rational(text, name="delta")
    if delta <= 0:
        raise ArgumentError("delta must be above 0; leave it out for pure epsilon.")
    return delta


def _groups(text: str | None) -> tuple[tuple[str, ...], ...]:
    if text is None:
        return ()
    groups = [tuple(name.strip() for name in group.split(",")) for group in text.split(";")]
    return tuple(groups)


def _megabytes(text: str | None) -> int:
    if text is None:
        return min(limits.MODEL_MB, limits.memory_mb())
    return parse_whole(text, name="--max-model-mb", most=10**9, example=512)
