"""Relations that all rows of a table obey, as a look offers them. PRIVATE until taken in.

A proposal rests on all rows, and one row could break it. So it is shown to the steward alone,
who vouches for it by taking it in: the rule or the derived column is marked as taken from the
rows.

>>> order = Proposal(
...     name="start <= end",
...     sentence="'start' is at most 'end'",
...     columns=("start", "end"),
...     rule={"order": [["start", "end"]]},
... )
>>> taken = take_proposals([order], {"fields": [{"name": "start"}, {"name": "end"}]}, {})
>>> taken.rules
{'taken': {'order': [['start', 'end']]}}
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from synth.domain import KEY, LOOKED_UP
from synth.errors import ArgumentError, name_some
from synth.estimate import TAKEN
from synth.util import Document, Json

# Most names of proposals that a message lists.
NAMED_PROPOSALS = 10
# Keys of a field that a derived column keeps.
KEPT_KEYS = ("name", "title", "description")


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A relation between columns that all rows obey.

    It is either a rule, or a column that follows from others.

    Attributes:
        name: A short text that the steward types to take it in.
        sentence: What all rows obey, as a part of a sentence.
        columns: Names of the columns; a column that follows from the others comes last.
        rule: The rule, in the form of a file of rules; empty for a derived column.
        derivation: How the last column follows, as ``synth:derived``; empty for a rule.
    """

    name: str
    sentence: str
    columns: tuple[str, ...]
    rule: Mapping[str, Json] = field(default_factory=dict)
    derivation: Mapping[str, Json] = field(default_factory=dict)

    @property
    def target(self) -> str:
        """The name of the column that follows from the others; empty for a rule."""
        return self.columns[-1] if self.derivation else ""

    def conflicts_with(self, other: "Proposal") -> bool:
        """Return whether both cannot be taken in.

        A rule is about columns with cells, which a derived column has not. A column follows
        from others in one way only.
        """
        if self.target and other.target:
            return self.target == other.target
        return bool({self.target, other.target} & ({*self.columns} & {*other.columns}))


class TakenProposals(NamedTuple):
    """A declaration and rules with the proposals that were taken in.

    Attributes:
        document: The declaration, a Table Schema.
        rules: The rules, in the form of a file of rules.
    """

    document: Document
    rules: Document


def choose_proposals(
    proposals: Sequence[Proposal], names: Sequence[str], *, every: str = ""
) -> list[Proposal]:
    """Return the proposals of these names, in the order of all proposals.

    Args:
        proposals: All proposals.
        names: Names of some of them.
        every: A name for all proposals; of proposals in conflict it takes the first.

    Raises:
        ArgumentError: There is no proposal of a name, or two of those named exclude each
            other.
    """
    if every and every in names:
        return list_compatible(proposals)
    known_names = [proposal.name for proposal in proposals]
    for name in names:
        if name not in known_names:
            offered = name_some([f"'{known}'" for known in known_names], NAMED_PROPOSALS)
            hint = f"it proposes {offered}" if offered else "it proposes nothing"
            raise ArgumentError(f"The look does not propose '{name}'; {hint}.")
    chosen = [proposal for proposal in proposals if proposal.name in names]
    compatible = list_compatible(chosen)
    for proposal in chosen:
        if proposal not in compatible:
            raise ArgumentError(
                f"'{proposal.name}' cannot be taken in together with the others: a column "
                "follows from others in one way only, and no rule is about such a column."
            )
    return chosen


def list_compatible(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Return proposals that can be taken in together: of those in conflict, the first."""
    compatible: list[Proposal] = []
    for proposal in proposals:
        if not any(proposal.conflicts_with(other) for other in compatible):
            compatible.append(proposal)
    return compatible


def take_proposals(
    proposals: Iterable[Proposal],
    document: Mapping[str, Json],
    rules: Mapping[str, Json] | None,
) -> TakenProposals:
    """Return a declaration and rules with some proposals taken in.

    A proposed rule goes into the part `TAKEN` of the rules, beside the steward's own. A
    proposed derivation goes into the field of its column. As both come from a look at the
    rows, the declaration's origin becomes `LOOKED_UP`.

    Args:
        proposals: The proposals, which do not exclude each other.
        document: The declaration, a Table Schema.
        rules: The rules, in the form of a file of rules; None for none.
    """
    derivations: dict[str, Mapping[str, Json]] = {}  # by the name of the derived column
    new_rules: dict[str, Any] = dict(rules or {})
    taken_rules = {kind: [*entries] for kind, entries in new_rules.get(TAKEN, {}).items()}
    is_changed = False
    for proposal in proposals:
        is_changed = True
        if proposal.target:
            derivations[proposal.target] = proposal.derivation
        for kind, entries in proposal.rule.items():
            taken_rules.setdefault(kind, []).extend(cast("list[Any]", entries))
    if taken_rules:
        new_rules[TAKEN] = taken_rules
    fields = [
        _derive(field, derivations)
        for field in cast("list[dict[str, Json]]", document["fields"])
    ]
    new_document: Document = {**document, "fields": cast("Json", fields)}
    if is_changed:
        new_document["synth:origin"] = LOOKED_UP
    return TakenProposals(new_document, new_rules)


def _derive(
    field: dict[str, Json], derivations: Mapping[str, Mapping[str, Json]]
) -> Document:
    """Return a field; if its column follows from others, without its cells.

    Args:
        field: The Table Schema field of a column.
        derivations: How columns follow from others, by name.
    """
    derivation = derivations.get(str(field["name"]))
    if derivation is None:
        return field
    described = {key: field[key] for key in KEPT_KEYS if key in field}
    return {**described, KEY: {**derivation, "taken": True}}
