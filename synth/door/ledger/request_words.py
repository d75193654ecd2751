"""A request and the second person's view of it, as lines of text. PUBLIC."""

from typing import Any, cast

from synth.door.ledger.chain import WHOLE_LEDGER
from synth.door.ledger.requests import Request
from synth.privacy import name_cost
from synth.util import Document


def describe_request(request: Request) -> str:
    """Return a request as one line: its number, date, who asks, and for what."""
    cost = "" if request.guarantee is None else f", {name_cost(request.guarantee)}"
    project = f", project '{request.project}'" if request.project else ""
    about = "the whole ledger" if request.dataset == WHOLE_LEDGER else f"'{request.dataset}'"
    return (
        f"{request.number:>4}  {request.time[:10]}  {request.by} asks of {about}: "
        f"{request.purpose}{cost}{project} ({request.state})"
    )


def dossier_lines(request: Request, dossier: Document) -> list[str]:
    """Return the second person's view of a request, as lines.

    Args:
        request: The request.
        dossier: The second person's view of it; it may be empty.
    """
    content = cast("dict[str, Any]", dossier)
    lines = [describe_request(request)]
    if content.get("promise"):
        lines.append(f"Promise: {content['promise']}")
    if content.get("vouches"):
        lines.append("The request vouches that values taken from the rows are public.")
    lines += content.get("choices", [])
    if content.get("forecast"):
        lines += ["Forecast, by the number of rows:", *content["forecast"]]
    for table in content.get("tables", []):
        name = f"Table '{table['table']}'" if table["table"] else "Columns"
        lines.append(f"{name}: {table['remark']}")
        lines += [f"  {_describe_column(column)}" for column in table["columns"]]
    return lines


def _describe_column(column: dict[str, Any]) -> str:
    """Return a declared column as text: its name and its declaration."""
    declared = [f"{name} {value}" for name, value in column.items() if name != "name"]
    return ": ".join([str(column["name"]), *filter(None, [", ".join(declared)])])
