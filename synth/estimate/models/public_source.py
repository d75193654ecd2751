"""A release's statement about the public table that was its guess. PUBLIC.

>>> source = PublicSource(
...     digest="0" * 64, vouched_by="A. Steward", columns=("age", "sex"), rows=7244
... )
>>> PublicSource.from_json(source.to_json()) == source
True
"""

import re
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, cast

from synth.domain import Domain, set_field
from synth.errors import NO_PLAN, ArgumentError
from synth.privacy import Guarantee, Neighbors, name_cost, parse_rational
from synth.util import Document

if TYPE_CHECKING:
    from synth.estimate.models.public_guess import PublicGuess

# Most characters of the name of the person who vouches.
MAX_NAME_LENGTH = 200


def read_voucher(name: str) -> str:
    """Return the name of who vouches for a public table, without surplus blanks.

    Raises:
        ArgumentError: There is no name, or it is too long.
    """
    voucher = " ".join(str(name).split())
    if not voucher:
        raise ArgumentError(
            "Who vouches that the public table is public? Add --vouched-by NAME, or "
            "vouched_by=. Synth does not protect it."
        )
    if len(voucher) > MAX_NAME_LENGTH:
        raise ArgumentError(
            f"The name of who vouches has more than {MAX_NAME_LENGTH} characters."
        )
    return voucher


