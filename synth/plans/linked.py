"""The plan of a release of linked tables. PUBLIC."""

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from synth.domain import LinkedPackage, read_package, set_field
from synth.errors import ArgumentError
from synth.estimate import Account, unit_of
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


@dataclass(frozen=True)
class LinkedPlan:
    """The package, the budget, and the relation of the guarantee.

    Attributes:
        epsilon: The budget, an exact rational.
        delta: 0 for pure epsilon; above 0, (epsilon, delta) by Gaussian DP.
        dataset: The steward's name for the package, for the ledger.
        reading: What counts as a row of the tables.
    """

    package: LinkedPackage
    epsilon: Fraction
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    delta: Fraction = Fraction(0)
    dataset: str = "package"
    reading: RowReading = RowReading.LINES

    def __post_init__(self) -> None:
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
        return Guarantee.of(self.epsilon, self.delta)

    def account(self, charged: Guarantee) -> Account:
        """Return the account that turns a charge into noise."""
        return Account.open(charged, self.neighbors, ROW, pure=not self.delta)

    @property
    def request(self) -> str:
        """Text that determines the noisy counts."""
        content = self.to_json()
        content.pop("dataset")
        content.pop("reading")
        return json.dumps(content, sort_keys=True)

    def to_json(self) -> Document:
        return {
            "package": self.package.to_json(),
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "neighbors": self.neighbors.value,
            "dataset": self.dataset,
            "reading": self.reading.name,
        }

    @classmethod
    def from_json(cls, content: Document) -> "LinkedPlan":
        """Read the output of `to_json`.

        Raises:
            SynthError: It has another form.
        """
        said: Any = content
        try:
            return cls(
                read_package(said["package"]),
                said["epsilon"],
                Neighbors(said["neighbors"]),
                said["delta"],
                str(said["dataset"]),
                RowReading[said["reading"]],
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ArgumentError("This is no plan of linked tables.") from None
