"""``synth.release_linked``: a dictionary of tables in, a dictionary of synthetic ones out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.api.dossiers import WithDossier
from synth.api.frames import convert_frame, set_types, to_frame, warn_of_misfits
from synth.api.option_names import NeighborsName
from synth.api.spending import (
    Amount,
    LedgerChoice,
    Protected,
    Spender,
    Written,
    cost_of,
    open_spender,
    protect,
)
from synth.bundle import LinkedCertificate, LinkedResult
from synth.domain import LinkedTable, read_package
from synth.door import Ledger
from synth.plans import LinkedPlan, read_arguments
from synth.privacy import name_cost
from synth.private.table import PANDAS, FrameTypes, TableLike
from synth.spending import collect, open_package, refuse_few, synthesize_linked
from synth.util import FileOutput, check_types

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class LinkedRelease(WithDossier):
    """A release of linked tables: everything in it is public.

    >>> import pandas as pd, synth, tempfile
    >>> key = {"name": "id", "type": "integer"}
    >>> late = {"name": "late", "type": "boolean", "constraints": {"required": True}}
    >>> to = {"fields": "id", "reference": {"resource": "people", "fields": "id"}}
    >>> package = {
    ...     "resources": [
    ...         {
    ...             "name": "people",
    ...             "path": "p.csv",
    ...             "schema": {
    ...                 "primaryKey": "id",
    ...                 "fields": [
    ...                     key,
    ...                     {
    ...                         "name": "sex",
    ...                         "type": "string",
    ...                         "constraints": {"enum": ["f", "m"]},
    ...                     },
    ...                 ],
    ...             },
    ...         },
    ...         {
    ...             "name": "visits",
    ...             "path": "v.csv",
    ...             "synth:maxRows": 2,
    ...             "schema": {"fields": [key, late], "foreignKeys": [to]},
    ...         },
    ...     ]
    ... }
    >>> people = pd.DataFrame({"id": range(300), "sex": ["f", "m", "m"] * 100})
    >>> visits = pd.DataFrame({"id": [*range(300), *range(100)], "late": [True, False] * 200})
    >>> made = synth.release_linked({"people": people, "visits": visits}, package, epsilon=4)
    >>> [*made.tables], made.certificate.guarantee.epsilon, made.repeated
    (['people', 'visits'], Fraction(4, 1), False)
    >>> made.frames["people"].equals(made.tables["people"])
    True
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made.save(f"{folder}/r.zip").name, made.dossier(f"{folder}/d")[0].name
    ('r.zip', 'data_protection.html')

    Attributes:
        result: The release in detail.
        ledger: The ledger that records it; None for memory only.
        inputs: The files of the call, which no output replaces.
        types: The types of the released frames by the names of the tables, without their
            categories; none of a file.
    """

    result: LinkedResult
    ledger: Ledger | None = None
    inputs: tuple[Path, ...] = ()
    types: Mapping[str, FrameTypes] = field(default_factory=dict)

    @cached_property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the synthetic tables by name, with keys and columns in declared order.

        Columns but for keys have the types of the released frames of pandas.
        """
        frames = {}
        misfits: list[str] = []
        for table in self.result.plan.package.tables:
            frame = self._declared_frame(table)
            # Keys are no declared columns, and keep the type of the synthetic files.
            columns = frame[list(table.domain.names)].copy()
            misfits += set_types(columns, self.types.get(table.name))
            for name, values in columns.items():
                frame[name] = values
            frames[table.name] = frame
        warn_of_misfits(misfits)
        return frames

    @cached_property
    def frames(self) -> dict[str, Any]:
        """Return the synthetic tables by name, each as the released frame was.

        They are of the frame's library, with its types. After the release of a file, a table
        is one of pandas.
        """
        frames: dict[str, Any] = {}
        for table in self.result.plan.package.tables:
            types = self.types.get(table.name)
            if types is None or types.library == PANDAS:
                frames[table.name] = self.tables[table.name]
            else:
                frames[table.name] = convert_frame(self._declared_frame(table), types)
        return frames

    def _declared_frame(self, table: LinkedTable) -> pd.DataFrame:
        """Return the synthetic rows of a table with their keys, in declared types."""
        rows = self.result.tables[table.name]
        frame = to_frame(rows.select(list(table.domain.names)), table.domain)
        for key, _ in table.keys:  # pairs of a name and a type
            frame[key] = rows[key].to_pandas()
        return frame[list(table.order)]

    @property
    def certificate(self) -> LinkedCertificate:
        """Return the guarantee, and how the release was made."""
        return self.result.certificate

    @property
    def repeated(self) -> bool:
        """Return whether the release comes from the ledger, at no cost."""
        return self.result.repeated

    @check_types
    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the bundle: one zip with all tables, the certificate and documentation.

        Args:
            path: The file, whose name ends with .zip. If it holds this very release, it
                stays.
            overwrite: Whether to replace another file of this name. An input, such as the
                table or the ledger, is never replaced.

        Raises:
            ReleaseError: It cannot be written, or something else is there.
        """
        output = FileOutput(path, (".zip",))
        protection = protect(self.inputs, self.ledger, overwrite=overwrite, output=output)
        return self.result.write_archive(path, self.ledger, protection)

    def __repr__(self) -> str:
        """Return the rows of each table, and the cost."""
        rows = ", ".join(f"{n:,} {name}" for name, n in self.certificate.rows.items())
        return f"LinkedRelease({rows}, {name_cost(self.result.plan.guarantee)})"


@check_types
def release_linked(  # noqa: PLR0913 - public: each option by name
    data: Mapping[str, TableLike],
    package: str | Path | Mapping[str, Any],
    epsilon: Amount,
    *,
    delta: Amount = 0,
    neighbors: NeighborsName = "replace-one",
    neighbours: NeighborsName | None = None,
    ledger: LedgerChoice = None,
    dataset: str | None = None,
    new_dataset: bool = False,
    budget: Amount | None = None,
    anyway: bool = False,
    progress: Callable[[str], None] | None = None,
) -> LinkedRelease:
    """Make synthetic tables that keys link, under differential privacy of a root.

    Args:
        data: The tables by name, including joined public ones: DataFrames of pandas or
            Polars, Arrow tables, or paths.
        package: A data package with keys (docs/explanation/linked.md): its path, or parsed
            JSON.
        epsilon: The budget as text, int or Fraction; a float means its shortest decimal form.
        delta: Above 0, such as "1e-9", for a weaker guarantee and less noise.
        neighbors: "replace-one" or "add-remove" of a root with all rows that carry its key.
        neighbours: Another spelling of ``neighbors``.
        ledger: The ledger that records the spend and finds it again (`LedgerChoice`).
        dataset: The dataset's name in the ledger.
        new_dataset: Whether the dataset is new, although a similar name exists.
        budget: The total budget of the dataset, such as 3, set once (`Ledger.change_budget`).
        anyway: Whether to release even if a check shows noise.
        progress: It is called with the name of each stage.

    Raises:
        SynthError: The request is refused, in one sentence that never contains a value of a
            table.

    >>> import pandas as pd, synth
    >>> key = {"name": "id", "type": "integer"}
    >>> sex = {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}}
    >>> late = {"name": "late", "type": "boolean", "constraints": {"required": True}}
    >>> to = {"fields": "id", "reference": {"resource": "people", "fields": "id"}}
    >>> package = {
    ...     "resources": [
    ...         {
    ...             "name": "people",
    ...             "path": "people.csv",
    ...             "schema": {"primaryKey": "id", "fields": [key, sex]},
    ...         },
    ...         {
    ...             "name": "visits",
    ...             "path": "visits.csv",
    ...             "synth:maxRows": 2,
    ...             "schema": {"fields": [key, late], "foreignKeys": [to]},
    ...         },
    ...     ]
    ... }
    >>> people = pd.DataFrame({"id": range(300), "sex": ["f", "m", "m"] * 100})
    >>> visits = pd.DataFrame({"id": [*range(300), *range(100)], "late": [True, False] * 200})
    >>> made = synth.release_linked({"people": people, "visits": visits}, package, epsilon=4)
    >>> made.tables["visits"].id.isin(made.tables["people"].id).all()
    np.True_
    """
    declared = read_package(package)
    root = declared.root
    # The unit is one row of the root, by its key, with all rows that carry this key.
    protected = Protected(root.root_key, 1, neighbors)
    # The plan comes first, so that a wrong option is refused before a table is read.
    plan = LinkedPlan(
        package=declared,
        neighbors=protected.relation,
        **read_arguments({"epsilon": epsilon, "delta": delta}),
    )
    tables = open_package(declared, data)
    # The protected tables, the root first; joined public ones are left out.
    root_table, *other_tables = [tables[table.name] for table in declared.tables]
    where = Written(
        ledger,
        dataset,
        new_dataset,
        budget,
        costs=[cost_of(epsilon, delta)],
        inputs=[package, *data.values()],
    )
    spend = open_spender(
        root_table,
        root.order,
        where,
        protected=protected,
        others=other_tables,
    )
    plan = replace(plan, dataset=spend.dataset)
    if not anyway:
        _refuse_few(plan, spend)
    result = synthesize_linked(plan, tables, ledger=spend.ledger, progress=progress)
    types = {
        name: table.frame_types
        for name, table in tables.items()
        if table.frame_types is not None
    }
    return LinkedRelease(result, spend.ledger, spend.inputs, types)


def _refuse_few(plan: LinkedPlan, spend: Spender) -> None:
    """Refuse a release that, by an earlier check in the ledger, would be mostly noise.

    Raises:
        ReleaseError: So few rows fit; the sentence names the option to release anyway.
    """
    names = (table.name for table in plan.package.tables)
    marks = dict(zip(names, spend.marks, strict=True))
    refuse_few(plan, collect(plan, spend.ledger or Ledger(), marks), "anyway=True")
