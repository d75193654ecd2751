"""Synthetic rows for Excel, SPSS, Stata and SAS, and Parquet with types. PUBLIC.

Files follow from the domain and the synthetic rows alone. Values are never cut. If a format
can't hold them, they are written in another way, and the file's notes say which.

``registry``    all formats by name
``format``      the interface of a format
``columns``     a column in a format
``names``       unique names
``cells``       the values of a column
``excel``       Excel
``statistics``  the common part of SPSS, Stata and SAS
``spss``        SPSS
``stata``       Stata
``sas``         SAS
``parquet``     Parquet with the types of the domain
``typed_pieces``  its rows, as tables of Arrow
``tables``      the CSV and Parquet files of every bundle
``export``      files of any format, notes and manifest
"""
