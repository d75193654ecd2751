"""All limits, in one place, for the app, the command line and the tests.

A server's operator can set some of them by the environment variables that their functions
name.
"""

import os
from fractions import Fraction

from synth.errors import ArgumentError, LimitError

# Synth refuses other epsilons: smaller are useless, larger protect nobody.
EPSILON_MIN = Fraction(1, 10_000)
EPSILON_MAX = Fraction(100)

# The range of rho of zCDP that matches these epsilons.
RHO_MIN = EPSILON_MIN**2 / 2
RHO_MAX = EPSILON_MAX**2 / 2

# The default delta at which a rho is reported as an epsilon.
STATED_DELTA = Fraction(1, 10**9)

# Largest universe that Synth counts cell by cell (about 2 GB at its peak).
DENSE_CELLS = 2**26

# Memory of a dense release per cell: noise, weights, and the sort of the repair.
BYTES_PER_CELL = 32

# Largest universe with all noisy counts released; larger ones release counts above a
# threshold.
LISTED_CELLS = 2_000_000

# Expected number of empty cells of a larger universe above that threshold.
SPURIOUS_CELLS = 100_000

# Largest universe whose noisy counts are summed for a private number of rows, if not loud.
SUMMED_CELLS = 100_000

# Otherwise Synth spends this share of epsilon on the number of rows.
TOTAL_SHARE = Fraction(1, 20)

# A sum is loud if the standard deviation of its noise exceeds this number of rows.
LOUD_SUM = 500

# Fewest cells for replacing a loud sum: the share's noise is then at most a quarter of it.
LOUD_CELLS = 6_400

# Most tables of a package, levels of its links, and rows of one parent that are kept.
LINKED_TABLES = 20
LINKED_DEPTH = 3
LINKED_ROWS = 1_000

# Sizes of a declaration.
MAX_COLUMNS = 1_000
CATEGORIES = 100_000
BINS = 10_000
MAX_SPIKES = 100

# Most characters of a sign, which is a text among numbers; all formats hold so many.
SIGN_LENGTH = 50

# Default number of bins of a number, integer or date column.
DEFAULT_BINS = 20

# Memory for the tables of a model of marginals.
MODEL_MB = 512

# Memory of a model per cell of its marginals.
BYTES_PER_MODEL_CELL = 40

MODEL_CELLS = MODEL_MB * 2**20 // BYTES_PER_MODEL_CELL

# First rows of a table that the app shows, their columns, and the characters of a cell.
PREVIEW_ROWS = 8
PREVIEW_COLUMNS = 60
PREVIEW_CHARACTERS = 80

# Most synthetic rows.
ROWS_MAX = 10**9

# Most replicates of one release.
REPLICATES = 100

# Memory for the codes of drawn rows; a file holds more.
CODES_MB = 256

# Synthetic rows per piece that is decoded and written.
ROWS_AT_A_TIME = 2**18

# Largest upload in the app; a larger table needs a server path or the command line.
UPLOAD_MB = 1_024

# Largest unpacked size of a packed file: as a multiple of its size, and allowed for any size.
UNPACKED_MB = 8_192
PACKED_RATIO = 200
UNPACKED_FREE_MB = 64

# Most bytes of a cell of a table; a longer cell counts as undeclared.
CELL_BYTES = 2_000_000

# Most tables of a database that Synth lists.
DATABASE_TABLES = 100_000

# Largest workbook or statistics file if the system cannot limit a process's memory.
FOREIGN_FILE_MB = 64

# Largest footer of a Parquet file.
FOOTER_MB = 64

# Most columns of a file; up to `MAX_COLUMNS` of them are declared.
FILE_COLUMNS = 20_000

# Largest declaration file.
SCHEMA_MB = 8

# Nesting, columns, codes of all columns, and keys per column in a declaration file.
JSON_DEPTH = 32
FIELDS = 20_000
CODES = 1_000_000
MAX_KEYS = 200

# Longest name of a column, category, label or description, format of dates, number or date.
NAME_LENGTH = 1_000
VALUE_LENGTH = 10_000
LABEL_LENGTH = 10_000
FORMAT_LENGTH = 100
BOUND_LENGTH = 100

# Most questions of one workload, and the largest file of questions.
QUESTIONS = 10_000
QUESTIONS_MB = 8

# Most quantiles of one question, and the denominator of a quantile.
QUANTILES = 100
QUANTILE_PARTS = 10**6

# Most values of a column that are candidates of a quantile one by one; a column with more, or
# with real numbers, gets this many steps of equal width.
VALUE_GRID = 2**21
VALUE_STEPS = 4_096

# Characters of a condition or value that a message quotes.
QUOTED = 100

