"""A second person's view of a spend before approving it. PUBLIC.

It follows from the request alone: its purpose, its promise, the description of the
columns, and a forecast for tables of several sizes. No row is read for it. Values that were
taken from the rows are left out, unless the request vouches that they are public; then they
are marked.
"""

import json
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from synth.bundle.claims import claim_of_answers
from synth.domain import LOOKED_UP, Domain, write_schema
from synth.estimate import FitCheck
from synth.forecasts import outlook
from synth.plans import Plan
from synth.privacy import Guarantee, Neighbors, Unit, name_cost
from synth.questions import Inquiry
from synth.util import Document, Json, write_number

# Numbers of rows for which the errors are forecast, as the table's own may be private.
FORECAST_ROWS = (1_000, 10_000, 100_000)
NOT_FORECAST = "A request of this kind has no forecast."
TAKEN_HIDDEN = (
    "The description was taken from the confidential rows, so its values are not shown here."
)
TAKEN_SHOWN = (
    "Marked: the values of this description were taken from the confidential rows. The "
    "request vouches that all of them are public, and the guarantee does not cover them."
)
DECLARED = "The description was not taken from the rows."


class Described(Protocol):
    """A paid request, with the facts that a second person needs of each."""

    @property
    def neighbors(self) -> Neighbors:
        """The relation of the guarantee."""

    @property
    def unit(self) -> Unit:
        """The protected unit."""


@runtime_checkable
class WithDeclarations(Protocol):
    """A request about declared tables, such as a plan."""

    @property
    def declarations(self) -> Mapping[str, tuple[Domain, str]]:
        """The declared columns of each table, and the column that names its unit."""


def describe_spend(spending: Described, guarantee: Guarantee, purpose: str) -> Document:
    """Return a second person's view of a spend, as JSON with nothing private.

    Args:
        spending: The request.
        guarantee: The cost.
        purpose: What for, in the words of the ledger.
    """
    domains = _domains_of(spending)
    return {
        "purpose": purpose,
        "cost": name_cost(guarantee),
        "promise": claim_of_answers(
            guarantee, spending.neighbors, str(spending.unit)
        ).statement,
        "choices": _choices_of(spending),
        "forecast": [*_forecast_lines(spending)],
        "vouches": any(_is_taken(domain) and domain.vouched for domain in domains.values()),
        "tables": [_describe_table(name, domain) for name, domain in domains.items()],
    }


def _domains_of(spending: Described) -> dict[str, Domain]:
    """Return the declared columns of each table of a request; a draft has none."""
    if isinstance(spending, WithDeclarations):
        return {name: domain for name, (domain, _) in spending.declarations.items()}
    domain = getattr(spending, "domain", None)
    return {"": domain} if isinstance(domain, Domain) else {}


def _is_taken(domain: Domain) -> bool:
    """Return whether the description of the columns was taken from the rows."""
    return domain.origin == LOOKED_UP


def _describe_table(name: str, domain: Domain) -> Document:
    """Return a table's description; without values that nobody vouches for."""
    is_hidden = _is_taken(domain) and not domain.vouched
    if is_hidden:
        columns: Json = [{"name": column_name} for column_name in domain.names]
        remark = TAKEN_HIDDEN
    else:
        columns = write_schema(domain)["fields"]
        remark = TAKEN_SHOWN if _is_taken(domain) else DECLARED
    return {"table": name, "remark": remark, "columns": columns}


def _choices_of(spending: Described) -> list[str]:
    """Return the steward's choices that a second person should know, as sentences."""
    if isinstance(spending, Inquiry):
        return [f"Question: {question}" for question in spending.questions]
    if not isinstance(spending, Plan):
        return []
    choices = [f"Method: {spending.method}.", f"Favour: {spending.favour.value}."]
    if spending.public is not None:
        choices.append(
            f"A public table is the first guess; {spending.public.vouched_by} vouches for it."
        )
    if spending.taken_relations and not spending.domain.vouched:
        choices.append("Rules between columns were taken from the rows, and are not shown.")
    else:
        rules = spending.to_json().get("rules")
        choices += [f"Rules: {json.dumps(rules)}"] if rules else []
    return choices


def _forecast_lines(spending: Described) -> list[str]:
    """Return the expected errors of a request for several numbers of rows, as sentences."""
    if isinstance(spending, Plan):
        return [_forecast_plan(spending, rows) for rows in FORECAST_ROWS]
    if isinstance(spending, Inquiry):
        return [
            f"{rows:,} rows: {question}: expected error "
            f"{write_number(answer.expected_error)}."
            for rows in FORECAST_ROWS
            for question, answer in zip(
                spending.questions, spending.forecast(rows), strict=True
            )
        ]
    if isinstance(spending, FitCheck):
        deviation = spending.noise.variance**0.5
        return [f"Each number has noise of standard deviation {deviation:.1f}."]
    return [NOT_FORECAST]


def _forecast_plan(plan: Plan, rows: int) -> str:
    """Return the expected error of a release of a table with so many rows, as a sentence."""
    expectation = outlook(plan, rows)
    columns, pairs = expectation.columns, expectation.pairs
    return (
        f"{rows:,} rows: {columns.low:.1%} to {columns.high:.1%} of the rows in the wrong "
        f"place for columns, {pairs.low:.1%} to {pairs.high:.1%} for pairs of columns."
    )
