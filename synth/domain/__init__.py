"""The public domain: what a steward declares of every column, before any row is read. PUBLIC.

``domain``           all columns together: the universe of cells
``column``           what every column has
``reading``          how the text of a cell is read, and where what was read is cut
``listed``           two kinds that list their values: categories, yes or no
``bins``             what all columns have that are cut into bins
``numbers``          whole numbers and numbers
``steps``            numbers and dates as whole steps, to be summed
``dates``            dates, cut into bins or by the calendar
``date_formats``     date formats by example
``kinds``            the table of all kinds
``dtypes``           columns as the types of a DataFrame declare them
``building``         columns declared in code, and named by their domain
``field_values``     values of such a field, each checked and read in one way
``fields``           one column as a field of a Table Schema
``origin``           where a declaration comes from, and what was paid for it
``documents``        declarations of any kind, read as the fields of a domain
``table_schema``     a domain as a file: Frictionless Table Schema
``advice``           what a declaration alone says against a column
``derived``          columns that follow from others, in no cell
``grammar``          how formulas and questions are read: lexemes, and operators that bind
``formulas``         the language of their formulas
``formula_values``   what a formula may give
``size``             which universes may be enumerated
``codebooks``        what other tools and people write of a table's columns
``frozen``           values that cannot be changed from outside
"""
