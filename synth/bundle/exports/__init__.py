"""Synthetic rows for Excel, SPSS, Stata and SAS, and Parquet with types. PUBLIC.

What a file holds follows from the domain and the synthetic rows alone. Values are never cut: where
a format cannot hold them as they are, another way is taken, and the file's notes say which.

``registry``    all formats by name
``format``      what every format says of itself, and how it holds columns
``columns``     a column as a format holds it
``names``       names that a format can hold, each its own
``cells``       the values of a column as a format holds them
``excel``       Excel
``statistics``  what SPSS, Stata and SAS have in common
``spss``        SPSS
``stata``       Stata
``sas``         SAS
``parquet``     Parquet with the types of the domain
``tables``      the CSV and Parquet files that every bundle has
``export``      rows as a file of any format, its notes and its manifest
"""
