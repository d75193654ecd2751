"""The confidential table: a file whose header is known and whose rows stay private. PRIVATE.

``private_table``  the table
``frames``         tables in memory: pandas, Polars, Arrow
``objects``        their columns of Python objects, cell by cell
``columns``        columns of Arrow in the types that an engine reads
``typed_rows``     the rows of Parquet files and of tables in memory
``typed_copy``     a private copy of Parquet files that an engine cannot read
``convert``        a file of any kind to one an engine reads
``csv_options``    how a file is to be read
``choices``        what a header leaves open: the encoding, the delimiter
``records``        rows of delimited text, told apart by a plain rule
``plain_copy``     a private copy without what no engine can read
"""
