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
    one.name: one for one in (EXCEL, SPSS, STATA, SAS, TYPED_PARQUET)
}


def formats_named(words: str | Sequence[str]) -> tuple[FileFormat, ...]:
    """Return formats by their names, or by one text with commas, each once, in the registry's
    order.

    Raises:
        ArgumentError: A name is unknown.

    >>> [one.title for one in formats_named("sav, dta,sav")]
    ['SPSS', 'Stata']
    """
    listed = words.split(",") if isinstance(words, str) else words
    names = [word.strip().lower().removeprefix(".") for word in listed]
    if unknown := [name for name in names if name not in FORMATS]:
        raise ArgumentError(
            f"The formats are {', '.join(FORMATS)}, and not '{unknown[0][:20]}'."
        )
    return tuple(one for name, one in FORMATS.items() if name in names)
