"""Synthetic rows: drawn as codes, told as values, written to files. PUBLIC.

``draw``           from a distribution over cells to rows
``values``         from codes to values
``derive``         columns that follow from others, by value
``encode``         from values back to codes
``ordered_pairs``  values that must stand in order
``write``          tables as files, piece by piece
"""
