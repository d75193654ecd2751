"""From noisy counts to a model of the table. PUBLIC.

``noisy``     noisy counts, and what a release says of itself
``repair``    counts without impossible values
``models``    many small histograms joined into one model
``recipes``   methods: each from its words to its rows
``drafting``  noisy counts of spellings and sizes as a declaration
"""
