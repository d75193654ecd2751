"""Files of other kinds under the name of a text file: JSON, web pages, data of R. PRIVATE.

Only the first bytes are looked at, which hold the column names of a text file.
"""

import re

from synth.errors import TableError

# Beginnings of files, after blanks, and what to do with such a file.
OTHER_FILES = {
    # Names of columns may be in brackets, too, as in [id],[age].
    "holds one JSON list, and no lines of a table. Write one object a line (JSON lines), and "
    "name the file .jsonl": rb"\[\s*([\[{\]]|$)",
    "holds JSON. If each line is an object, name the file .jsonl or choose --read "
    "lines=json; else write it as CSV": rb'\{\s*("|$)',
    "is a web page. Open it in a spreadsheet program, and save it as .xlsx or "
    ".csv": rb"(?i:<!doctype html|<html|<table)",
    "holds XML, and no lines of a table. Open it in the program that wrote it, and save it "
    "as .csv, .ods or .xlsx": rb"<\?xml",
    "holds data of R. Write it by write.csv, or by haven's write_dta or "
    "write_sav": rb"RD[AX][234]\n|[XA]\n\0\0|A\n[234]\n|structure\(",
    "is a document in PDF. Save its table as .csv": rb"%PDF-",
}
_MARK = b"\xef\xbb\xbf"


def refuse_other_files(name: str, start: bytes) -> None:
    """Refuse a text file that is of another kind by its first bytes.

    Args:
        name: The file in the message.
        start: The first bytes of the file, in any encoding that has ASCII.

    Raises:
        TableError: It is of another kind.

    Example:
        >>> refuse_other_files("people.csv", b"sex,age")
        >>> refuse_other_files("people.csv", b"[id],[age]")
    """
    beginning = start.removeprefix(_MARK).lstrip()
    for sentence, pattern in OTHER_FILES.items():
        if re.match(pattern, beginning):
            raise TableError(f"'{name}' {sentence}.")
