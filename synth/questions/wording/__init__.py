"""One question and its condition, as an object, as a text and as JSON. PUBLIC.

``condition``   conditions on rows
``candidates``  candidates of a choice
``question``    one question; as JSON and as text
``lexemes``     the words, names, values and symbols of a text
``language``    a question in plain words
"""
