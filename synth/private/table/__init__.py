"""The confidential table: a file whose header is known and whose rows stay private. PRIVATE.

``private_table``  the table
``frames``         tables in memory: pandas, Polars, Arrow
``objects``        columns of Python objects
``columns``        columns of Arrow in the few types that an engine reads
``typed_rows``     rows of Parquet files and of tables in memory, some at a time
``typed_copy``     a private copy of Parquet files, for an engine that reads files itself
``convert``        a file of any kind to one an engine reads
``csv_options``    how a file is to be read
``choices``        what a header leaves open: the encoding, the delimiter
``records``        rows of delimited text, none of which depends on another
``regular``        text that an engine's own reader reads alike
``plain_copy``     a private copy of text that no engine reads
``remarks``        what is wrong with the rows, for the steward
"""
