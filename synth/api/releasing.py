"""``synth.release``: a synthetic table with its certificate, from a confidential table."""

from __future__ import annotations

import html
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.api.declaring import as_domain, rules_of
from synth.api.dossiers import WithDossier
from synth.api.frames import PREVIEW_ROWS, frame_like, frame_of
from synth.api.option_names import (
    FavourName,
    FormatName,
    MethodName,
    NeighborsName,
    RepairName,
)
from synth.api.spending import (
    WARNING_LEVELS,
    Amount,
    LedgerChoice,
    Protected,
    Spender,
    Written,
    cost_of,
    input_paths,
    open_spender,
    protect,
)
from synth.bundle import ReleaseCertificate, Result
from synth.domain import Domain
from synth.door import Ledger, note_standing
from synth.errors import ArgumentError
from synth.plans import ALONE, Plan, read_arguments
from synth.privacy import Guarantee, name_cost
from synth.private.table import TableLike
from synth.spending import collect, refuse_few, synthesize
from synth.util import FileOutput, check_types

if TYPE_CHECKING:
    import pandas as pd

    from synth.api.declaring import DomainLike
    from synth.estimate import PublicTable
    from synth.forecasts import Outlook
    from synth.private.table import FrameTypes, PrivateTable

Rules = str | Path | Mapping[str, Any] | None
"""Impossible combinations: a file of JSON, or its content."""


