"""Methods: each is one object in one file, from its words to its rows. PUBLIC.

``registry``     all methods by name, in order of display
``recipe``       the interface of a method, and how most of them draw rows
``automatic``    *auto*, which chooses another one
``histograms``   *dense* and *histogram*: all columns in one histogram
``pairs``        *one-shot*: pairs that are worth it, all at once
``adaptive``     *adaptive*: some pairs one after another
``tree``         *tree*: a spanning tree of pairs
``groups``       *groups*: the groups of columns that the steward names
``columns``      *independent*: columns alone
``usual_table``  a usual table, and the expected errors on it
"""
