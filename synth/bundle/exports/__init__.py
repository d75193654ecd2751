"""Synthetic rows for Excel, SPSS, Stata, SAS and typed Parquet. PUBLIC.

What a file holds follows from the domain and the synthetic rows alone. Values are never cut: where
a format cannot hold them as they are, another way is taken, and the file's notes say which.

``formats``     the formats, and what each can hold
``names``       names that a format can hold, each its own
``variables``   how each column is held by a format, and what that leaves out
``cells``       the values of a column as a format holds them
``workbook``    the writer for Excel
``statistics``  the writers for SPSS, Stata and SAS
``typed``       the writer of Parquet with the types of the domain
``export``      rows as a file of any of these, its notes and its manifest
"""
