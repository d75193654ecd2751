"""The table of all files of a release and of answers. PUBLIC.

To add a file to a bundle, add a line here.

>>> RESOURCES["synthetic.parquet"].mediatype
'application/vnd.apache.parquet'
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from synth.bundle.file_names import NOTES, OPEN_PAGE, SCHEMA


@dataclass(frozen=True)
class Resource:
    """A kind of file in a bundle.

    Attributes:
        mediatype: The media type of the file.
        about: Its content, in one sentence.
    """

    mediatype: str
    about: str


@dataclass(frozen=True)
class WrittenFile:
    """A written file.

    Attributes:
        sha256: Its digest, in hexadecimal digits.
        bytes: Its size.
    """

    sha256: str
    bytes: int


# Returns the content, by name, of the files that describe the written ones.
Described = Callable[[Mapping[str, WrittenFile]], Mapping[str, bytes]]

DATA_PACKAGE = "datapackage.json"
CROISSANT = "croissant.json"
TABLE = "answers.csv"
ANSWER_COLUMNS = ("question", "label", "value", "low", "high", "expected error", "way")
# The files that describe all others.
DESCRIBING = (DATA_PACKAGE, CROISSANT)

_CSV = "text/csv"
_JSON = "application/json"
_TEXT = "text/plain"
_PARQUET = "application/vnd.apache.parquet"

# Files by name, in order of description; the certificate does not list itself.
RESOURCES = {
    "synthetic.csv": Resource(_CSV, "The synthetic rows, guarded against formulas."),
    "synthetic.parquet": Resource(_PARQUET, "The same rows as Parquet."),
    "dummy.csv": Resource(_CSV, "Dummy rows, made from the declaration only."),
    "dummy.parquet": Resource(_PARQUET, "The same dummy rows as Parquet."),
    "set_shares.csv": Resource(
        _CSV, "Rows of a release, drawn once more; shares may be set."
    ),
    "set_shares.parquet": Resource(_PARQUET, "The same rows as Parquet."),
    "noisy_counts.csv": Resource(_CSV, "The noisy counts behind the rows."),
    "domain.json": Resource(_JSON, "The declaration of the columns, as a Table Schema."),
    "dictionary.csv": Resource(
        _CSV, "The data dictionary: the possible values of each column."
    ),
    "ddi.xml": Resource(
        "application/xml", "The codebook as DDI, with counts of synthetic rows."
    ),
    "plan.json": Resource(_JSON, "The choices made for this release."),
    "statement.txt": Resource(_TEXT, "The guarantee in plain words."),
    SCHEMA: Resource("application/schema+json", "The certificate's form."),
    OPEN_PAGE: Resource(
        "text/html",
        "A page that explains the release, shows its figures and checks its files.",
    ),
    "how_to_use.ipynb": Resource("application/x-ipynb+json", "Examples, as a notebook."),
    "run_again.txt": Resource(_TEXT, "The commands that make such a release again."),
    "run_again.py": Resource("text/x-python", "The same commands as a Python program."),
    "answers.json": Resource(_JSON, "The answers, with their intervals."),
    "answers.csv": Resource(_CSV, "The answers as a table, one line per number."),
    "declaration.json": Resource(_JSON, "The declaration of the columns, as a Table Schema."),
    "inquiry.json": Resource(_JSON, "The questions."),
}

# The files of other bundles: of dummy rows, of rows drawn again, of answers.
_OF_OTHER_BUNDLES = {
    "dummy.csv",
    "dummy.parquet",
    "set_shares.csv",
    "set_shares.parquet",
    "answers.json",
    "answers.csv",
    "declaration.json",
    "inquiry.json",
}
# The files of every release of one table, besides its certificate and `DESCRIBING`.
RELEASE_FILES = tuple(name for name in RESOURCES if name not in _OF_OTHER_BUNDLES)
# Files that only explain what the others say: a later version may write them in other words,
# or leave them out.
_EXPLAINING = {
    *DESCRIBING,
    NOTES,
    "dictionary.csv",
    "ddi.xml",
    "statement.txt",
    SCHEMA,
    OPEN_PAGE,
    "how_to_use.ipynb",
    "run_again.txt",
    "run_again.py",
}
# Files that people also want by themselves, without the bundle and besides the certificate.
SINGLE_FILES = (
    "synthetic.csv",
    "statement.txt",
    OPEN_PAGE,
    "synthetic.parquet",
    "dictionary.csv",
    "ddi.xml",
    "domain.json",
    "noisy_counts.csv",
)
# Files that need all rows in one place, so a release in parts does not have them.
_OF_WHOLE_ROWS = {"synthetic.csv", "synthetic.parquet", "ddi.xml"}
# The files of every release in parts, besides its certificate and the list of its parts.
PARTED_FILES = tuple(name for name in RELEASE_FILES if name not in _OF_WHOLE_ROWS)


def only_explains(name: str) -> bool:
    """Return whether a file of a bundle only explains what the other files say.

    >>> only_explains("open.html"), only_explains("noisy_counts.csv")
    (True, False)
    """
    return name in _EXPLAINING


def listed_files(
    written: Mapping[str, WrittenFile],
) -> Iterator[tuple[str, Resource, WrittenFile]]:
    """Yield the written files that the table of files knows, in its order.

    Args:
        written: The digest and size of each written file, by name.

    Yields:
        The name of the file, its entry in the table, and its digest and size.
    """
    from synth.bundle.exports.registry import FORMATS

    # The table, and the files of other formats behind it.
    resources = dict(RESOURCES)
    for kind in FORMATS.values():
        about = f"The synthetic rows as {kind.title} reads them, with types and labels."
        resources[kind.file] = Resource(kind.mime, about)
    resources[NOTES] = Resource(_TEXT, "Differences in the formats of other programs.")
    for name, resource in resources.items():
        if name in written:
            yield name, resource, written[name]
