"""Noisy results of the door, and public statements about a release. PUBLIC.

``counts``         noisy counts
``fits``           rows that fit, before a release
``kept``           relations that a release keeps
``moments``        noisy sums of numbers
``record``         the interface of a release's record
``relations``      measured pairs, in words
``released_fits``  rows that fit, by a release
"""
