"""The questions of an inquiry as sums over the rows, by atoms of columns. PUBLIC.

``atoms``     columns cut where questions cut them
``truth``     where a condition is true, and whether it can be
``tallies``   sums over the rows, by group
``grains``    grids on which numbers are added
``workload``  questions as tallies
``block``     questions that are answered together
"""
