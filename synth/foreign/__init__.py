"""What comes from others: read by a process with limits, held in one place, shown as text. PUBLIC.

``parent``            asks a child process and waits for it
``child``             that process: reads one foreign file, by the modules below
``fault``             what it says is wrong
``packed``            packed files
``bundle_rows``       the rows of a bundle
``labels``            what a statistics file says of its variables
``statistics``        SPSS, Stata and SAS files, value by value
``statistics_dates``  their dates
``stata``             long texts of Stata
``workbooks``         workbooks, row by row
``ooxml``             those of Office Open XML, cell by cell
``binary_ooxml``      those in Excel's binary layout
``open_document``     those of OpenDocument
``xml_parts``         XML as it passes by
``numbers``           numbers that stand for dates
``cells``             cells as texts, and the file that holds them
``folders``           private copies on disk, gone with their process
``home``              where the ledger and the projects are
``text``              text from a file, made fit to be shown
"""
