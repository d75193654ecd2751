"""What every room may use and no room is about. PUBLIC.

``version``   the version of Synth
``lazy``      names of a room, imported when they are first used
``check``     checks of arguments, and strict JSON
``arrays``    types of arrays, and sums by cell
``metrics``   distances between two tables
``workers``   parts of work by several threads, in their order
``deadline``  work that ends at a time limit or when a page is closed
``plots``     pictures, with their text for those who cannot see them
``glossary``  words of the field, explained
"""