# Limits of one question: characters; columns of a table, or groups; a vector of means;
# columns of a regression with its outcome, or of principal components; comparisons and listed
# values of its condition together; nesting of "and", "or" and "not". Most cells of one
# question; up to this many a joint sensitivity is exact.
QUESTION_LENGTH = 20_000
QUESTION_COLUMNS = 3
QUESTION_MEANS = 100
QUESTION_MOMENTS = 10
QUESTION_CELLS = 2**20
# Largest product of cells and questions for which Synth tries a histogram.
HISTOGRAM_WORK = 2**24
# Most numbers of a vector with l-infinity noise.
CUBE_NUMBERS = 4_096
CONDITION_VALUES = 1_000
CONDITION_DEPTH = 10

# Most parts of a formula that are joined one after the other, such as the terms of a sum. Its
# tree is as deep, and Python reads a tree of some 330 levels no more.
FORMULA_PARTS = 100

# A form for randomised answers: questions, options of a question, characters of a text.
FORM_QUESTIONS = 100
FORM_OPTIONS = 100
FORM_TEXT = 500

# Largest form and collected file; longest answer of one person, most files of a folder or a
# zip, and most people.
FORM_MB = 8
COLLECTED_MB = 256
ANSWER_LENGTH = 2**20
COLLECTED_FILES = 40_000
COLLECTED_PEOPLE = 1_000_000

# Most cells of a joint table of randomised answers.
JOINT_CELLS = 2**16

# Most people in the plan of a form.
PEOPLE_MAX = 10**12

# Largest weight of a question; one over it is the smallest.
WEIGHT_MAX = 10**6

# Longest power of ten in a declared number.
EXPONENT_DIGITS = 3

# Most spellings of missing values, or of yes and of no.
MARKERS = 1_000

# Smallest and largest scale of noise, in units of the integer grid. At the largest, a noisy
# number still fits the 53 bits of a double, and the sum over all cells of a dense histogram
# 63 bits.
SCALE_MIN = Fraction(1, 10_000)
MAX_SCALE = Fraction(10**14)

# Largest standard deviation of the noise on counts of linked tables. Rows are drawn for as
# many roots as noisy counts show, so louder noise would take hours and mean nothing.
LINKED_NOISE = 10**9

# Scale of the noise on distances of pairs from which on they choose nothing.
LOUD_DISTANCES = Fraction(10**7)

# Scale of noise up to which the steps of a question's products are made finer.
FINE_PRODUCTS = Fraction(10**9)

# Most paid drafts of one declaration.
DRAFTS = 100

# A draft with a guarantee: values listed for a column, characters of a drafted value, and
# drafted values of a column.
CANDIDATES = 1_000
DRAFTED_TEXT = 100
DRAFTED_VALUES = 1_000

# A draft from the rows: most values that it lists for a column, most different values that
# are surely no keys, and fewest rows of a listed value.
LOOKED_UP_VALUES = 10_000
LISTED_UNASKED = 100
LISTED_ROWS = 10

# Longest text that is read as a number.
NUMBER_TEXT = 40

# Characters of an exact number in a list; longer numbers are rounded to the safe side.
NUMBER_SHOWN = 20

# Longest numerator or denominator of a fraction argument.
RATIONAL_DIGITS = 400

# Largest unpacked size of a bundle, and its most files.
BUNDLE_MB = 4_096
BUNDLE_FILES = 100

# A bundle's largest file without rows, most lists and objects, most texts, and the longest
# text of the certificate.
RECORD_MB = 32
RECORD_HOLDERS = 1_000_000
RECORD_TEXTS = 4_000_000
RECORD_TEXT = 4_000

# Most memory of a column's different texts in one piece of a bundle's rows.
GROUP_MB = 64

# Largest file of a project, and its longest name.
PROJECT_MB = 16
PROJECT_NAME = 200

# Most characters of an answer that is typed into a dossier.
DOSSIER_ANSWER = 4_000

# Wait for another process that is writing the ledger.
LEDGER_WAIT_SECONDS = 30

# Longest name of a dataset in the ledger.
DATASET_NAME = 200

# Longest reason for a change of a budget in the ledger.
REASON = 300

# Persons of a ledger: the most of them, and the longest name of one.
PERSONS = 100
PERSON_NAME = 100

# Shortest and longest passphrase of a person.
PASSPHRASE = 12
PASSPHRASE_MOST = 1_000

# The number n of scrypt for a passphrase, as OWASP recommends: it takes 128 MB of memory.
SCRYPT_COST = 2**17

# Most requests of a dataset that wait for a second person.
OPEN_REQUESTS = 100

# Largest part of a release in a ledger; SQLite allows slightly more. Synth refuses an answer
# that could be larger, by its public length, before it draws noise.
KEPT_BYTES = 900_000_000

# Most refusals of a dataset that a ledger lists after its last spend or budget.
REFUSALS = 100

# Most marginals of one order that a comparison includes.
COMPARED_TABLES = 2_000

