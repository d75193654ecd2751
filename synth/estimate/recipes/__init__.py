"""Methods: each is one object in one file, from its words to its rows. PUBLIC.

``registry``     all methods by name, in the order in which they are offered
``recipe``       what a method is, and how most of them draw rows of what they measured
``automatic``    *auto*, which only chooses
``histograms``   *dense* and *histogram*: all columns in one histogram
``pairs``        *one-shot*: pairs that are worth it, all at once
``adaptive``     *adaptive*: some pairs one after another
``tree``         *tree*: a spanning tree of pairs
``groups``       *groups*: the groups of columns that the steward names
``columns``      *independent*: columns alone
``usual_table``  a table as tables usually are, and how far a budget is off on it
"""
