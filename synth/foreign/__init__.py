"""What comes from others: read by a process with limits, held in one place, shown as text. PUBLIC.

``parent``            asks a child process and waits for it
``child``             reads one foreign file in that process
``fault``             what the child says is wrong
``files``             files that others name, opened as nothing but files
``packed``            files that others packed
``cells``             cells of foreign files as texts, and the file that holds them
``numbers``           what numbers of a workbook stand for
``workbooks``         workbooks, row by row
``ooxml``             those of Office Open XML
``binary_ooxml``      the same in binary
``open_document``     those of OpenDocument
``xml_parts``         parts of a packed file in XML, as they pass by
``sqlite``            tables of SQLite files
``statistics``        files of SPSS, Stata and SAS
``statistics_dates``  their dates and times
``stata``             long texts of Stata
``bundle_rows``       the rows of a bundle
``labels``            what a statistics file says of its variables, read in that process
``folders``           private copies on disk, gone with their process
``home``              where the ledger and the projects are
``text``              text from a file, made fit to be shown
"""

from typing import TYPE_CHECKING

from synth.util.lazy import offer

if TYPE_CHECKING:
    from synth.foreign.bundle_rows import ROWS_FILE
    from synth.foreign.cells import TABLE
    from synth.foreign.fault import Fault, Reply, Request, UNREADABLE, refuse_damage
    from synth.foreign.files import READ_BYTES, load_file, open_file, read_blocks, read_file
    from synth.foreign.folders import Folder, open_unnamed, place, sweep
    from synth.foreign.home import home_folder
    from synth.foreign.labels import LABEL_ENDINGS, read_labels
    from synth.foreign.packed import JOINED_FILE, READERS, join_members
    from synth.foreign.parent import read_apart
    from synth.foreign.sqlite import choose_table, quote_name
    from synth.foreign.text import in_code, in_markdown, in_picture, line
    from synth.foreign.workbooks import first_sheet

__getattr__ = offer(__name__)
