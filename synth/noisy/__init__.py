"""What the door lets out, and what is public of a whole release. PUBLIC.

``counts``  noisy counts of all cells, or of a few columns
``record``  what every release can tell of itself, whichever way it was measured
"""
