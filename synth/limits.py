"""Every bound, once. The app, the command line and the tests read them here.

Whoever runs a server may set the eight that guard it: see `upload_mb`, `person_mb`, `uploads_mb`,
`table_rows`, `memory_mb`, `seconds`, `foreign_mb` and `foreign_seconds`; and how many threads draw
rows (`workers`).
"""

import os
from fractions import Fraction

from synth.errors import ArgumentError, LimitError

EPSILON_MIN = Fraction(1, 10_000)
EPSILON_MAX = Fraction(100)
"""Epsilons outside this range are refused: below, the noise has no use; above, no meaning."""

RHO_MIN, RHO_MAX = EPSILON_MIN**2 / 2, EPSILON_MAX**2 / 2
"""The rhos of zCDP that these epsilons amount to; others are refused for the same reasons."""

STATED_DELTA = Fraction(1, 10**9)
"""The delta at which a rho is told as an epsilon, where nobody states another."""

DENSE_CELLS = 2**26
"""Largest universe that is enumerated cell by cell (about 2 GB at its peak)."""

BYTES_PER_CELL = 32
"""Memory a dense release needs for each cell: noise, weights, and the sort of the repair."""

LISTED_CELLS = 2_000_000
"""Universes up to this size have every noisy count released; larger ones from a threshold up."""

SPURIOUS_CELLS = 100_000
"""About how many empty cells of a larger universe reach that threshold."""

SUMMED_CELLS = 100_000
"""Up to here the sum of the noisy counts tells a private number of rows, unless it is loud."""

TOTAL_SHARE = Fraction(1, 20)
"""Elsewhere this share of epsilon is spent on the number of rows."""

LOUD_SUM = 500
"""The sum is loud where its noise has a standard deviation of more rows than this."""

LOUD_CELLS = 6_400
"""Fewest cells of which a loud sum is replaced: there its share makes the number four times as
quiet as the sum."""

LINKED_TABLES, LINKED_DEPTH, LINKED_ROWS = 20, 3, 1_000
"""Most tables of a package, levels of its links, and rows of one parent that are kept."""
MAX_COLUMNS = 1_000
CATEGORIES = 100_000
BINS = 10_000
MAX_SPIKES = 100
"""Sizes of a declaration."""

DEFAULT_BINS = 20
"""Bins of a number, integer or date column that declares none."""

MODEL_MB = 512
"""Memory for the tables of a model of marginals."""

BYTES_PER_MODEL_CELL = 40
"""Memory a model needs for each cell of its marginals."""

MODEL_CELLS = MODEL_MB * 2**20 // BYTES_PER_MODEL_CELL

ROWS_MAX = 10**9
"""Most rows that may be drawn."""

REPLICATES = 100
"""Most tables that are made again of one release."""

CODES_MB = 256
"""Memory for the codes of drawn rows; more are held in a file."""

ROWS_AT_A_TIME = 2**18
"""Synthetic rows that are turned into values and written at a time."""

UPLOAD_MB = 1_024
"""Largest upload in the app; larger tables go by a server path or the command line."""

UNPACKED_MB = 8_192
PACKED_RATIO = 200
UNPACKED_FREE_MB = 64
"""What a packed file may unpack to: in all, as a multiple of its size, and whatever its size."""

CELL_BYTES = 2_000_000
"""Most bytes of a cell of a table; a longer one counts as not declared."""

FOREIGN_FILE_MB = 64
"""Largest workbook or statistics file where the system limits no process's memory."""

FOOTER_MB = 64
"""Largest footer of a Parquet file."""

FILE_COLUMNS = 20_000
"""Most columns of a file; of these up to `MAX_COLUMNS` are declared."""

SCHEMA_MB = 8
"""Largest declaration file."""

JSON_DEPTH = 32
FIELDS = 20_000
CODES = 1_000_000
MAX_KEYS = 200
"""Nesting, columns, codes of all columns, and keys of one column in a declaration file."""

NAME_LENGTH = 1_000
VALUE_LENGTH = 10_000
LABEL_LENGTH = 10_000
FORMAT_LENGTH = 100
BOUND_LENGTH = 100
"""Longest name of a column, category, label or description, format of dates, number or date."""