@dataclass(frozen=True, eq=False)
class Release(WithDossier):
    """A synthetic table with its certificate. Everything in it is public.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> made = synth.release(frame, synth.Domain(sex=["f", "m"]), epsilon=1)
    >>> made
    Release(1,000 rows, 1 column, epsilon 1, replace-one)
    >>> made.domain.names, made.repeated, made.certificate.guarantee.epsilon
    (('sex',), False, Fraction(1, 1))
    >>> sorted(made.table["sex"].unique())
    ['f', 'm']

    Attributes:
        result: The release in detail.
        ledger: The ledger that records it; None for memory only.
        inputs: The files of the call, which no output replaces.
        types: The types of the released frame, without its categories; None for a file.
    """

    result: Result
    ledger: Ledger | None = None
    inputs: tuple[Path, ...] = ()
    types: FrameTypes | None = None

    @cached_property
    def table(self) -> pd.DataFrame:
        """Return the synthetic rows as pandas has them.

        Columns have the types of the released frame if it was one of pandas, else those of
        their declaration.
        """
        return frame_of(self.result.synthetic, self.types)

    @cached_property
    def frame(self) -> Any:
        """Return the synthetic rows as the released frame was: of its library and types.

        The categories are those of the declaration. After the release of a file it is the
        table.

        >>> import polars, synth
        >>> frame = polars.DataFrame({"sex": ["f", "m"] * 500}).cast(polars.Categorical)
        >>> synth.release(frame, {"sex": ["f", "m"]}, epsilon=1).frame.schema
        Schema([('sex', Categorical)])
        """
        return frame_like(self.result.synthetic, self.types)

    @property
    def certificate(self) -> ReleaseCertificate:
        """Return the guarantee, and how the release was made."""
        return self.result.certificate

    @property
    def domain(self) -> Domain:
        """Return the declared columns of the release."""
        return self.result.plan.domain

    @property
    def left_out(self) -> dict[str, str]:
        """Return why columns are left out, by their names, as the declaration says it.

        >>> import pandas as pd, synth
        >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500, "age": [20, 40] * 500})
        >>> domain = synth.Domain(sex=["f", "m"], age=["20", "40"])
        >>> synth.release(frame, domain, epsilon=1, columns=["sex"]).left_out
        {'age': 'was not chosen'}
        """
        return dict(self.domain.decisions.left_out)

    @cached_property
    def expected(self) -> Outlook | None:
        """Return the expected mean error of columns and of pairs, as ranges.

        It is None after a public guess. The ranges mean what those of `synth.forecast` mean,
        for the method that was used.

        >>> import pandas as pd, synth
        >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500, "age": [20, 40] * 500})
        >>> domain = synth.Domain(sex=["f", "m"], age=["20", "40"])
        >>> made = synth.release(frame, domain, epsilon=1)
        >>> made.expected.pairs.low <= made.expected.pairs.likely <= made.expected.pairs.high
        True
        """
        from synth.forecasts import outlook_of_release

        return outlook_of_release(self.result.plan, self.result.record)

    @property
    def repeated(self) -> bool:
        """Return whether the release comes from the ledger, at no cost."""
        return self.result.repeated

    @check_types
    def save(
        self,
        path: str | Path,
        formats: FormatName | Sequence[FormatName] = (),
        *,
        overwrite: bool = False,
    ) -> Path:
        """Write the bundle: one zip with the rows, the certificate and the documentation.

        A name that ends with .csv gets the rows alone, with the certificate beside them: for
        people.csv it is people.certificate.json.

        Args:
            path: The file, whose name ends with .zip or .csv. If it holds this very release,
                it stays.
            formats: Formats of the rows in the bundle in addition to CSV and Parquet: xlsx,
                sav, dta, xpt.
            overwrite: Whether to replace another file of this name. An input, such as the
                table or the ledger, is never replaced.

        Returns:
            The path of the file.

        Raises:
            ArgumentError: There are formats for a CSV file.
            ReleaseError: The file cannot be written, or something else is there.

        >>> import pandas as pd, synth, tempfile
        >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
        >>> made = synth.release(frame, {"sex": ["f", "m"]}, epsilon=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made.save(f"{folder}/r.zip").name, made.save(f"{folder}/r.csv").name
        ('r.zip', 'r.csv')
        """
        from synth.bundle import certificate_beside, formats_named

        kinds = formats_named(formats) if formats else ()
        output = FileOutput(path, (".zip", ".csv"))
        protection = protect(self.inputs, self.ledger, overwrite=overwrite, output=output)
        if not str(path).lower().endswith(".csv"):
            return self.result.write_archive(path, self.ledger, kinds, protection=protection)
        if kinds:
            raise ArgumentError(
                "formats are for a bundle, and a CSV file has one; save it as .zip, or use "
                "save_table for another format."
            )
        protection.check(output, FileOutput(certificate_beside(path)))
        return self.result.write_rows(path, self.ledger, protection=protection)[0]

    @check_types
    def save_table(self, path: str | Path, *, overwrite: bool = False) -> tuple[str, ...]:
        """Write the rows for another program: .xlsx, .sav, .dta, .xpt or .parquet.

        Args:
            path: The file. If it holds these very rows, it stays.
            overwrite: Whether to replace another file of this name. An input, such as the
                table or the ledger, is never replaced.

        Returns:
            One sentence for each thing that the format cannot express.

        Raises:
            SynthError: The format does not exist, or cannot hold the rows; or the file cannot
                be written, or something else is there.

        >>> import pandas as pd, synth, tempfile
        >>> frame = pd.DataFrame({"my sex": ["f", "m"] * 50})
        >>> made = synth.release(frame, {"my sex": ["f", "m"]}, epsilon=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print(made.save_table(f"{folder}/rows.sav")[0])
        Column 'my sex' is called 'my_sex'.
        """
        from synth.bundle import export, formats_named

        (kind,) = formats_named(Path(path).suffix)
        output = FileOutput(path)
        protection = protect(self.inputs, self.ledger, overwrite=overwrite, output=output)
        export(self.result.synthetic, kind, path, protection=protection)
        return kind.list_losses(self.domain)

    def __repr__(self) -> str:
        """Return the number of rows and columns, the cost and the neighbours."""
        return f"Release({self._in_words})"

    def _repr_html_(self) -> str:
        """Return the release in words, how well rows fit, and its first rows, in HTML."""
        rows_fit = html.escape(self.result.certificate.rows_fit)
        head = self.table.head(PREVIEW_ROWS).to_html()
        return f"<p>Release: {html.escape(self._in_words)}. {rows_fit}</p>{head}"

    @property
    def _in_words(self) -> str:
        """The number of rows and columns, the cost and the relation of the guarantee."""
        plan = self.result.plan
        # The certificate's, which has the cost of a private draft of the columns, too. A plan
        # with a delta pays for it even if its noise needs none.
        claim = self.result.certificate.guarantee
        cost = Guarantee.of(claim.epsilon, max(claim.delta, plan.delta))
        count = len(self.domain.columns)
        columns = "1 column" if count == 1 else f"{count} columns"
        return (
            f"{self.result.synthetic.rows:,} rows, {columns}, {name_cost(cost)}, "
            f"{plan.neighbors.value}"
        )


