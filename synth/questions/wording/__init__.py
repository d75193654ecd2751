"""One question and its condition, as an object, as a text and as JSON. PUBLIC.

``spelling``        names and values, and their limits
``condition``       conditions on rows
``candidates``      candidates of a choice
``claimed``         a claimed figure that is compared with the real one
``regression``      outcome and regressors of a regression
``question``        one question; as JSON and as text
``lexemes``         the words, names, values and symbols of a text
``condition_text``  the condition of a question, read from its text
``language``        a question in plain words
"""