QUESTIONS = 10_000
QUESTIONS_MB = 8
"""Most questions of one workload, and the largest file of questions."""

QUANTILES = 100
QUANTILE_PARTS = 10**6
"""Quantiles of one question, and the parts that a quantile is a number of."""

VALUE_GRID = 2**21
VALUE_STEPS = 4_096
"""Values of a column that quantiles are chosen among one by one; of more, and of real numbers, so
many steps of the same width."""

QUOTED = 100
"""Characters of a condition or value that a message quotes."""

QUESTION_LENGTH = 20_000
QUESTION_COLUMNS = 3
QUESTION_MEANS = 100
QUESTION_MOMENTS = 10
QUESTION_CELLS = 2**20
"""Cells that one question may tell apart; up to as many a joint sensitivity is exact."""
HISTOGRAM_WORK = 2**24
"""Cells times questions up to which a histogram is tried as a way to answer them."""
CUBE_NUMBERS = 4_096
"""Most numbers of a vector of l-infinity noise."""
CONDITION_VALUES = 1_000
CONDITION_DEPTH = 10
"""One question: characters; columns of a table, or groups; a vector of means; columns of a
regression with its outcome, or of principal components; and of its condition
the comparisons and listed values together, and how deep "and", "or" and "not" stand in each other.
"""

FORM_QUESTIONS = 100
FORM_OPTIONS = 100
FORM_TEXT = 500
"""A form that collects randomised answers: questions, options of one, characters of a text."""

FORM_MB = 8
COLLECTED_MB = 256
ANSWER_LENGTH = 2**20
COLLECTED_FILES = 40_000
COLLECTED_PEOPLE = 1_000_000
"""Largest form, and collected file; longest answer of one person, most files of a folder or a zip,
and most people."""

JOINT_CELLS = 2**16
"""Cells of a joint table of randomised answers."""

PEOPLE_MAX = 10**12
"""Most people that a form is planned for."""

WEIGHT_MAX = 10**6
"""Largest weight of a question, and one over the smallest."""

EXPONENT_DIGITS = 3
"""Longest power of ten in a declared number."""

MARKERS = 1_000
"""Most spellings of missing values, or of yes and of no."""

SCALE_MIN = Fraction(1, 10_000)
MAX_SCALE = Fraction(10**9)
"""Scales of noise, in units of the integer grid."""

DRAFTS = 100
"""Most drafts that one declaration was paid for with."""

CANDIDATES = 1_000
DRAFTED_TEXT = 100
DRAFTED_VALUES = 1_000
"""A draft with a guarantee: values listed for a column, characters of a value that is drafted, and
drafted values of a column."""

LOOKED_UP_VALUES = 250
LISTED_UNASKED = 100
LISTED_ROWS = 10
"""A draft from the rows: most values that it lists for a column, most that it lists before the
steward decides, and fewest rows of a value that it lists."""

NUMBER_TEXT = 40
"""Longest text that is read as a number."""

NUMBER_SHOWN = 20
"""Characters of an exact number in a list; longer ones are rounded to the safe side."""

RATIONAL_DIGITS = 400
"""Longest numerator or denominator of a number handed to a function as a fraction."""

BUNDLE_MB = 4_096
BUNDLE_FILES = 100
"""Most that a bundle may unpack to, and most files in it."""

RECORD_MB = 32
RECORD_HOLDERS = 1_000_000
RECORD_TEXTS = 4_000_000
RECORD_TEXT = 4_000
"""Largest file of a bundle that is no table, most lists and objects in it, most texts, and the
longest text of its certificate."""

GROUP_MB = 64
"""Most that the different texts of a column take, in one piece of a bundle's rows."""

PROJECT_MB = 16
PROJECT_NAME = 200
"""Largest file of a project, and its longest name."""

LEDGER_WAIT_SECONDS = 30
"""How long a process waits for another that is writing the ledger."""

DATASET_NAME = 200
"""Longest name of a dataset in the ledger."""

KEPT_BYTES = 900_000_000
"""Largest part of a release that a ledger keeps; SQLite takes a little more. An answer that might
be larger, by its public length, is refused before noise is drawn."""

