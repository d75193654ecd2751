"""The one order of all spends: recall, count the rows, check, pay, open the door. DOOR.

Releases, linked ones too, answers, checks, drafts and scores all begin by `Purchase.begin`.
It recalls what the ledger knows of the dataset: that somebody looked at exact numbers of its
rows. A refusal costs nothing, and the ledger's line is written before noise is drawn. A
certified request recalls once more after that line."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from synth import limits
from synth.door import Door, Ledger, tables_looked_at
from synth.errors import LimitError, TableError
from synth.privacy import Guarantee, Neighbors, RowReading, Unit
from synth.private import counting
from synth.private.table import PrivateTable
from synth.util import Document, Watch

if TYPE_CHECKING:
    from synth.door import Asker

Work = TypeVar("Work")
# Called with the name of a stage as it starts.
Progress = Callable[[str], None]

# Most spends' stages; the budget is spent between the two.
STAGES = ("Counting rows", "Drawing noise")
# Those of a release.
RELEASE_STAGES = (*STAGES, "Repairing counts", "Drawing rows")


class Spending(Protocol):
    """A paid request: a plan, an inquiry, a check or a draft."""

    @property
    def dataset(self) -> str:
        """The steward's name for the table."""

    @property
    def neighbors(self) -> Neighbors:
        """The relation of the guarantee."""

    @property
    def unit(self) -> Unit:
        """The protected unit."""

    @property
    def request(self) -> str:
        """Text that determines a table's answer."""

    def learn(self, readings: Mapping[str, RowReading], looked: Collection[str], /) -> Self:
        """Return the request with all facts about its tables that are known before counting.

        Args:
            readings: What counts as a row of each table, by its name; the first table first.
            looked: Names of the tables of whose rows somebody may have seen exact numbers.
        """


Asked = TypeVar("Asked", bound=Spending)


@dataclass(frozen=True, kw_only=True)
class SpendSetting:
    """Where a spend happens.

    Attributes:
        ledger: It records the spend; by default one in memory only.
        progress: Called with the name of each stage as it starts.
        watch: It may stop the work before the spend; by default after `limits.seconds`.
    """

    ledger: Ledger | None = None
    progress: Progress | None = None
    watch: Watch | None = None


@dataclass(frozen=True, repr=False, kw_only=True)
class Purchase(Generic[Asked]):
    """A paid request about one or several tables that has begun, and its ledger. DOOR.

    Attributes:
        request: The request as it was made.
        spending: The request, with what is known of the tables.
        tables: The tables by name, the first one first; a single one is called `ALONE`.
        marks: The marks by which the ledger recognises the protected ones.
        stages: The budget is spent between the first two.
        public: Names of tables that are no secret.
    """

    request: Asked
    spending: Asked
    tables: Mapping[str, PrivateTable]
    marks: Mapping[str, str]
    ledger: Ledger
    report: Progress
    watch: Watch
    stages: Sequence[str]
    public: Collection[str] = ()

    @classmethod
    def begin(
        cls,
        spending: Asked,
        tables: Mapping[str, PrivateTable],
        *,
        setting: SpendSetting | None = None,
        stages: Sequence[str] = STAGES,
        public: Collection[str] = (),
    ) -> "Purchase[Asked]":
        """Begin a spend, and recall what the ledger knows of its tables.

        Args:
            spending: The paid request.
            tables: The tables by name, the first one first; a single one is called `ALONE`.
            setting: By default a ledger in memory only, and the usual time.
            stages: Names for ``progress``; the budget is spent between the first two.
            public: Names of tables that are no secret.
        """
        setting = setting or SpendSetting()
        ledger = setting.ledger or Ledger()
        marks = {
            name: _mark_if_readable(table, ledger)
            for name, table in tables.items()
            if name not in public
        }
        purchase = Purchase(
            request=spending,
            spending=spending,
            tables=tables,
            marks=marks,
            ledger=ledger,
            report=setting.progress or _report_nothing,
            watch=setting.watch or Watch(),
            stages=stages,
            public=public,
        )
        return purchase.recall()

    def __repr__(self) -> str:
        """Show no value of a row."""
        return "Purchase(private)"

    def recall(self, before: int | None = None) -> "Purchase[Asked]":
        """Return the purchase with the looks that the ledger knows by now.

        A look means that somebody saw exact numbers of a table's rows. This may happen while
        the rows are counted. So a certified request recalls once more after the line of its
        spend is in the ledger: what comes before that line is then known. If the request was
        paid for earlier, looks that came since are no part of what led to it.

        Args:
            before: The number of the event of the spend: only looks before it count. None
                for all.
        """
        dataset = self.request.dataset
        looked = tables_looked_at(self.ledger, dataset, self.marks, before=before)
        readings = {name: table.reading for name, table in self.tables.items()}
        return replace(self, spending=self.request.learn(readings, looked))

    @property
    def table(self) -> PrivateTable:
        """The first table."""
        return next(iter(self.tables.values()))

    def count(self, work: Callable[[], Work], rows: Callable[[Work], int]) -> Work:
        """Count the rows within the time limit, and refuse too many rows, or none. PRIVATE.

        Args:
            work: It counts, and its result is returned.
            rows: It returns the number of counted rows from that result.

        Raises:
            SynthError: The request is refused, in one sentence. Nothing is spent.
        """
        self.report(self.stages[0])
        with self.watch.watch():
            counted = work()
        check_rows(self.spending, self.tables, rows(counted))
        return counted

    def charge(self, claim: Guarantee, *, gaussian: bool = False) -> Guarantee:
        """Return what a guarantee costs in the unit of the dataset's budget.

        Args:
            claim: The guarantee of the request.
            gaussian: Whether its noise is Gaussian.
        """
        budget = self.ledger.balance(self.spending.dataset).budget
        return budget.charge(claim, gaussian=gaussian) if budget else claim

    def open_door(
        self,
        guarantee: Guarantee,
        purpose: str,
        costs: Sequence[Guarantee] = (),
        *,
        asker: "Asker | None" = None,
    ) -> Door:
        """Record the spend in the ledger, and return the door for the tables.

        The door is the one place where noise is added to exact numbers.

        Args:
            guarantee: The spend.
            purpose: What for, in the words of the ledger.
            costs: What each measurement will cost, if it is known before.
            asker: Who has claimed figures compared, if that is known.

        Raises:
            LedgerError: The budget is too small, or the spend cannot be recorded.
            WaitingError: A second person has to approve the spend first.
            ReleaseError: The guarantee does not cover these costs.
        """
        self.report(self.stages[1])
        mark = mark_of_all(self.tables, self.ledger, self.public)
        return Door(
            ledger=self.ledger,
            dataset=self.spending.dataset,
            neighbors=self.spending.neighbors,
            guarantee=guarantee,
            purpose=purpose,
            unit=self.spending.unit,
            table=mark,
            request=request_of(self.spending, *self.tables.values()),
            costs=costs,
            dossier=self._describe_for_second(guarantee, purpose, mark),
            asker=asker,
        )

    def _describe_for_second(
        self, guarantee: Guarantee, purpose: str, mark: str
    ) -> Document | None:
        """Return a second person's view of the spend; None if it needs one person only."""
        if self.ledger.guard_of(self.spending.dataset, mark) is None:
            return None
        from synth.bundle import describe_spend  # which most spends do not need

        return describe_spend(self.spending, guarantee, purpose)

    def head_of(self, door: Door) -> str | None:
        """Return the hash of the ledger's newest event of this spend; None without a file."""
        return door.head if self.ledger.path else None


