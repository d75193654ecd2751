"""A release without a declaration: its columns are described first, by a draft. DOOR.

The draft is paid from the same epsilon and delta, or it reads the rows without a guarantee.

>>> split = DraftSplit.of(Fraction(1), Fraction(1, 10**9))
>>> str(split.draft), str(split.release)
('epsilon = 1/2, delta = 1/1000000000', 'epsilon = 1/2')
>>> str(split.draft + split.release)
'epsilon = 1, delta = 1/1000000000'
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import add
from typing import NamedTuple

from synth.domain import Decisions, Domain
from synth.door import Ledger
from synth.drafting import DraftRequest, finish_complete
from synth.errors import ArgumentError, DomainError
from synth.privacy import Guarantee, name_cost
from synth.private.table import PrivateTable, look_through
from synth.spending.draft import draft_domain
from synth.spending.purchase import SpendSetting, mark_of, request_of

# The share of epsilon that a draft costs; the whole delta goes to the draft, which alone
# needs one.
DRAFT_SHARE = Fraction(1, 2)
# A delta that sentences show, and that a terminal offers.
OFFERED_RELEASE_DELTA = "1e-9"


class DescribingWords(NamedTuple):
    """The three ways to describe the columns, in the words of the place of the steward.

    Attributes:
        declare: How to give a declaration.
        draft: How to ask for a private draft.
        look: How to ask for a draft from the rows.
    """

    declare: str
    draft: str
    look: str

    @property
    def sentence(self) -> str:
        """The refusal of a release whose columns nobody described."""
        return (
            f"Nothing describes the columns: {self.declare}, {self.draft} to spend half of "
            "epsilon and all of delta on a private draft of the description, or "
            f"{self.look} to draft it from the rows without a guarantee."
        )

    @property
    def other_ways(self) -> str:
        """What to do where a private draft finds too little."""
        return f"{self.declare}, or {self.look} to draft it from the rows without a guarantee"


@dataclass(frozen=True, kw_only=True)
class DraftSplit:
    """How a release without a declaration spends its epsilon and its delta.

    Attributes:
        draft: For the draft of the columns: a share of epsilon, and the delta.
        release: For the synthetic rows: the rest of epsilon.
        beside: What the same command buys in addition, such as a check or a score.
    """

    draft: Guarantee
    release: Guarantee
    beside: tuple[Guarantee, ...] = ()

    @classmethod
    def of(cls, epsilon: Fraction, delta: Fraction) -> "DraftSplit":
        """Split an epsilon and a delta above 0; the parts add up to them exactly.

        Raises:
            ArgumentError: The delta is not between 0 and 1.
        """
        draft_epsilon = epsilon * DRAFT_SHARE
        return cls(
            draft=Guarantee.approximate(draft_epsilon, delta),
            release=Guarantee.pure(epsilon - draft_epsilon),
        )

    @property
    def costs(self) -> list[Guarantee]:
        """All spends of the command, the draft first."""
        return [self.draft, self.release, *self.beside]

    def say(self, domain: Domain) -> str:
        """Return a sentence on what the draft described, and what both parts cost together.

        Args:
            domain: The described columns, which say what is left out.
        """
        described = len(domain.columns)
        column_count = described + len(domain.decisions.left_out)
        return (
            f"A private draft described {described:,} of {column_count:,} columns for "
            f"{name_cost(self.draft)}; the draft and the release together cost "
            f"{name_cost(self.draft + self.release)}."
        )


def describe_privately(
    request: DraftRequest,
    table: PrivateTable,
    split: DraftSplit,
    *,
    words: DescribingWords,
    setting: SpendSetting,
) -> Domain:
    """Return the columns that a paid draft describes; it names the others as left out.

    Args:
        request: The columns to draft, at the price of the draft.
        table: The confidential table.
        split: The prices of the draft and of the release after it.
        words: How the steward can describe columns otherwise.
        setting: The ledger that records the spend, and the callback of the stages.

    Raises:
        SynthError: With one sentence. Nothing is spent if the budget is too small for both
            parts, or the rows are too few for any column.
        DomainError: The draft is paid, and describes no column.
    """
    if setting.ledger is not None:
        _refuse_beyond_budget(request, table, split, ledger=setting.ledger)
    drafted = draft_domain(
        request,
        table,
        ledger=setting.ledger,
        progress=setting.progress,
        few_rows=words.other_ways,
    )
    domain = drafted.domain
    if domain is None:
        raise DomainError(
            f"The private draft could describe no column, so nothing was released: "
            f"{words.other_ways}."
        )
    return replace(domain, decisions=Decisions(left_out=drafted.open))


def describe_from_rows(
    table: PrivateTable, columns: Sequence[str] | None = None, *, person: str = ""
) -> Domain:
    """Return the columns that a look at the rows describes; no guarantee covers them.

    The certificate says so. Columns that identify people, or that would lose values, are
    left out, and named. PRIVATE until the steward reviews it, as every look is.

    Args:
        table: The confidential table.
        columns: The columns to describe; None for all.
        person: The column that identifies persons; empty for none.

    Raises:
        DomainError: No column is complete.
        TableError: The table lacks a column.
    """
    from synth.private.counting import profile_table

    names = columns_to_draft(table, columns, person=person)
    look_through(table)
    look = profile_table(table, names)
    return finish_complete(look.schema(), look.columns)


def columns_to_draft(
    table: PrivateTable, columns: Sequence[str] | None, *, person: str
) -> tuple[str, ...]:
    """Return the columns that a draft describes.

    Args:
        table: The confidential table.
        columns: The chosen columns; empty or None for all but the person's.
        person: The column that identifies persons; empty for none.

    Raises:
        TableError: The table lacks a column.
    """
    all_names = (name for name in table.header if name and name != person)
    names = tuple(columns or all_names)
    for name in filter(None, (*names, person)):
        table.position(name)
    return names


def refuse_with_draft(
    names: Sequence[str], is_given: Callable[[str], bool], flag: Callable[[str], str]
) -> None:
    """Refuse options that must know the columns, before a private draft is paid.

    Args:
        names: The names of the options.
        is_given: Whether an option is given.
        flag: How the steward types it.

    Raises:
        ArgumentError: One of them is given.
    """
    for name in names:
        if is_given(name):
            raise ArgumentError(
                f"{flag(name)} needs a description of the columns: leave it out, or draft a "
                "description first and give it."
            )


# Options of a release whose value depends on the described columns.
NEED_DESCRIPTION = (
    "method",
    "groups",
    "rules",
    "repair",
    "repair_seen",
    "predict",
    "moments",
    "public",
    "vouched_by",
)


def _refuse_beyond_budget(
    request: DraftRequest, table: PrivateTable, split: DraftSplit, *, ledger: Ledger
) -> None:
    """Refuse a new draft if the budget is not enough for all that is to be paid with it.

    Args:
        request: The draft that is asked for.
        table: The confidential table.
        split: The costs of the draft, of the release and of what is paid beside them.
        ledger: The ledger of the spend.

    Raises:
        LedgerError: Too little is left, and it says how much; or the budget is for another
            protected unit or another relation of neighbours.
    """
    paid = ledger.paid(
        dataset=request.dataset,
        table=mark_of(table, ledger),
        request=request_of(request, table),
    )
    # A draft that was paid before costs nothing again.
    if paid is None and not ledger.has_repeats_only:
        balance = ledger.balance(request.dataset)
        balance.check(request.unit.person)  # the protected unit
        if balance.budget is not None:
            balance.budget.check(split.draft, request.neighbors)
        balance.check_paid(reduce(add, split.costs))