REFUSALS = 100
"""Most refusals of a dataset that a ledger lists since its last spend or budget."""

COMPARED_TABLES = 2_000
"""Most tables of one order that a comparison looks at."""

TRAINED_ROWS = 10_000
TRAINED_ROWS_MIN = 50
TRAINED_CELLS = 600
TRAINED_CLASSES = 50
"""Rows, cells and classes of the classifier that compares real and synthetic rows."""

BOUND = 10**15
"""Largest bound of a column, well within what double-precision numbers tell apart."""


MEMORY_MB = 4_096
SECONDS = 3_600
FOREIGN_MB = 2_048
FOREIGN_SECONDS = 900
WORKERS = 8
"""Most threads that draw rows, where nobody asks for more: memory is what they wait for then."""


def upload_mb() -> int:
    """Largest upload in the app; SYNTH_UPLOAD_MB."""
    return _set("SYNTH_UPLOAD_MB", UPLOAD_MB)


def check_upload(size: int) -> None:
    """Refuse an upload of too many bytes.

    Raises:
        LimitError: With the limit.
    """
    if size > upload_mb() * 2**20:
        raise LimitError(
            f"The upload is larger than {upload_mb():,} MB, the limit (SYNTH_UPLOAD_MB)."
        )


def person_mb() -> int:
    """Most that the app holds of one person's uploads; SYNTH_PERSON_MB, or three of the largest."""
    return _set("SYNTH_PERSON_MB", 3 * upload_mb())


def uploads_mb() -> int:
    """Most that the app holds of all uploads; SYNTH_UPLOADS_MB, or six of the largest."""
    return _set("SYNTH_UPLOADS_MB", 6 * upload_mb())


def check_uploads(of_person: int, of_all: int) -> None:
    """Refuse an upload where the app would hold too many bytes.

    Args:
        of_person: Bytes of this person's uploads, with this one.
        of_all: Bytes of all uploads, with this one.

    Raises:
        LimitError: With the limit.
    """
    if of_person > person_mb() * 2**20:
        raise LimitError(
            f"Your uploads would take more than {person_mb():,} MB, the limit for each person "
            "(SYNTH_PERSON_MB). Close other tabs of Synth and wait two minutes, or ask who runs "
            "the server."
        )
    if of_all > uploads_mb() * 2**20:
        raise LimitError(
            f"All uploads would take more than {uploads_mb():,} MB, the limit of this server "
            "(SYNTH_UPLOADS_MB). Try again later."
        )


def table_rows() -> int:
    """Most rows of a confidential table; SYNTH_ROWS."""
    return _set("SYNTH_ROWS", ROWS_MAX)


def memory_mb() -> int:
    """Memory for the work on one release; what counting needs beyond goes to disk. SYNTH_MEMORY_MB.

    Rows that marginals are counted from are held where they fit; of more, all marginals are counted
    as they pass by.
    """
    return _set("SYNTH_MEMORY_MB", MEMORY_MB)


def seconds() -> int:
    """Time for reading and counting the rows of one release; SYNTH_SECONDS."""
    return _set("SYNTH_SECONDS", SECONDS)


def foreign_mb() -> int:
    """Memory for reading a workbook, a statistics file, or what is packed; SYNTH_FOREIGN_MB."""
    return _set("SYNTH_FOREIGN_MB", FOREIGN_MB)


def foreign_seconds() -> int:
    """Time for that; SYNTH_FOREIGN_SECONDS."""
    return _set("SYNTH_FOREIGN_SECONDS", FOREIGN_SECONDS)


def workers() -> int:
    """Threads that draw, settle and write the rows of a large table; SYNTH_WORKERS."""
    return _set("SYNTH_WORKERS", min(WORKERS, os.cpu_count() or 1))


def dense_cells() -> int:
    """Largest universe that is enumerated in the memory there is."""
    return min(DENSE_CELLS, memory_mb() * 2**20 // BYTES_PER_CELL)


def _set(name: str, usual: int) -> int:
    text = os.environ.get(name, "").strip()
    if not text:
        return usual
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentError(
            f"{name} must be a whole number of at least 1; ask who runs this server."
        )
    return int(text)
