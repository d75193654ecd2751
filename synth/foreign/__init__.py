"""Foreign files, read by a process with limits, stored in one place, shown as text. PUBLIC.

``parent``            starts a child process and waits for it
``silence``           ends a child whose source stalls
``child``             reads one foreign file in that process
``fault``             errors that the child reports
``files``             endings of files, and how they are opened: only regular ones
``packed``            packed files
``cells``             cells as texts, and the file that holds them
``numbers``           numbers of a workbook that mean moments
``workbooks``         workbooks, row by row
``sheet_facts``       what a workbook hides, counted
``below_table``       lines below a table
``ooxml``             Office Open XML
``binary_ooxml``      its binary layout
``open_document``     sheets of OpenDocument
``xml_parts``         XML parts of a packed file, as a stream
``sqlite``            tables of SQLite files
``statistics``        files of SPSS, Stata and SAS
``stata``             the layout and the long texts of Stata files
``moments``           dates of SPSS, Stata and SAS
``bundle_zip``        the zip of a bundle
``zip_layout``        all bytes of a zip belong to its members
``bundle_rows``       the rows of a bundle
``labels``            variable labels of a statistics file
``folders``           private copies on disk
``text``              text from a file, safe to show
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.foreign.below_table import BELOW_WORDS, is_line_below
    from synth.foreign.bundle_rows import ROWS_FILE
    from synth.foreign.bundle_zip import is_system_file
    from synth.foreign.cells import TABLE, start_copy
    from synth.foreign.fault import Fault, Reply, Request, UNREADABLE, refuse_damage
    from synth.foreign.files import JSON_LINES, LABEL_ENDINGS, READ_BYTES, READERS, WORKBOOKS
    from synth.foreign.files import load_file, open_file, read_blocks, read_file
    from synth.foreign.folders import Folder, open_unnamed, place, sweep
    from synth.foreign.labels import read_labels
    from synth.foreign.packed import JOINED_FILE, join_members
    from synth.foreign.parent import Facts, TimeLimit, ask_child, read_apart
    from synth.foreign.silence import SILENT, Pulse
    from synth.foreign.sqlite import choose_table, quote_name
    from synth.foreign.statistics import MISSING_KINDS
    from synth.foreign.text import in_code, in_markdown, in_picture, line
    from synth.foreign.workbooks import first_sheet

__getattr__ = offer(__name__)
