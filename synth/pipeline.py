"""The whole flow without a screen: `synthesize`.

>>> from fractions import Fraction
>>> from synth.domain import Categorical, Domain
>>> plan = Plan(Domain((Categorical(name="sex", categories=("F", "M")),)), Fraction(1))
>>> Plan.from_json(plan.to_json()) == plan
True
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

from synth import bundle, chain, limits
from synth.archive import read_archive, write_archive
from synth.check import whole
from synth.counts import check_dense, count
from synth.domain import Domain
from synth.draw import SyntheticTable, draw
from synth.errors import TableError
from synth.ledger import Entry, Ledger
from synth.noise.laplace import DiscreteLaplace
from synth.privacy import Guarantee, Neighbors, parse_epsilon
from synth.release import Door, NoisyCounts
from synth.repair import Distribution, Repair, repair
from synth.schemas import read_schema, write_schema
from synth.table import PrivateTable, open_table

Progress = Callable[[str], None]

STAGES = ("Counting rows", "Drawing noise", "Repairing counts", "Drawing rows")
"""What `synthesize` reports, in order; the budget is spent between the first two."""


class Method(StrEnum):
    """How the table is modelled."""

    AUTO = "auto"
    """The histogram, where it can be enumerated."""
    HISTOGRAM = "histogram"
    """The histogram, of whatever size: a large one is released from a public threshold up."""


@dataclass(frozen=True)
class Plan:
    """What the steward chose. PUBLIC.

    Attributes:
        domain: The declared columns that take part.
        epsilon: The budget of pure differential privacy, an exact rational.
        neighbors: The relation the guarantee is about.
        method: How the table is modelled.
        repair: How negative counts are repaired.
        rows: Synthetic rows wanted; None stands for the table's public or noisy total.
        dataset: The steward's name for the table, for the ledger.
    """

    domain: Domain
    epsilon: Fraction
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    repair: Repair = Repair.AUTO
    rows: int | None = None
    dataset: str = "table"
    method: Method = Method.AUTO

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", parse_epsilon(self.epsilon))
        if self.rows is not None:
            whole(1, rows=self.rows)

    @property
    def request(self) -> str:
        """What determines the noisy counts of a table; what is done with them later does not."""
        later = ("repair", "rows", "dataset")
        content = {k: v for k, v in self.to_json().items() if k not in later}
        for field in content["domain"]["fields"]:
            field.pop("description", None)
        return json.dumps({**content, "scale": str(self.scale)}, sort_keys=True)

    @property
    def total_epsilon(self) -> Fraction:
        """What is spent on the number of rows: nothing where it is public or easily summed."""
        needed = self.neighbors is Neighbors.ADD_REMOVE and self.domain.size > limits.SUMMED_CELLS
        return self.epsilon * limits.TOTAL_SHARE if needed else Fraction(0)

    @property
    def scale(self) -> Fraction:
        """Scale of the noise on each cell."""
        return self.neighbors.sensitivity / (self.epsilon - self.total_epsilon)

    def check_size(self) -> None:
        """Refuse a universe too large to enumerate unless the histogram was asked for.

        Raises:
            LimitError: With the number of cells, the memory and which column to coarsen.
        """
        if self.method is Method.AUTO:
            check_dense(self.domain)

    def to_json(self) -> dict[str, Any]:
        """The plan as a JSON object."""
        return {
            "domain": write_schema(self.domain),
            "epsilon": str(self.epsilon),
            "neighbors": self.neighbors.value,
            "method": self.method.value,
            "repair": self.repair.value,
            "rows": self.rows,
            "dataset": self.dataset,
        }

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Plan":
        """The plan that `to_json` wrote."""
        return cls(
            domain=read_schema(content["domain"]),
            epsilon=parse_epsilon(content["epsilon"]),
            neighbors=Neighbors(content["neighbors"]),
            repair=Repair(content["repair"]),
            rows=content["rows"],
            dataset=content["dataset"],
            method=Method(content.get("method", Method.AUTO)),
        )


@dataclass(frozen=True, eq=False)
class Result:
    """A release: everything in it is PUBLIC.

    ``repeated`` says that the ledger kept it from before, so that nothing was spent.
    """

    plan: Plan
    noisy: NoisyCounts
    distribution: Distribution
    synthetic: SyntheticTable
    certificate: dict[str, Any]
    entry: Entry | None = None
    repeated: bool = False

    def write(self, directory: str | Path) -> dict[str, Path]:
        """Write the synthetic table, noisy counts, domain and certificate.

        Raises:
            ReleaseError: A file cannot be written.
        """
        return bundle.write(directory, self.synthetic, self.noisy, self.certificate)

    def write_archive(self, path: str | Path, ledger: Ledger | None = None) -> Path:
        """Write the bundle; the ledger of the release keeps the digest of its certificate.

        Raises:
            ReleaseError: It cannot be written.
            LedgerError: The ledger cannot be written.
        """
        written = write_archive(
            path,
            plan=self.plan.to_json(),
            synthetic=self.synthetic,
            noisy=self.noisy,
            certificate=self.certificate,
        )
        if ledger is not None and ledger.path is not None and self.entry is not None:
            digest = chain.digest(read_archive(written).files[bundle.CERTIFICATE])
            ledger.keep(self.entry, f"certificate {digest}", b"")
        return written


def synthesize(
    plan: Plan,
    source: str | Path | PrivateTable,
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
) -> Result:
    """Count, release, repair and draw.

    Args:
        plan: What the steward chose.
        source: The confidential table, or the path of its file.
        ledger: Where the spend is written, and where the same request finds its release
            again; by default one in memory only.
        progress: Called with the name of each stage as it starts.

    Raises:
        SynthError: With one sentence; before the second stage nothing has been spent.
    """
    report = progress or _silent
    ledger = ledger or Ledger()
    plan.check_size()
    table = source if isinstance(source, PrivateTable) else open_table(source)
    report(STAGES[0])
    counts = count(table, plan.domain)
    if plan.neighbors is Neighbors.REPLACE_ONE and counts.rows == 0:
        message = f"'{table.path.name}' has a header but no rows."
        raise TableError(message)
    report(STAGES[1])
    door = Door(
        ledger=ledger,
        dataset=plan.dataset,
        neighbors=plan.neighbors,
        guarantee=Guarantee.pure(plan.epsilon),
        purpose=f"histogram of {plan.domain.size} cells",
        table=ledger.fingerprint(table.path) if ledger.path else "",
        request=" ".join((plan.request, *table.asked)),
    )
    total = DiscreteLaplace(1 / plan.total_epsilon) if plan.total_epsilon else None
    noisy = door.measure(counts, DiscreteLaplace(plan.scale), total=total)
    report(STAGES[2])
    distribution = repair(noisy, plan.repair)
    report(STAGES[3])
    seed = door.seed()
    synthetic = draw(distribution, plan.rows, seed=seed)
    head = door.head if ledger.path else None
    certificate = bundle.certify(
        noisy, distribution, synthetic.rows, entry=door.entry, head=head, seed=seed
    )
    return Result(plan, noisy, distribution, synthetic, certificate, door.entry, door.repeated)


def _silent(_stage: str) -> None:
    pass
