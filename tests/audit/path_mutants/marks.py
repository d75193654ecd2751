"""Slips in what tells tables, requests and columns apart."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from synth.door import Ledger
from synth.door.ledger import chain, ledger
from synth.drafting import DraftRequest
from synth.estimate import FitCheck
from synth.estimate.noisy import fits
from synth.plans import Plan
from synth.private.table import Format, PrivateTable, csv_options, frames, private_table
from synth.questions import Inquiry
from synth.spending import purchase
from tests.audit.path_mutants.told import Slip, edit, put


def of_content(change: Callable[[Any], Any]) -> Slip:
    """The mark of a table in memory is that of what is made of it."""
    return put(frames, "content", lambda right, table: right(change(table)))


def without_names(table: Any) -> Any:
    return table.rename_columns([str(place) for place in range(table.num_columns)])


def without_missing(table: Any) -> Any:
    empty = [0 if str(column.type).endswith("int64") else "" for column in table.columns]
    pairs = zip(table.columns, empty, strict=True)
    return type(table).from_arrays([c.fill_null(e) for c, e in pairs], table.column_names)


def as_texts(table: Any) -> Any:
    columns = [column.cast("string") for column in table.columns]
    return type(table).from_arrays(columns, table.column_names)


def together(_: Any, book: Ledger, *paths: Path) -> str:
    """Files one after another, wherever each of them ends."""
    return book.keyed_digest(
        block for path in sorted(paths) for block in ledger._blocks(path)
    )


def by_size(_: Any, book: Ledger, *paths: Path) -> str:
    return book.keyed_digest(str(path.stat().st_size).encode() for path in paths)


def nearly_named(_: Any, table: PrivateTable, name: str) -> int:
    return [title.casefold() for title in table.header].index(name.casefold())


OF_MARKS = {
    "the first megabyte marks a file": edit(ledger, "_blocks", "while block", "if block"),
    "65,536 rows mark a table in memory": of_content(lambda table: table.slice(0, 1 << 16)),
    "its schema marks a table in memory": of_content(lambda table: table.slice(0, 0)),
    "names of columns not marked": of_content(without_names),
    "types of columns not marked": of_content(as_texts),
    "missing cells not marked": of_content(without_missing),
    "the order of rows not marked": of_content(lambda table: table.sort_by("a")),
    "files of a folder run together": put(Ledger, "fingerprint", together),
    "a folder marked by its first file": edit(
        Ledger, "fingerprint", "if len(digests) == 1:", "if digests:"
    ),
    "files of a folder in any order": edit(
        Ledger, "fingerprint", "file_digest in digests)", "file_digest in sorted(digests))"
    ),
    "files marked by their size": put(Ledger, "fingerprint", by_size),
    "a mark without the key": edit(
        Ledger, "keyed_digest", "hmac.new(self._store.key", "hmac.new(b''"
    ),
    "a mark of one byte": edit(Ledger, "keyed_digest", "[:32]", "[:2]"),
    "a table in memory not marked": edit(
        purchase, "mark_of", "if table.held is not None", "if False"
    ),
    "a table of a cluster marked as a file": edit(
        PrivateTable, "files", "self.catalog or ", ""
    ),
}


OF_REQUESTS = {
    "a request without format options": edit(
        purchase, "request_of", "if not options:", "if True:"
    ),
    "a request with one format option": edit(
        purchase, "request_of", "dumps(options)", "dumps(options[:1])"
    ),
    "a format option of 0 forgotten": edit(
        Format, "options", "if value != ", "if value and value != "
    ),
    "the newest format options forgotten": edit(
        Format, "options", "in values.items()", "in list(values.items())[:8]"
    ),
    "format options without their values": edit(
        Format, "options", 'f"{name}={_spell_option(value)}"', "name"
    ),
    "one format option read as another": edit(
        csv_options, "parse_format", "values[name] = int", 'values["header"] = int'
    ),
    **{
        f"a plan's request without its {name}": edit(
            Plan, "request", '"rows", ', f'"rows", "{name}", '
        )
        for name in ("delta", "groups", "method", "person", "predict")
    },
    **{
        f"a check's request without {part}": edit(FitCheck, "request", text, "")
        for part, text in (
            ("its price", '"epsilon": str(self.epsilon),'),
            ("its columns", '"asked": [list(columns) for columns in self.column_sets],'),
            ("its relation", '"neighbors": self.neighbors.value,'),
            ("the rows of a person", '"max_rows": self.unit.max_rows,'),
        )
    },
    "a declaration without its missing values": edit(
        fits, "digest_of", "[*domain.missing_values]", "[]"
    ),
    **{
        f"an inquiry's request without {part}": edit(Inquiry, "request", text, "")
        for part, text in (
            ("its guarantee", '"guarantee": terms(self.guarantee),'),
            ("its relation", '"neighbors": self.neighbors.value,'),
            ("its unit", '"unit": [self.unit.person, self.unit.max_rows],'),
            ("its domain", '"domain": write_schema(self.domain.without_words()),'),
        )
    },
    "a draft's request without the rows of a person": edit(
        DraftRequest, "request", "self.unit.max_rows, ", ""
    ),
    "a ledger's mark without the request": edit(
        Ledger, "_make_mark", "dataset, digest_of_all, request)", "dataset, digest_of_all)"
    ),
    "a ledger's mark without the dataset": edit(
        Ledger, "_make_mark", "key, dataset, digest_of_all", "key, digest_of_all"
    ),
    "parts of a mark run together": edit(chain, "mark", "*parts)", '"".join(parts))'),
    "the last spend taken for any": edit(
        Ledger, "paid", "if _digests_at_ends(spend.mark) in marks", "if spend.mark"
    ),
    "a spend found whatever it cost": edit(
        Ledger,
        "_find_or_write",
        "if earlier_spend and asked.is_paid_by(earlier_spend):",
        "if earlier_spend:",
    ),
}


OF_PLACES = {
    "columns in the order of the file": edit(
        PrivateTable,
        "positions",
        "(self.position(name) for name in domain.names)",
        "(sorted(self.position(name) for name in domain.names))",
    ),
    "a column read for one of nearly its name": put(PrivateTable, "position", nearly_named),
    "a number given to two columns": edit(
        private_table, "unique_names", ' if f"{stem}_{i}" not in taken', ""
    ),
    "two columns of one name": edit(
        private_table, "unique_names", "or times[title] > 1", "or times[title] > 2"
    ),
}
