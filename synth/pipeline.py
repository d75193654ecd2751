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
from synth.check import in_range, whole
from synth.counts import Engine, check_dense, coded, count
from synth.domain import Domain
from synth.draw import SyntheticTable, decode, draw
from synth.errors import ArgumentError, LimitError, TableError
from synth.ledger import Entry, Ledger
from synth.models.modelled import Modelled
from synth.models.run import Choice, histogram_suffices, release_model
from synth.models.strategies import Strategy
from synth.noise.laplace import DiscreteLaplace
from synth.privacy import ROW, Guarantee, Neighbors, Unit, parse_epsilon, parse_rational
from synth.release import Door, NoisyCounts
from synth.repair import Distribution, Repair, repair
from synth.schemas import read_schema, write_schema
from synth.table import PrivateTable, open_table

Progress = Callable[[str], None]

STAGES = ("Counting rows", "Drawing noise", "Repairing counts", "Drawing rows")
"""What `synthesize` reports, in order; the budget is spent between the first two."""


class Method(StrEnum):
    """How the table is modelled."""

    DENSE = "dense"
    """The histogram of all cells; refused where they are too many to enumerate. The default."""
    AUTO = "auto"
    """The histogram of a small universe; of a larger one marginals, chosen by public numbers."""
    HISTOGRAM = "histogram"
    """The histogram, of whatever size: a large one is released from a public threshold up."""
    INDEPENDENT = "independent"
    """Each column on its own."""
    TREE = "tree"
    """Columns, and a tree of pairs."""
    ONE_SHOT = "one-shot"
    """Columns, and all pairs that are worth it at once."""
    ADAPTIVE = "adaptive"
    """The same, then pair after pair where the fit is worst."""
    GROUPS = "groups"
    """The histograms of groups of columns that the steward names."""


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
        unit: Whose data is protected.
        dataset: The steward's name for the table, for the ledger.
        delta: 0 for pure epsilon; above 0 for a model of marginals under (epsilon, delta).
        groups: Names of the columns of each group, for ``groups``.
        rules: What cannot be, JSON as `synth.models.rules` reads it; None for no rules.
        max_model_mb: Most memory for the tables of a model.
    """

    domain: Domain
    epsilon: Fraction
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    repair: Repair = Repair.AUTO
    rows: int | None = None
    dataset: str = "table"
    method: Method = Method.DENSE
    delta: Fraction = Fraction(0)
    groups: tuple[tuple[str, ...], ...] = ()
    rules: Any = None
    max_model_mb: int = limits.MODEL_MB
    unit: Unit = ROW

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", parse_epsilon(self.epsilon))
        object.__setattr__(self, "delta", parse_rational(self.delta, name="delta"))
        if not self.by_model and (self.rules or self.groups):
            message = "Rules and groups are for models of marginals; choose another method."
            raise ArgumentError(message)
        if self.delta and self.method in (Method.DENSE, Method.HISTOGRAM):
            message = "A histogram is pure: it needs no delta. Leave it out, or choose a model."
            raise ArgumentError(message)
        if self.unit.person and self.by_model:
            message = "A person column is for histograms; choose the method histogram."
            raise ArgumentError(message)
        if self.rows is not None:
            whole(1, rows=self.rows)
            in_range(1, limits.ROWS_MAX, rows=self.rows)

    @property
    def request(self) -> str:
        """What determines the noisy counts of a table; what is done with them later does not."""
        later = ("repair", "rows", "dataset")
        content = {k: v for k, v in self.to_json().items() if k not in later}
        for field in content["domain"]["fields"]:
            field.pop("description", None)
        derived = {"scale": str(self.scale), "by_model": self.by_model}
        return json.dumps({**content, **derived}, sort_keys=True)

    @property
    def total_epsilon(self) -> Fraction:
        """What is spent on the number of rows: nothing where it is public or easily summed."""
        private = self.neighbors is Neighbors.ADD_REMOVE or bool(self.unit.person)
        needed = private and self.domain.size > limits.SUMMED_CELLS
        return self.epsilon * limits.TOTAL_SHARE if needed else Fraction(0)

    @property
    def scale(self) -> Fraction:
        """Scale of the noise on each cell."""
        sensitivity = self.neighbors.sensitivity * self.unit.max_rows
        return sensitivity / (self.epsilon - self.total_epsilon)

    @property
    def by_model(self) -> bool:
        """Whether marginals are measured, and not the histogram."""
        if self.method is Method.AUTO and self.unit.person:
            return False
        if self.method is Method.AUTO:
            noise = DiscreteLaplace(self.scale)
            return bool(self.rules) or not histogram_suffices(self.domain.shape, noise)
        return self.method not in (Method.DENSE, Method.HISTOGRAM)

    @property
    def choice(self) -> Choice:
        """What was chosen about the model."""
        if not self.by_model:
            return Choice()
        strategy = Strategy(self.method.value)
        return Choice(strategy, self.delta, self.groups, self.rules, self.max_model_mb)

    def check_size(self) -> None:
        """Refuse what cannot be done, before anything is read.

        Raises:
            LimitError: With the number of cells, the memory and which column to coarsen.
            DomainError: A group or a rule does not fit the domain.
        """
        if self.by_model:
            self.choice.check(self.domain)
        elif self.method is Method.AUTO:
            check_dense(self.domain)
        elif self.method is Method.DENSE:
            _check_dense_or_advise(self.domain)

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
            "delta": str(self.delta),
            "groups": [list(group) for group in self.groups],
            "rules": self.rules,
            "max_model_mb": self.max_model_mb,
            "person": self.unit.person,
            "max_rows": self.unit.max_rows,
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
            method=Method(content.get("method", Method.DENSE)),
            delta=parse_rational(content.get("delta", "0"), name="delta"),
            groups=tuple(tuple(group) for group in content.get("groups", ())),
            rules=content.get("rules"),
            max_model_mb=content.get("max_model_mb", limits.MODEL_MB),
            unit=Unit(content.get("person", ""), content.get("max_rows", 1)),
        )


@dataclass(frozen=True, eq=False)
class Result:
    """A release: everything in it is PUBLIC.

    ``repeated`` says that the ledger kept it from before, so that nothing was spent.
    """

    plan: Plan
    noisy: NoisyCounts | Modelled
    distribution: Distribution | None
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
        from synth.archive import read_archive, write_archive  # its charts take a second

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
    measured: Progress | None = None,
    engine: Engine = Engine.DUCKDB,
) -> Result:
    """Count, release, repair and draw.

    Args:
        plan: What the steward chose.
        source: The confidential table, or the path of its file.
        ledger: Where the spend is written, and where the same request finds its release
            again; by default one in memory only.
        progress: Called with the name of each stage as it starts.
        measured: Called with what a model has measured, right after it was paid.
        engine: What counts the rows of a histogram.

    Raises:
        SynthError: With one sentence; before the second stage nothing has been spent.
    """
    report = progress or _silent
    ledger = ledger or Ledger()
    plan.check_size()
    table = source if isinstance(source, PrivateTable) else open_table(source)
    report(STAGES[0])
    if plan.by_model:
        return _model(plan, table, ledger, report, measured)
    counts = count(table, plan.domain, plan.unit, engine)
    _check_rows(plan, table, counts.public_rows(plan.neighbors))
    report(STAGES[1])
    purpose = f"histogram of {plan.domain.size} cells"
    door = _open(plan, table, ledger, Guarantee.pure(plan.epsilon), purpose)
    share = plan.total_epsilon
    total = DiscreteLaplace(plan.unit.max_rows / share) if share else None
    noisy = door.measure(counts, DiscreteLaplace(plan.scale), total=total)
    report(STAGES[2])
    distribution = repair(noisy, plan.repair)
    report(STAGES[3])
    seed = door.seed()
    synthetic = draw(distribution, plan.rows, seed=seed)
    head = door.head if ledger.path else None
    certificate = bundle.certify(
        noisy, distribution, synthetic.rows, entry=door.entry, head=head, seed=seed, unit=plan.unit
    )
    return Result(plan, noisy, distribution, synthetic, certificate, door.entry, door.repeated)


def _model(
    plan: Plan,
    table: PrivateTable,
    ledger: Ledger,
    report: Progress,
    measured: Progress | None,
) -> Result:
    """The same by marginals: they are measured, joined and drawn from in turns."""
    rows = coded(table, plan.domain)
    _check_rows(plan, table, rows.rows)
    if plan.neighbors is Neighbors.REPLACE_ONE:
        plan.choice.check_rows(rows.rows)
    report(STAGES[1])
    purpose = f"marginals of {len(plan.domain.columns)} columns ({plan.method})"
    door = _open(plan, table, ledger, plan.choice.guarantee(plan.epsilon), purpose)
    modelled, codes, seed = release_model(
        plan.choice, rows, door, wanted=plan.rows, measured=measured
    )
    report(STAGES[3])
    synthetic = decode(plan.domain, codes, seed=seed)
    certificate = bundle.certify_model(
        modelled,
        synthetic.rows,
        entry=door.entry,
        head=door.head if ledger.path else None,
        seed=seed,
    )
    return Result(plan, modelled, None, synthetic, certificate, door.entry, door.repeated)


def _check_dense_or_advise(domain: Domain) -> None:
    try:
        check_dense(domain)
    except LimitError as error:
        message = f"{error} Or choose the method auto: it joins histograms of a few columns each."
        raise LimitError(message) from None


def _check_rows(plan: Plan, table: PrivateTable, rows: int | None) -> None:
    if plan.neighbors is Neighbors.REPLACE_ONE and rows == 0:
        message = f"'{table.path.name}' has a header but no rows."
        raise TableError(message)


def _open(
    plan: Plan, table: PrivateTable, ledger: Ledger, guarantee: Guarantee, purpose: str
) -> Door:
    return Door(
        ledger=ledger,
        dataset=plan.dataset,
        neighbors=plan.neighbors,
        guarantee=guarantee,
        purpose=purpose,
        table=ledger.fingerprint(table.path) if ledger.path else "",
        request=request_of(plan, table),
    )


def request_of(plan: Plan, table: PrivateTable) -> str:
    """What a ledger finds a release again by, together with the table's fingerprint."""
    return " ".join((plan.request, *table.asked))


def _silent(_stage: str) -> None:
    pass