@check_types
def release(  # noqa: PLR0913 - public: each option by name
    data: TableLike,
    domain: DomainLike | None = None,
    *,
    epsilon: Amount,
    delta: Amount = 0,
    look: bool = False,
    method: MethodName = "auto",
    columns: Sequence[str] | None = None,
    rows: int | None = None,
    neighbors: NeighborsName = "replace-one",
    neighbours: NeighborsName | None = None,
    person: str = "",
    max_rows: int = 1,
    repair: RepairName = "auto",
    repair_seen: bool = False,
    groups: Sequence[Sequence[str]] = (),
    rules: Rules = None,
    predict: str = "",
    ledger: LedgerChoice = None,
    dataset: str | None = None,
    new_dataset: bool = False,
    budget: Amount | None = None,
    anyway: bool = False,
    progress: Callable[[str], None] | None = None,
    public: TableLike | None = None,
    vouched_by: str = "",
    favour: FavourName = "errors",
    favor: FavourName | None = None,
    moments: str | Sequence[str] = "auto",
) -> Release:
    """Make a synthetic table under differential privacy.

    Args:
        data: The confidential table: a DataFrame of pandas or Polars, an Arrow table, or a
            path.
        domain: The declared columns: a `Domain`, a `Draft`, columns by name, or the path of a
            declaration. Without one, a delta above 0 pays for a private draft: half of
            epsilon and the whole delta describe the columns, and the other half makes the
            rows. Columns that the draft cannot describe are left out, and a warning names
            them.
        epsilon: The budget as text, int or Fraction; a float means its shortest decimal form.
        delta: Above 0, such as "1e-9", for a weaker guarantee and less noise.
        look: Whether to draft the domain from the rows, in place of ``domain``. No guarantee
            covers it, and the certificate says so.
        method: How the table is modelled; "auto" chooses by public numbers.
        columns: The columns that take part; by default all.
        rows: The number of synthetic rows; by default that of the table, or its estimate.
        neighbors: "replace-one" (the number of rows is public) or "add-remove".
        neighbours: Another spelling of ``neighbors``.
        person: The column that identifies persons; empty if each row is one person.
        max_rows: The number of rows of one person that count.
        repair: How Synth repairs negative counts; "auto" chooses by the noise.
        repair_seen: Whether you chose the repair after comparing synthetic rows with the
            real ones; the certificate then says so.
        groups: Groups of columns for the method "groups"; each keeps all its relations.
        rules: Rules as JSON, or the path of such a file (docs/how-to/rules.md); by default
            the ones that a draft has taken in.
        predict: The column that analysts will predict; its pairs get more of the budget.
        ledger: The ledger that records the spend and finds it again (`LedgerChoice`).
        dataset: The dataset's name in the ledger; by default that of the file. A frame has no
            name, and is recorded only with one.
        new_dataset: Whether the dataset is new, although a similar name exists.
        budget: The total budget of the dataset, such as 3, set once (`Ledger.change_budget`).
        anyway: Whether to release even if a check shows noise.
        progress: It is called with the name of each stage.
        public: A public table that serves as a first guess (docs/how-to/public.md).
        vouched_by: Who declares that this table is public; the certificate names them.
        favour: Whether rows fit counts ("errors") or correlations ("associations") better.
        favor: Another spelling of ``favour``.
        moments: "auto", "none", or sums of numbers to measure, such as "means,age*income"
            (docs/how-to/moments.md).

    Raises:
        SynthError: The request is refused, in one sentence that never contains a value of the
            table.

    >>> import pandas as pd, synth
    >>> frame = pd.DataFrame({"age": [20, 40, 60, 80] * 250, "sex": ["f", "m"] * 500})
    >>> domain = synth.Domain(age=synth.Integer(18, 97, bins=4), sex=["f", "m"])
    >>> made = synth.release(frame, domain, epsilon=1)
    >>> made.table.shape, str(made.table.dtypes["sex"]), made.certificate.guarantee.epsilon
    ((1000, 2), 'category', Fraction(1, 1))
    """
    where = Written(
        ledger,
        dataset,
        new_dataset,
        budget,
        costs=[cost_of(epsilon, delta)],
        inputs=[domain, public],
    )
    if domain is None or look:
        from synth.api.describing import DraftWish, check_described, describe_columns

        check_described(domain, delta, look=look)
    declared = None if domain is None else as_domain(domain, columns)
    protected = Protected(person, max_rows, neighbors)
    arguments: Mapping[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "method": method,
        "rows": rows,
        "repair": repair,
        "repair_seen": repair_seen,
        "groups": groups,
        "rules": rules_of(domain) if rules is None else rules,
        "predict": predict,
        "favour": favour,
        "moments": moments,
    }
    check_plan = partial(
        read_plan, protected=protected, voucher=None if public is None else vouched_by
    )
    if declared is None:
        spend = open_spender(data, (), where, protected=protected)
        declared, arguments = describe_columns(
            spend,
            arguments,
            DraftWish(columns, look, progress),
            public={"public": public, "vouched_by": vouched_by},
            check=check_plan,
        )
        make_plan = check_plan(declared, arguments)
    else:
        make_plan = check_plan(declared, arguments)
        spend = open_spender(data, declared.names, where, protected=protected)
    public_table = _read_public(public, declared, vouched_by, table=spend.table)
    source = None if public_table is None else public_table.source
    plan = make_plan(dataset=spend.dataset, public=source)
    return release_plan(plan, spend, public_table, progress=progress, anyway=anyway)


