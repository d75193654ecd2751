"""The schemas of plans: of a release, and of a release of linked tables. PUBLIC.

Names and words come from the options themselves (`synth.plans.options`)."""

from synth import limits
from synth.bundle.published.declaration import OF_DECLARATION
from synth.bundle.published.forms import (
    Fields,
    add_words,
    digest,
    document,
    listing,
    mapping,
    or_null,
    record,
    refer,
    text,
    texts,
    truth,
    whole,
    word,
)
from synth.bundle.published.package import OF_PACKAGE
from synth.bundle.published.shared import (
    DATASET,
    MAX_ROWS,
    NEIGHBORS,
    PERSON,
    ROWS_NEED_PERSON,
    SHARED,
)
from synth.plans import OPTIONS
from synth.privacy import RowReading
from synth.util import Document

EPSILON = refer("The epsilon of the guarantee, above 0.", "exact")
DELTA = refer("The delta of the guarantee; 0 for pure epsilon.", "exact")
READING = word(
    "What counts as a row of the table. lines: each line of a text file. span: what quotes "
    "hold together, also over several lines. typed: a row of a file with types, such as "
    "Parquet. frame: a row of a DataFrame. If absent, lines.",
    RowReading,
)


def words_of(name: str) -> list[str]:
    """Return the words that an option takes, in order."""
    return [str(word) for word in OPTIONS[name].words or ()]


METHOD = word("How noisy counts are measured and become rows.", words_of("method"))
REPAIR = word(
    "How impossible counts are corrected, such as those below 0.", words_of("repair")
)
FAVOUR = word("The aim of the rows: errors (of counts), or associations.", words_of("favour"))
MOMENTS = texts(
    "The sums of numbers that are measured too: auto, means, pairs, names of columns, or two "
    "names with * between them. Empty for none."
)
GROUPS = listing(
    "The columns of each group, for the method groups; otherwise empty.",
    {"type": "array", "items": {"type": "string"}},
)
MODEL_MB = whole("The most memory for the tables of a model, in megabytes (2^20 bytes).")

_LABELS: Document = {
    "description": "Labels of cells of a column.",
    "type": "array",
    "items": {"type": "string"},
    "minItems": 1,
}
_RULE_KINDS: Fields = {
    "impossible": listing(
        "Combinations that no row has; absent without any. Each names cells by column.",
        {**mapping("Cells by column.", _LABELS), "minProperties": 1},
    ),
    "fixed": listing(
        "Values of one column that limit those of another; absent without any.",
        {
            "type": "object",
            "required": ["given", "then", "values"],
            "properties": {
                "given": text("The column that decides."),
                "then": text("The column that is decided."),
                "values": mapping(
                    "The possible cells of the second, by the cell of the first.", _LABELS
                ),
            },
        },
    ),
    "order": listing(
        "Pairs of columns: the first is at most the second. Absent without any.",
        {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
    ),
}
RULES: Document = record(
    "Public rules that are true of every row.",
    {},
    {
        **_RULE_KINDS,
        "taken": record(
            "Rules that a look at the rows proposed; absent without any.", {}, _RULE_KINDS
        ),
    },
)
_PUBLIC: Document = {
    **record(
        "The public table that was the first guess. It is not protected.",
        {
            "digest": digest("The SHA-256 of its coded rows, in ascending order."),
            "vouched_by": text("Who declares that it is public.", pattern=r"\S"),
            "columns": texts("Its columns that are declared.", minItems=1),
            "rows": whole("The number of its rows that fit the declaration.", minimum=1),
        },
        {
            "epsilon": refer(
                "If it is a synthetic release, the epsilon of that; otherwise absent.",
                "exact",
            ),
            "delta": refer("The delta of that release; absent with epsilon.", "exact"),
            "relation": text("Which tables its guarantee compares; absent with epsilon."),
        },
    ),
    "dependentRequired": {"epsilon": ["delta", "relation"]},
}
# The schema of each option, by its name; the order is that of the options.
FIELDS: Fields = {
    "domain": refer("The declared columns.", "declaration"),
    "epsilon": EPSILON,
    "neighbors": NEIGHBORS,
    "method": METHOD,
    "repair": REPAIR,
    "repair_seen": truth(
        "Whether the repair was chosen after synthetic rows had been compared with the real "
        "ones. If absent, not."
    ),
    "rows": or_null(
        whole("The number of synthetic rows.", minimum=1, maximum=limits.ROWS_MAX),
        "Null: as many as the table has, by its public or noisy number.",
    ),
    "dataset": DATASET,
    "delta": DELTA,
    "groups": GROUPS,
    "rules": or_null(RULES, "Null: no rules."),
    "max_model_mb": MODEL_MB,
    "person": PERSON,
    "max_rows": MAX_ROWS,
    "public": or_null(_PUBLIC, "Null or absent: no such table."),
    "favour": add_words(FAVOUR, "If absent, errors."),
    "predict": text(
        "The column that analysts will predict, whose pairs are measured first. If absent, "
        "none."
    ),
    "moments": add_words(MOMENTS, "If absent, none."),
    "reading": READING,
}
# Options that a plan leaves out if they have their default.
SELDOM = tuple(
    option.name for option in OPTIONS.values() if option.name in FIELDS and option.seldom
)


def plan_schema() -> Document:
    """Return the schema of the plan of a release of one table.

    The reader refuses more, as some choices exclude each other: rules and groups are for
    models, and a delta is for methods that can use it. It also checks that numbers are within
    the limits and that columns are declared.
    """
    required = {name: part for name, part in FIELDS.items() if name not in SELDOM}
    optional = {name: FIELDS[name] for name in SELDOM}
    content = {**record("The choices.", required, optional), **ROWS_NEED_PERSON}
    return document(
        title="Plan of a release",
        about=(
            "The choices for a release of one table, plan.json of a bundle. Together with "
            "the rows they determine each measurement and its noise, and how synthetic "
            "rows are made."
        ),
        content=content,
        definitions={**SHARED, **OF_DECLARATION},
    )


def linked_plan_schema() -> Document:
    """Return the schema of the plan of a release of linked tables.

    The reader checks more: that epsilon is within the limits and delta below 1/1000, that
    each protected table has a rule for its rows, and all that it checks of the package.
    """
    fields: Fields = {
        "package": refer("The declared tables.", "package"),
        "epsilon": EPSILON,
        "delta": DELTA,
        "neighbors": NEIGHBORS,
        "dataset": DATASET,
        "readings": mapping("What counts as a row, by the name of the table.", READING),
    }
    return document(
        title="Plan of a release of linked tables",
        about="The choices for a release of linked tables, plan.json of its bundle.",
        content=record("The choices.", fields),
        definitions={**SHARED, **OF_PACKAGE},
    )
