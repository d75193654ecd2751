"""All formats of exported rows. PUBLIC.

To add one, add its object here: `docs/extending/format.md`.
"""

from collections.abc import Sequence

from synth.bundle.exports.excel import EXCEL
from synth.bundle.exports.format import FileFormat
from synth.bundle.exports.parquet import TYPED_PARQUET
from synth.bundle.exports.sas import SAS
from synth.bundle.exports.spss import SPSS
from synth.bundle.exports.stata import STATA
from synth.errors import ArgumentError

# Formats by name, in the order of pages and files.
FORMATS: dict[str, FileFormat] = {
    file_format.name: file_format for file_format in (EXCEL, SPSS, STATA, SAS, TYPED_PARQUET)
}


def formats_named(words: str | Sequence[str]) -> tuple[FileFormat, ...]:
    """Return formats by their names, each once, in the registry's order.

    Args:
        words: The names, or one text with commas between them.

    Raises:
        ArgumentError: A name is unknown.

    >>> [kind.title for kind in formats_named("sav, dta,sav")]
    ['SPSS', 'Stata']
    """
    if isinstance(words, str):
        words = words.split(",")
    names = [word.strip().lower().removeprefix(".") for word in words]
    for name in names:
        if name not in FORMATS:
            raise ArgumentError(
                f"The formats are {', '.join(FORMATS)}, and not '{name[:20]}'."
            )
    return tuple(kind for name, kind in FORMATS.items() if name in names)
