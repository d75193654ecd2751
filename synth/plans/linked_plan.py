"""The plan of a release of linked tables. PUBLIC."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Self

from synth.domain import Domain, LinkedPackage, read_package, set_field
from synth.errors import ArgumentError
from synth.estimate import Account
from synth.linked import unit_of
from synth.plans.codecs import TEXT, UnknownPartError
from synth.privacy import (
    ROW,
    Guarantee,
    Neighbors,
    RootUnit,
    RowReading,
    parse_epsilon,
    parse_rational,
)
from synth.util import Document

# A larger delta would allow publishing all of somebody's rows.
MOST_DELTA = Fraction(1, 1000)


@dataclass(frozen=True, kw_only=True)
class LinkedPlan:
    """The package, the budget, and the relation of the guarantee.

    Attributes:
        package: The declared tables.
        epsilon: The budget, an exact rational.
        neighbors: The relation of the guarantee.
        delta: 0 for pure epsilon; above 0, (epsilon, delta) by Gaussian DP.
        dataset: The steward's name for the package, for the ledger.
        readings: What counts as a row of each protected table, in the order of the package;
            the lines of a file if nothing else is known.

    Raises:
        ArgumentError: A value is impossible.
    """

    package: LinkedPackage
    epsilon: Fraction
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    delta: Fraction = Fraction(0)
    dataset: str = "package"
    readings: tuple[RowReading, ...] = ()

    def __post_init__(self) -> None:
        """Make numbers exact, fill in the rules for rows, and refuse impossible values."""
        tables = self.package.tables
        set_field(self, "readings", self.readings or (RowReading.LINES,) * len(tables))
        if len(self.readings) != len(tables):
            raise ArgumentError("Each table of the package needs one rule for its rows.")
        set_field(self, "epsilon", parse_epsilon(self.epsilon))
        set_field(self, "delta", parse_rational(self.delta, name="delta"))
        if not 0 <= self.delta < MOST_DELTA:
            raise ArgumentError(f"delta must be below {float(MOST_DELTA):g}.")

    @property
    def unit(self) -> RootUnit:
        """The protected unit: one root."""
        return unit_of(self.package)

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of the whole release."""
        return Guarantee.of(self.epsilon, self.delta)

    @property
    def readings_by_name(self) -> dict[str, RowReading]:
        """What counts as a row of each protected table, by its name."""
        names = [table.name for table in self.package.tables]
        return dict(zip(names, self.readings, strict=True))

    @property
    def declarations(self) -> dict[str, tuple[Domain, str]]:
        """The declaration of each protected table, by the table's name.

        It is a pair: the declared columns, and the column with the key of the protected unit,
        the root.
        """
        return {table.name: (table.own, table.root_key) for table in self.package.tables}

    def learn(self, readings: Mapping[str, RowReading], looked: Collection[str]) -> Self:
        """Return the plan with all facts about the tables that are known before counting.

        Args:
            readings: What counts as a row of each table, by its name.
            looked: Names of the tables of whose rows somebody may have seen exact numbers.
        """
        package = self.package.with_domains(
            # What was known before stays: nobody forgets exact numbers.
            lambda table: replace(
                table.domain, looked=table.domain.looked or table.name in looked
            )
        )
        protected = tuple(readings[table.name] for table in package.tables)
        return replace(self, package=package, readings=protected)

    def account(self, charged: Guarantee) -> Account:
        """Return the account that turns a charge into noise."""
        return Account.open(charged, self.neighbors, ROW, pure=not self.delta)

    @property
    def request(self) -> str:
        """Text of everything that determines the noisy counts, as JSON.

        A ledger finds a release by it. It leaves out the dataset's name, what counts as a
        row, descriptions of columns, columns without cells, and who has seen or vouched for
        what.
        """
        package = self.package.with_domains(lambda table: table.domain.without_words())
        content = replace(self, package=package).to_json()
        content.pop("dataset")
        content.pop("readings")
        return json.dumps(content, sort_keys=True)

    def to_json(self) -> Document:
        """Return the plan as JSON, which `from_json` reads."""
        return {
            "package": self.package.to_json(),
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "neighbors": self.neighbors.value,
            "dataset": self.dataset,
            "readings": {name: rule.value for name, rule in self.readings_by_name.items()},
        }

    @classmethod
    def from_json(cls, content: Document) -> "LinkedPlan":
        """Return the plan that `to_json` wrote.

        Raises:
            SynthError: The content has another form, or a value is impossible.
        """
        document: Any = content
        if content.keys() - {field.name for field in fields(cls)}:
            raise UnknownPartError
        try:
            package = read_package(document["package"])
            return cls(
                package=package,
                epsilon=document["epsilon"],
                neighbors=Neighbors(document["neighbors"]),
                delta=document["delta"],
                dataset=TEXT.decode(document["dataset"]),
                readings=_read_readings(document["readings"], package),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ArgumentError("This is no plan of linked tables.") from None


def _read_readings(content: Any, package: LinkedPackage) -> tuple[RowReading, ...]:
    """Return what counts as a row of each protected table of a package, in its order.

    Raises:
        KeyError: A table has no rule.
        ValueError: A rule is unknown, or is about no table of the package.
    """
    readings = tuple(RowReading(content[table.name]) for table in package.tables)
    if len(content) > len(readings):
        raise ValueError
    return readings
