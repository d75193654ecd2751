"""A bundle opened again: the release as it was made, with nothing spent and no table at hand.

The rows are read back as codes and their values drawn once more with the certificate's seed,
so that whatever works on a release works on an opened one.
"""

import io
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow.csv as pa_csv

from synth.archive import Archive, read_archive
from synth.budget import from_terms
from synth.bundle import NOISY, PARQUET
from synth.counts import codes
from synth.domain import Domain
from synth.draw import SyntheticTable, decode
from synth.errors import ReleaseError
from synth.models.modelled import Modelled
from synth.models.session import Spend
from synth.models.strategies import Strategy
from synth.noise.base import Mechanism
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.laplace import DiscreteLaplace
from synth.noisy import NoisyMarginal
from synth.pipeline import Result
from synth.plan import Plan
from synth.privacy import Guarantee, Neighbors
from synth.repair import Repair, repair
from synth.score import without_scores
from synth.table import open_table
from synth.verify import verify


@dataclass(frozen=True, eq=False)
class Opened:
    """A bundle that holds what it claims. PUBLIC.

    Attributes:
        result: The release.
        archive: The files.
        checks: What was checked, a sentence each.
    """

    result: Result
    archive: Archive
    checks: tuple[str, ...]


def open_bundle(path: str | Path) -> Opened:
    """Check a bundle and take the release out of it.

    Raises:
        SynthError: With the first thing that does not hold.
    """
    checked, archive = verify(path), read_archive(path)
    plan, certificate = Plan.from_json(checked.plan), checked.certificate
    synthetic = _rows(archive, checked.domain, int(certificate["drawing"]["seed"]))
    if checked.noisy is None:
        noisy = _modelled(archive, without_scores(certificate, checked.domain), checked.domain)
        result = Result(plan, noisy, None, synthetic, certificate, repeated=True)
    else:
        repaired = repair(checked.noisy, Repair(certificate["repair"]))
        result = Result(plan, checked.noisy, repaired, synthetic, certificate, repeated=True)
    return Opened(result, archive, checked.checks)


def _rows(archive: Archive, domain: Domain, seed: int) -> SyntheticTable:
    with TemporaryDirectory(prefix="synth-") as folder:
        path = Path(folder) / PARQUET
        path.write_bytes(archive.files[PARQUET])
        return decode(domain, codes(open_table(path), domain), seed=seed)


def _modelled(archive: Archive, certificate: dict[str, Any], domain: Domain) -> Modelled:
    """The record of a release by marginals; how far off it expected to be is not in a bundle."""
    mechanism, neighbors = certificate["mechanism"], Neighbors(certificate["neighbors"])
    stated = certificate["number_of_rows"].removeprefix("about ").split(",")[0]
    rows = int(stated) if neighbors is Neighbors.REPLACE_ONE else None
    spends = [_spend(spend) for spend in mechanism["marginals"]]
    listed = [spend for spend in spends if spend.columns]
    values = _values(archive, [domain.project(spend.columns).size for spend in listed])
    measured = []
    for spend, counts in zip(listed, values, strict=True):
        assert spend.mechanism is not None
        part = domain.project(spend.columns)
        clique = tuple(domain.names.index(name) for name in part.names)
        one = NoisyMarginal(part, counts, spend.mechanism, spend.cost, rows)
        measured.append((clique, one))
    return Modelled(
        domain,
        neighbors,
        _charged(certificate["guarantee"]),
        from_terms(mechanism["spent"]),
        Strategy(mechanism["strategy"]),
        float(stated),
        rows,
        tuple(measured),
        tuple(spends),
        (),
    )


def _charged(guarantee: dict[str, str]) -> Guarantee:
    epsilon, delta = Fraction(guarantee["epsilon"]), Fraction(guarantee["delta"])
    return Guarantee.approximate(epsilon, delta) if delta else Guarantee.pure(epsilon)


def _spend(content: dict[str, Any]) -> Spend:
    noise = content["noise"]
    mechanism: Mechanism | None = None
    if "scale" in noise:
        mechanism = DiscreteLaplace(Fraction(noise["scale"]))
    elif "sigma2" in noise:
        mechanism = DiscreteGaussian(Fraction(noise["sigma2"]))
    columns = tuple(content.get("columns", ()))
    return Spend(content["what"], from_terms(content["cost"]), mechanism, columns)


def _values(archive: Archive, sizes: list[int]) -> list[Any]:
    """The noisy counts of each marginal, in the order they were measured."""
    table = pa_csv.read_csv(
        io.BytesIO(archive.files[NOISY]),
        read_options=pa_csv.ReadOptions(autogenerate_column_names=True, skip_rows=1),
    )
    counts = table[table.num_columns - 1].combine_chunks().to_numpy(zero_copy_only=False)
    if len(counts) != sum(sizes) or not np.issubdtype(counts.dtype, np.integer):
        message = f"'{NOISY}' is not a table of the marginals that the certificate lists."
        raise ReleaseError(message)
    return np.split(counts.astype(np.int64), np.cumsum(sizes)[:-1])