class EarlierCost(NamedTuple):
    """Cost of a synthetic release used as a guess; zero if the guess is none.

    >>> old = EarlierCost(Fraction(1), relation="add-remove")
    >>> old.with_guess(EarlierCost(Fraction(2), relation="replace-one")).relation
    'several relations'
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    relation: str = ""

    def with_guess(self, guess_cost: "EarlierCost") -> "EarlierCost":
        """Return the summed cost of this release and of the release that was its guess.

        If they protect against different changes of the table, the relation says so.
        """
        if not guess_cost.epsilon:
            return self
        relation = (
            self.relation if guess_cost.relation == self.relation else "several relations"
        )
        return EarlierCost(
            self.epsilon + guess_cost.epsilon, self.delta + guess_cost.delta, relation
        )


@dataclass(frozen=True, kw_only=True)
class PublicSource:
    """The public table used as a guess, and who says that it is public.

    Attributes:
        digest: SHA-256 of its rows, coded by the declared domain, in ascending order.
        vouched_by: Who declares that it is public.
        columns: Its declared columns, in the order of the domain.
        rows: Number of its rows that fit.
        epsilon, delta: Cost if it is a synthetic release, otherwise 0.
        relation: That release's relation as in `relation_of`.
    """

    digest: str
    vouched_by: str
    columns: tuple[str, ...]
    rows: int
    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    relation: str = ""

    def __post_init__(self) -> None:
        """Check the statement, and write the name of who vouches with single blanks.

        Raises:
            ArgumentError: Nobody vouches, the name is too long, or a field is impossible.
        """
        # The class is frozen, so that fields are set by `set_field`.
        set_field(self, "vouched_by", read_voucher(self.vouched_by))
        set_field(self, "columns", tuple(self.columns))
        if not re.fullmatch("[0-9a-f]{64}", self.digest) or self.rows < 1 or not self.columns:
            raise ArgumentError(NO_PLAN)

    def caveat(
        self,
        epsilon: Fraction,
        delta: Fraction,
        neighbors: Neighbors,
        *,
        by_person: bool = False,
    ) -> str:
        """Return sentences on what the guarantee does not cover because of the public table.

        Args:
            epsilon: Epsilon of the new release alone.
            delta: The delta of the new release; 0 without one.
            neighbors: The relation of the tables that its guarantee compares.
            by_person: Whether it protects persons.
        """
        names = ", ".join(f"'{name}'" for name in self.columns)
        statement = (
            f"A public table was the first guess; noisy counts corrected it: {self.rows:,} "
            f"rows of {names}, coded rows of SHA-256 {self.digest}. {self.vouched_by} "
            "vouches that it is public. The guarantee covers nothing that the public table "
            "reveals by itself."
        )
        if not self.epsilon:
            return statement
        before = Guarantee.of(self.epsilon, self.delta)
        added = name_cost(before + Guarantee.of(epsilon, delta))
        paid = f"{statement} It is a synthetic release of {name_cost(before)}"
        relation = relation_of(neighbors.value, by_person=by_person)
        if self.relation != relation:
            return (
                f"{paid} ({self.relation}); this one has other neighbours ({relation}), so "
                "that for people who are in both tables the two cost more than their sum, "
                f"{added}."
            )
        return (
            f"{paid}; for people who are in both tables the two releases add up to {added} "
            f"({neighbors.value})."
        )

    def to_json(self) -> Document:
        """Return the statement as a JSON object, which `from_json` reads.

        The cost is left out if the table is no synthetic release.
        """
        statement: Document = {
            "digest": self.digest,
            "vouched_by": self.vouched_by,
            "columns": list(self.columns),
            "rows": self.rows,
        }
        if self.epsilon:
            statement |= {
                "epsilon": str(self.epsilon),
                "delta": str(self.delta),
                "relation": self.relation,
            }
        return statement

    @classmethod
    def from_json(cls, content: Document) -> "PublicSource":
        """Return the statement that `to_json` wrote.

        Raises:
            ArgumentError: A field is unknown or impossible.
            KeyError: A field is missing.
        """
        _check_types(content)
        cost = EarlierCost()
        if "epsilon" in content:
            epsilon = parse_rational(content["epsilon"], name="epsilon")
            delta = parse_rational(content["delta"], name="delta")
            cost = EarlierCost(epsilon, delta, str(content["relation"]))
        return cls(
            digest=str(content["digest"]),
            vouched_by=str(content["vouched_by"]),
            columns=tuple(cast("list[str]", content["columns"])),
            rows=cast("int", content["rows"]),
            epsilon=cost.epsilon,
            delta=cost.delta,
            relation=cost.relation,
        )

    @property
    def earlier(self) -> "EarlierCost":
        """The cost of the synthetic release that was the guess."""
        return EarlierCost(self.epsilon, self.delta, self.relation)


def _check_types(content: Document) -> None:
    """Refuse the JSON of a statement with an unknown field, or with values of other types.

    Raises:
        ArgumentError: There is one.
        KeyError: A field is missing.
    """
    columns = content["columns"]
    texts = [content["digest"], content["vouched_by"], content.get("relation", "")]
    texts += columns if isinstance(columns, list) else [None]
    names = {field.name for field in fields(PublicSource)}
    are_texts = all(isinstance(text, str) for text in texts)
    if not are_texts or type(content["rows"]) is not int or content.keys() - names:
        raise ArgumentError(NO_PLAN)


def relation_of(neighbors: str, *, by_person: bool) -> str:
    """Return words for the neighbouring tables of a release: a row or a person that differs.

    Args:
        neighbors: Value of `Neighbors`, such as "add-remove".
        by_person: Whether a release protects persons, who may have several rows.

    >>> relation_of("add-remove", by_person=True)
    'add-remove of persons'
    """
    return f"{neighbors} of persons" if by_person else neighbors


@dataclass(frozen=True, eq=False, kw_only=True)
class PublicTable:
    """A public table, read and coded.

    Attributes:
        left_out: Number of its rows that do not fit.
    """

    source: PublicSource
    guess: "PublicGuess"
    domain: Domain
    left_out: int = 0


def check_named(source: PublicSource | None, table: PublicTable | None) -> None:
    """Check that the public table at hand is the one that a plan names.

    Args:
        source: The plan's statement; None if it has no public table.
        table: The table at hand, if any.

    Raises:
        ArgumentError: It is another one, or there is none, or the plan names none.
    """
    if source is None and table is None:
        return
    if table is None:
        raise ArgumentError(
            "The plan has a public table as its guess; hand it over by --public FILE."
        )
    if source is None or table.source.digest != source.digest:
        raise ArgumentError("The public table does not have the digest in the plan.")