def _read_public(
    public: TableLike | None, domain: Domain, vouched_by: str, *, table: PrivateTable
) -> PublicTable | None:
    """Read a public table as the guess of a release; None without one.

    Args:
        public: The public table.
        domain: The declared columns of the release.
        vouched_by: The person who declares it public.
        table: The confidential table, which must not be the public one.
    """
    if public is None:
        return None
    from synth.spending import public_apart

    return public_apart(public, domain, vouched_by, table=table)


def read_plan(
    domain: Domain,
    arguments: Mapping[str, Any],
    *,
    protected: Protected,
    voucher: str | None = None,
) -> Callable[..., Plan]:
    """Refuse wrong options, and return what makes the plan once the table is open.

    Nothing is read and nothing is spent before the options are known to be right.

    Args:
        domain: The declared columns that take part.
        arguments: Options of the plan by name, as the caller gave them.
        protected: The protected unit.
        voucher: Who vouches for the public table that is the first guess; None without one.
            With such a table, some options are checked only as the plan is made.

    Returns:
        A function that takes the other fields of the plan.

    Raises:
        SynthError: An option is wrong, or two exclude each other.
    """
    make_plan = partial(
        Plan,
        domain=domain,
        neighbors=protected.relation,
        unit=protected.unit,
        **read_arguments(arguments),
    )
    if voucher is None:
        make_plan()
    else:
        from synth.estimate import read_voucher

        read_voucher(voucher)
    return make_plan


@note_standing("the same call")  # errors then say what was spent
def release_plan(
    plan: Plan,
    spend: Spender,
    public: PublicTable | None,
    *,
    progress: Callable[[str], None] | None,
    anyway: bool,
) -> Release:
    """Release by a plan, unless a check showed that the release would be mostly noise.

    If its own noisy counts show that afterwards, the release is paid for and comes with a
    warning.

    Args:
        plan: What to release, and how.
        spend: The confidential table, and the ledger that records the cost.
        public: A public table as a first guess of the model; None for none.
        progress: Called with the name of each stage; None for none.
        anyway: Whether to release, without a warning, even if a check shows mostly noise.

    Raises:
        SynthError: An argument is refused; the message is one sentence.
    """
    plan.check_size()
    book = spend.ledger or Ledger()
    if not anyway:
        # `ALONE` is the name of a table that is released by itself.
        refuse_few(plan, collect(plan, book, {ALONE: spend.marks[0]}), "anyway=True")
    result = synthesize(plan, spend.table, ledger=book, progress=progress, public=public)
    if result.is_doubtful and not anyway:
        warnings.warn(result.certificate.rows_fit, UserWarning, stacklevel=WARNING_LEVELS)
    return Release(result, spend.ledger, spend.inputs, spend.table.frame_types)


@check_types
def open_bundle(path: str | Path) -> Release:
    """Open a bundle that `Release.save` wrote, after all checks of `verify`.

    The folder that the command line writes with ``--out`` is opened like a bundle.

    Raises:
        SynthError: With the first failed check.

    >>> import pandas as pd, synth, tempfile
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    >>> made = synth.release(frame, {"sex": ["f", "m"]}, epsilon=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     synth.open_bundle(made.save(f"{folder}/r.zip")).table.equals(made.table)
    True
    """
    from synth.verification import checks  # its charts take a second

    return Release(checks.open_bundle(path).result, inputs=input_paths(path))