# Rows, cells and classes of the classifier that compares real and synthetic rows.
TRAINED_ROWS = 10_000
TRAINED_ROWS_MIN = 50
TRAINED_CELLS = 600
TRAINED_CLASSES = 50

# Largest bound of a column, well within the precision of doubles.
BOUND = 10**15


# Defaults of the limits that an operator can set.
MEMORY_MB = 4_096
SECONDS = 3_600
FOREIGN_MB = 2_048
FOREIGN_SECONDS = 900
DATABASE_SECONDS = 60
OPEN_PAGES = 200
# Default maximum of threads that draw rows: with more, memory is the bottleneck.
WORKERS = 8


def upload_mb() -> int:
    """Return the largest upload in the app; SYNTH_UPLOAD_MB."""
    return read_env_limit("SYNTH_UPLOAD_MB", UPLOAD_MB)


def check_upload(size: int) -> None:
    """Raise LimitError, which names the limit, for an upload of more than that many bytes."""
    if size > upload_mb() * 2**20:
        raise LimitError(
            f"The upload is larger than {upload_mb():,} MB, the limit (SYNTH_UPLOAD_MB)."
        )


def person_mb() -> int:
    """Return the limit of one person's uploads; SYNTH_PERSON_MB, or three of the largest."""
    return read_env_limit("SYNTH_PERSON_MB", 3 * upload_mb())


def uploads_mb() -> int:
    """Return the limit of all uploads together; SYNTH_UPLOADS_MB, or six of the largest."""
    return read_env_limit("SYNTH_UPLOADS_MB", 6 * upload_mb())


def check_uploads(of_person: int, of_all: int) -> None:
    """Refuse an upload if the app would hold too many bytes of uploads.

    Args:
        of_person: The bytes of all uploads of this person, with this one.
        of_all: The bytes of all uploads of everybody, with this one.

    Raises:
        LimitError: It names the limit.
    """
    if of_person > person_mb() * 2**20:
        raise LimitError(
            f"Your uploads would take more than {person_mb():,} MB, the limit for each "
            "person (SYNTH_PERSON_MB). Close other tabs of Synth and wait two minutes, or "
            "ask who runs the server."
        )
    if of_all > uploads_mb() * 2**20:
        raise LimitError(
            f"All uploads would take more than {uploads_mb():,} MB, the limit of this server "
            "(SYNTH_UPLOADS_MB). Try again later."
        )


def table_rows() -> int:
    """Return the most rows of a confidential table; SYNTH_ROWS."""
    return read_env_limit("SYNTH_ROWS", ROWS_MAX)


def memory_mb() -> int:
    """Return the memory for one release; SYNTH_MEMORY_MB.

    Beyond it, counting uses the disk.
    """
    return read_env_limit("SYNTH_MEMORY_MB", MEMORY_MB)


def seconds() -> int:
    """Return the time for reading and counting the rows of one release; SYNTH_SECONDS."""
    return read_env_limit("SYNTH_SECONDS", SECONDS)


def foreign_mb() -> int:
    """Return the memory for reading a file of another program; SYNTH_FOREIGN_MB."""
    return read_env_limit("SYNTH_FOREIGN_MB", FOREIGN_MB)


def foreign_seconds() -> int:
    """Return the time for reading such a file; SYNTH_FOREIGN_SECONDS."""
    return read_env_limit("SYNTH_FOREIGN_SECONDS", FOREIGN_SECONDS)


def database_seconds() -> int:
    """Return the longest silence of a database that is read; SYNTH_DATABASE_SECONDS."""
    return read_env_limit("SYNTH_DATABASE_SECONDS", DATABASE_SECONDS)


def open_pages() -> int:
    """Return the most pages of the app that are open at a time; SYNTH_PAGES."""
    return read_env_limit("SYNTH_PAGES", OPEN_PAGES)


def workers() -> int:
    """Return the number of threads that draw the rows of a large table; SYNTH_WORKERS."""
    return read_env_limit("SYNTH_WORKERS", min(WORKERS, os.cpu_count() or 1))


def dense_cells() -> int:
    """Return the largest universe that is counted cell by cell, by the memory for it."""
    return min(DENSE_CELLS, memory_mb() * 2**20 // BYTES_PER_CELL)


def shows_rows() -> bool:
    """Return whether the app may show the first rows of a table (SYNTH_PREVIEW).

    A server's operator turns it off by "off"; any other text leaves it on.
    """
    return os.environ.get("SYNTH_PREVIEW", "").strip().lower() != "off"


def read_env_limit(name: str, default: int) -> int:
    """Return the limit that an environment variable sets, or its default if it is not set.

    ``name`` is the variable's name.

    Raises:
        ArgumentError: Its text is no whole number of at least 1.
    """
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentError(
            f"{name} must be a whole number of at least 1; ask who runs this server."
        )
    return int(text)
