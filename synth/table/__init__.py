"""The confidential table: a file whose header is known and whose rows stay private. PRIVATE.

``private_table``  the table
``frames``         tables in memory: pandas, Polars, Arrow
``convert``        a file of any kind to one an engine reads
``csv_options``    how a file is to be read
``choices``        what a header leaves open: the encoding, the delimiter
``records``        rows of delimited text, told apart by a plain rule
``plain_copy``     a private copy without what no engine can read
"""
