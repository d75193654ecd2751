"""The public domain: what a steward declares of every column, before any row is read. PUBLIC.

``domain``           all columns together: the universe of cells
``column``           what every column has, and the two kinds that list their values
``bins``             whole numbers and numbers, cut into bins
``dates``            dates, cut into bins or by the calendar
``fields``           one column as a field of a Table Schema
``table_schema``     a domain as a file: Frictionless Table Schema
``foreign_formats``  declarations of other tools, to and from Table Schema
``advice``           what a declaration alone says against a column
``size``             which universes may be enumerated
"""
