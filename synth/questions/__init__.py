"""What a steward may ask of a table, and how far one row moves the answers. PUBLIC.

``extents``     how large a row's vector is at most
``farthest``    how far the vectors of two rows are apart at most
``grid``        terms over the classes that they tell apart together
``joint``       how far one row, or one person, moves a whole workload in three norms
``patterns``    all pairs of rows' vectors
``relaxation``  a bound where there are too many cells to look at
``terms``       a workload as vectors over the atoms of columns
"""
