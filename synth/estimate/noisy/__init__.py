"""What the door lets out, and what is public of a whole release. PUBLIC.

``counts``         noisy counts of all cells, or of a few columns
``fits``           whether rows fit a declaration, by a check before a release
``kept``           which relations a release keeps, and how well
``moments``        noisy sums of offsets within bins and of products
``preparations``   what was paid for before a release: drafts and checks of the declaration
``record``         what every release can tell of itself, whichever way it was measured
``relations``      which pairs of columns a release measured, in words
``released_fits``  whether rows fit, by the noisy counts of a release
"""
