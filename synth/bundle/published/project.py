"""The schema of a project: work that the app saved. PUBLIC.

The app reads choices by a table of its own (`pages/ui/shell/saved.py`); a test compares
them."""

from synth.bundle.published.declaration import AGREED, LEFT_OUT, ORIGIN
from synth.bundle.published.dossier import typed_answers
from synth.bundle.published.fields import DERIVED, IDENTIFIER
from synth.bundle.published.forms import (
    Fields,
    constant,
    describe,
    document,
    listing,
    or_null,
    record,
    text,
    texts,
    truth,
    whole,
    word,
)
from synth.bundle.published.plan import (
    FAVOUR,
    GROUPS,
    METHOD,
    MODEL_MB,
    MOMENTS,
    REPAIR,
)
from synth.bundle.published.shared import NEIGHBORS, PERSON, PREPARATION
from synth.domain import ID_KEY, KEY
from synth.estimate import WayName
from synth.plans import PROJECT_FORMAT
from synth.util import Document

_TYPED = "as typed, so it may be no number yet"
# A column as far as the steward has described it.
_COLUMN: Document = {
    "description": (
        "A column as far as it is described: a field of the declaration, of which all but "
        "the name may still be missing or wrong."
    ),
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": text("The name of the column."),
        "type": text("Its type; absent until one is chosen."),
        "constraints": {
            "description": "Limits of its values; absent until they are described.",
            "type": "object",
            "properties": {
                "enum": listing("The possible values; absent without a list.", True)
            },
        },
        "categories": listing("The values with labels; absent without any.", True),
        "synth:spikes": listing("Values with a cell of their own; absent without any.", True),
        "synth:signs": listing("Texts that are no values; absent without any.", True),
    },
}
_RULE: Document = {
    **_COLUMN,
    "description": "A column that follows from others, or a column of unique IDs.",
    "required": ["name", "place"],
    "properties": {
        "name": text("The name of the column.", pattern=r"\S"),
        "place": whole("Its position among all columns, from 0."),
        "description": text("Its content in words; absent without any."),
        KEY: DERIVED,
        ID_KEY: IDENTIFIER,
    },
    "oneOf": [{"required": [KEY]}, {"required": [ID_KEY]}],
}
_QUESTION: Document = record(
    "A question.",
    {
        "ask": text("The question in Synth's language, such as mean age by sex."),
        "weight": text("Its share of the budget, relative to the others: an exact number."),
    },
)
_ASKING: Document = record(
    "The choices of the step Ask.",
    {
        "line": text("The question that is being written; empty without one."),
        "questions": listing("The questions so far.", _QUESTION),
        "measure": word("The measure of the cost.", ("epsilon", "rho")),
        "amount": text(f"The cost, {_TYPED}."),
        "delta": text(f"The delta, {_TYPED}; empty for none."),
        "way": or_null(word("How the questions are answered.", WayName), "Null: the best."),
        "wanted": text(f"The largest error, {_TYPED}; empty if the cost is given."),
        "free": truth("Whether the answers of a release are taken if they are as good."),
    },
    {
        "asker": text(
            "Who has a claimed figure checked, by a request; absent if nobody is named.",
            minLength=1,
        )
    },
)
_DECLARED: Fields = {
    "fields": listing("The columns of the table, in its order.", _COLUMN),
    "derived": listing("The columns that no table holds: derived ones and IDs.", _RULE),
    "missing_values": texts("The spellings of a missing value in all columns."),
    "origin": describe(ORIGIN, "Where the declaration comes from."),
    "drafts": listing("The paid drafts of the declaration, in order.", PREPARATION),
    "looked": truth("Whether somebody saw exact numbers of rows that fit."),
    "vouched": truth("Whether the steward vouches that values from the rows are public."),
    "notes": texts("Sentences on gaps of an imported declaration. Empty in a private file."),
    "left_out": texts("The columns that take no part."),
    "decisions": record(
        "Decisions of the steward about columns.",
        {},
        {"synth:left_out": LEFT_OUT, "synth:agreed": AGREED},
    ),
    "withheld": texts("The left-out columns that public files do not name."),
    "person": PERSON,
    "checks": listing("The paid checks of the declaration, in order.", PREPARATION),
    "open_column": text("The column whose card is open; empty for none."),
}
_PLANNED: Fields = {
    "about_rows": whole("The number of rows that the steward typed; 0 for none."),
    "epsilon": text(f"The epsilon, {_TYPED}."),
    "neighbors": NEIGHBORS,
    "repair": REPAIR,
    "repair_seen": truth("Whether the repair was chosen in sight of the real rows."),
    "compared": truth("Whether synthetic rows were compared with those of this table."),
    "method": METHOD,
    "delta": text(f"The delta, {_TYPED}; empty for pure epsilon."),
    "groups": GROUPS,
    "rules": {
        "description": (
            "Public rules that are true of every row, as in a plan. They are checked when "
            "they are used. Null: no rules."
        ),
        "type": ["object", "null"],
    },
    "max_rows": whole("The most rows of one person that are used."),
    "max_model_mb": MODEL_MB,
    "favour": FAVOUR,
    "predict": text("The column that analysts will predict; empty for none."),
    "moments": MOMENTS,
    "rows": whole("The number of synthetic rows; 0 for as many as the table has."),
    "budget": text(f"The budget of a dataset that has none yet, {_TYPED}."),
    "asking": _ASKING,
}
_TABLE: Document = record(
    "How the app recognises the table, which it asks for again.",
    {
        "title": text("The steward's name for the file."),
        "mark": text("A keyed digest of the table in the ledger; empty if unknown."),
        "header": texts("The names of its columns, in order."),
        "path": text("Its path on the server, or its name in a database; empty if uploaded."),
        "options": texts("How the user had the file read."),
        "simulated": truth("Whether it is the simulated survey."),
        "people": text("Whose data it is; empty until the steward says so."),
    },
)
_STARTED: Document = record(
    "A release that was started.",
    {
        "dataset": text("The name of the dataset in the ledger."),
        "table": text("The mark of its table."),
        "request": text("The text by which the ledger finds the release."),
    },
)
_PROJECT: Fields = {
    "form": constant("The form of the file.", PROJECT_FORMAT),
    "identifier": text("A random name, also of the file.", pattern="^[0-9a-f]{32}$"),
    "name": text("The steward's name for the project.", pattern=r"\S"),
    "table": _TABLE,
    "choices": record(
        "All descriptions and choices.",
        {**_DECLARED, **_PLANNED},
        {
            "dossier": typed_answers(
                "Typed answers of dossiers, by question; absent without any."
            )
        },
    ),
    "private": truth("Whether the declaration has bounds that were read from the table."),
    "owner": text("Whose project it is; empty if nobody signs in."),
    "started": listing("Its started releases, each once, the latest last.", _STARTED),
    "revision": whole("How often it was saved."),
    "changed": text("When it was saved last, in UTC and ISO 8601; empty before."),
}


def project_schema() -> Document:
    """Return the schema of a project.

    The reader checks more: that a name is not too long, that questions can be parsed, and
    that rules of columns can be read.
    """
    return document(
        title="Project of the app",
        about=(
            "Work on one table that the app saved: descriptions and choices, without rows or "
            "counts. It is for its user alone."
        ),
        content=record("The project.", _PROJECT),
        definitions={},
    )
