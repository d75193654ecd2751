"""The names under which files leave the app: table, privacy loss and date. PUBLIC.

A name is for people, who keep files of several releases in one folder. Inside a bundle files
keep their own names, by which `verify` finds them.

>>> clean_stem("../people 2024.csv"), clean_stem("CON"), clean_stem("")
('people_2024.csv', 'CON_', 'table')
"""

import unicodedata
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from pathlib import PurePosixPath

from synth.bundle.certificate import Certificate
from synth.bundle.file_names import SYNTHETIC
from synth.privacy import plain, scientific

# The stem of a name if there is nothing else to call it by.
NO_STEM = "table"
# Most characters of a stem, and most bytes of it: file systems allow names of 255 bytes, and
# what follows the stem takes less than 100.
MAX_STEM = 80
MAX_STEM_BYTES = 150
# Most characters of a number in a name that is written exactly.
MAX_NUMBER = 8
# Digits of a number that is rounded up.
DIGITS = 4

# Names that Windows keeps for devices, whatever ending follows them.
_DEVICES = (
    {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}
    | {f"COM{digit}" for digit in "0123456789¹²³"}
    | {f"LPT{digit}" for digit in "0123456789¹²³"}
)
# What no name has on some system, or what a shell or a path gives a meaning.
_FORBIDDEN = frozenset("<>:\"/\\|?*%$&;`'!{}[]()^#=,~@+")
# Signs that no name begins or ends with: an option, a hidden file, a lost dot.
_EDGES = "-._ "


def clean_stem(text: str) -> str:
    """Return a text as the beginning of a file's name that is harmless on every system.

    Only the last part of a path counts. Signs with a meaning to a system or a shell, blanks,
    and signs that cannot be seen become ``_``. A text without any letter or digit gives
    `NO_STEM`.

    Args:
        text: Any text, such as what somebody typed or the name of a table.
    """
    last_part = text.replace("\\", "/").rstrip("/").rpartition("/")[2]
    # NFC, as the same letter in two spellings would be two files on some systems only.
    composed = unicodedata.normalize("NFC", last_part)
    signs = "".join(sign if _is_harmless(sign) else "_" for sign in composed)
    stem = "_".join(part for part in signs.split("_") if part)
    stem = _shorten(stem.strip(_EDGES)).strip(_EDGES)
    if not any(sign.isalnum() for sign in stem):
        return NO_STEM
    if stem.partition(".")[0].upper() in _DEVICES:
        device, dot, rest = stem.partition(".")
        return f"{device}_{dot}{rest}"
    return stem


def _is_harmless(sign: str) -> bool:
    """Return whether a sign may be in a name: it is seen, is no blank, and has no meaning."""
    # Unicode's categories C (control and invisible signs) and Z (separators).
    return sign not in _FORBIDDEN and unicodedata.category(sign)[0] not in "CZ"


def _shorten(stem: str) -> str:
    """Return a stem of at most `MAX_STEM` characters and `MAX_STEM_BYTES` bytes."""
    # What is left of a letter that was cut through is dropped.
    return stem[:MAX_STEM].encode()[:MAX_STEM_BYTES].decode(errors="ignore")


def base_name(certificate: Certificate, stem: str) -> str:
    """Return the common beginning of the names of a release's files.

    The epsilon and the delta are those of the certificate's guarantee, so they include what
    was paid before the release. The date is that of the spend.

    Args:
        certificate: The certificate of the release.
        stem: How the steward calls the table; it is made harmless.
    """
    guarantee = certificate.guarantee
    parts = [clean_stem(stem), f"epsilon{_number(guarantee.epsilon)}"]
    if guarantee.delta:
        parts.append(f"delta{_number(guarantee.delta)}")
    parts.append(certificate.created[:10])  # of an ISO time, the day
    return "_".join(parts)


def _number(number: Fraction) -> str:
    """Return a number for a name: exactly if it is short, otherwise rounded up.

    >>> _number(Fraction(1, 2)), _number(Fraction(1, 3)), _number(Fraction(1, 10**9))
    ('0.5', '0.3334', '1e-09')
    """
    exact = plain(number) if number >= Fraction(1, 1000) else scientific(number)
    if len(exact) <= MAX_NUMBER and "/" not in exact:
        return exact
    context = Context(prec=DIGITS, rounding=ROUND_CEILING)
    rounded = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    return f"{rounded.normalize(context):g}".replace("+", "")


def download_name(base: str, name: str) -> str:
    """Return the name under which a file is downloaded.

    Args:
        base: The common beginning (`base_name`).
        name: The name of the file in the bundle, or the bundle's own one.

    >>> [download_name("a_epsilon1", name) for name in ("synthetic.csv", "open.html")]
    ['a_epsilon1.csv', 'a_epsilon1_open.html']
    """
    path = PurePosixPath(name)
    # The rows and the bundle are what the base is called after; the others are about them.
    if path.stem in (PurePosixPath(SYNTHETIC).stem, "bundle"):
        return f"{base}{path.suffix}"
    return f"{base}_{name}"
