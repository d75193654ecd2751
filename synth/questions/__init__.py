"""Questions to a table: what is asked, never what is answered. PUBLIC.

``wording``    how names and values are written, and what may be one
``condition``  which rows a question is about: comparisons joined by and, or, not
``question``   one question: its kind, columns, groups and condition; as JSON and as text
``lexemes``    the words, names, values and symbols of a text
``parser``     a condition, from its text
``language``   a question as one would say it
``files``      several questions in a file
``truth``      what a condition means, and whether it can hold of any row
``checking``   whether a question can be asked of a declared domain
"""
