"""What a steward may ask of a table, and how far one row moves the answers. PUBLIC.

``terms``  a workload as vectors over the atoms of columns
"""