def _report_nothing(_stage: str) -> None:
    """Do nothing, in place of a callback."""


def check_rows(spending: Spending, tables: Mapping[str, PrivateTable], rows: int) -> None:
    """Refuse too many rows; also none, if their number is public.

    A private number of rows may be 0, because a refusal would tell it.

    Args:
        spending: The request, whose relation says if the number of rows is public.
        tables: The tables by name, the first one first.
        rows: The exact number of rows of all of them.

    Raises:
        LimitError: There are more than `limits.table_rows`.
        TableError: There are none.
    """
    if rows > limits.table_rows():
        subject = "The table has" if len(tables) == 1 else "The tables have"
        raise LimitError(
            f"{subject} more than {limits.table_rows():,} rows, the limit (SYNTH_ROWS)."
        )
    if spending.unit.shares_rows(spending.neighbors) and not rows:
        first = next(iter(tables.values()))
        raise TableError(f"'{first.path.name}' has a header but no rows.")


def _mark_if_readable(table: PrivateTable, ledger: Ledger) -> str:
    """Return the ledger's mark of a table; empty if the table cannot be read."""
    try:
        return mark_of(table, ledger)
    except TableError:  # the engine says why it cannot be read
        return ""


def mark_of(table: PrivateTable, ledger: Ledger) -> str:
    """Return the digest by which a ledger file recognises a table.

    It is keyed, so that nobody else can test a guess of the table. A database returns rows in
    any order, so its digest depends on the rows and their frequency only. It is empty for a
    ledger that recalls no tables, or for a table on a cluster.

    Args:
        table: The confidential table.
        ledger: Whose key is used.
    """
    if not ledger.recalls:
        return ""
    if table.database:
        # The engine gets a key of its own, so that the ledger's never leaves this process.
        row_key = ledger.keyed_digest([b"rows"])
        return ledger.keyed_digest([counting.digest_rows(table, row_key)])
    if table.held is not None:
        from synth.private.table import content

        return ledger.keyed_digest(content(table.held))
    return ledger.fingerprint(*table.files) if table.files else ""


def mark_of_all(
    tables: Mapping[str, PrivateTable], ledger: Ledger, public: Collection[str] = ()
) -> str:
    """Return the text by which a ledger recognises one table, or several tables together.

    For several it begins with a digest of all their marks (see `mark_of`). The mark of each
    secret table follows, separated by spaces. It is empty if the ledger cannot recognise one
    of the tables.

    Args:
        tables: The tables by name, in the order of the request.
        ledger: Whose key is used.
        public: Names of tables that are no secret.
    """
    marks = {name: mark_of(table, ledger) for name, table in tables.items()}
    if not all(marks.values()):
        return ""
    if len(marks) == 1:
        return next(iter(marks.values()))
    mark_of_tables = ledger.keyed_digest([mark.encode() for mark in marks.values()])
    secret_marks = [mark for name, mark in marks.items() if name not in public]
    return " ".join([mark_of_tables, *secret_marks])


def request_of(spending: Spending, *tables: PrivateTable) -> str:
    """Return the text by which the ledger finds the answer to a repeated request.

    It consists of the request and of the options with which the tables are read. The ledger
    uses it together with the marks of the tables.
    """
    if len(tables) > 1:
        options_of_tables = [str(table.asked) for table in tables if table.asked]
        return spending.request + "".join(options_of_tables)
    options = tables[0].asked
    if not options:
        return spending.request
    return f"{spending.request} {json.dumps(options)}"
