"""Questions to a table: what is asked, and which noise would answer it. PUBLIC.

``condition``    which rows a question is about: comparisons joined by and, or, not
``question``     one question: its kind, columns, groups and condition; as JSON and as text
``language``     a question as one would say it
``files``        several questions in a file
``checking``     questions held against a domain
``truth``        whether a condition can hold of any row
``atoms``        columns cut where questions cut them
``workload``     questions as tallies: which rows, or whose numbers, are added up where
``terms``        a workload as vectors over the atoms of columns
``joint``        how far one person moves them together
``grid``         the cells that terms tell apart
``patterns``     what rows of these cells add
``farthest``     the two rows that are furthest apart
``extents``      largest moves of a component
``relaxation``   bounds of components too large to enumerate
``grains``       grids on which numbers are added up
``ways``         ways to answer questions together, and their expected errors
``arrangement``  which questions are answered together, by which way, at which cost
``laws``         the exact law of one noisy number
``knorm_laws``   that of K-norm noise
``reach``        half widths and expected errors
"""
