"""Everything that comes through the door, and public statements about a release. PUBLIC.

``counts``         noisy counts of all cells, or of a few columns
``fits``           whether rows fit a declaration, by a check before a release
``kept``           which relations a release keeps, and how well
``moments``        noisy sums of offsets within bins and of products
``preparations``   paid drafts and checks of the declaration
``record``         the interface of a release's record
``relations``      which pairs of columns a release measured, in words
``released_fits``  whether rows fit, by the noisy counts of a release
"""
