"""The words of the field, each explained in one or two plain sentences. PUBLIC.

They appear in help icons and on the page Learn. All screens use the same word for the same thing.

>>> explain_word("unit")
'**Unit**: Whose data the guarantee protects: one row, or all rows of one person.'
>>> explain_word("no such word")
Traceback (most recent call last):
KeyError: 'no such word'
"""

GLOSSARY = {
    "accuracy": "How close the synthetic table's counts are to the real ones; here it is told by "
    "how far they are off.",
    "bar": "How far a released number is expected to be off; nine of ten are within their bar.",
    "budget": "The most that may ever be spent on the people in a table, over all releases.",
    "cell": "One combination of values, such as female and 30 to 39; every row is in exactly one.",
    "certificate": "The file that says what was promised and by which noise, so that anybody can "
    "check it.",
    "clique": "A group of columns that a model measures or keeps together in one small table.",
    "confidential table": "The real one. It stays on this machine.",
    "correlation": "How far two columns go together in a line, from -1 to 1 (Pearson's).",
    "delta": "The tiny chance with which the promise of epsilon may fail; 0 is the stronger "
    "promise, and one in a billion is a common choice.",
    "differential privacy": "The result would be almost as likely if any one person's data were "
    "others; so it tells almost nothing about that person.",
    "domain": "What the columns may hold, declared beforehand: categories, bounds, missing values. "
    "It comes from the code book, not from the rows.",
    "draft": "A first declaration that Synth proposes, to be checked by you.",
    "epsilon": "How much any one person's data may change what is likely to be released. Smaller "
    "protects more and is less accurate: .1 is strong, 1 is common, 10 is weak.",
    "histogram": "A count for every cell of the universe. It is exact in form and noisy in number.",
    "k-marginal": "The counts of the rows by k columns at once: a table of a 2-marginal says how "
    "often each pair of values occurs. The score of 1000 means that they are all alike.",
    "ledger": "The record of everything that was spent, on which people, written before any noise "
    "is drawn. It outlives the app.",
    "local model": "Each person randomises their own answers, so that nobody has to be trusted "
    "with the true ones; it takes many more people.",
    "logistic regression": "How the odds that a row has an outcome depend on other columns: each "
    "coefficient is added to the logarithm of the odds.",
    "marginal": "The counts by some of the columns, summed over all others.",
    "method": "How the table is modelled: one count a cell, or many small tables joined into one.",
    "mu squared": "A measure of what is spent by Gaussian differential privacy: it adds up better "
    "still than rho, of which it is twice as much, and implies an epsilon with a delta.",
    "neighbours": "Two tables that differ in one person, by a replaced row or by one more; the "
    "guarantee is that they are hard to tell apart.",
    "noise": "A random number that is added to each count; its size follows from epsilon alone.",
    "off by": "The share of rows that would have to change for two tables to agree, from 0 to 100 "
    "%. Statisticians call it the total variation distance.",
    "one-shot": "A method that measures all its small tables at once, with shares of the budget "
    "that were fixed beforehand, and so needs no second look.",
    "pair": "The counts by two columns at once; it shows whether they hang together.",
    "private": "It reads the confidential rows: for you alone, and covered by no guarantee.",
    "project": "What you declared and chose about one table, saved by itself. It holds no rows.",
    "randomised response": "A form that keeps the true answer with a known chance, and otherwise "
    "gives another one; over many people the lies can be reckoned out.",
    "reference level": "The value of a list that a regression compares its other values with.",
    "release": "One spend of budget, and the files that come of it.",
    "repair": "What is done about negative counts after the noise; it costs no budget, and it "
    "pulls small counts a little.",
    "rho": "Another measure of what is spent (zCDP): it adds up better over many answers, and "
    "implies an epsilon with a delta.",
    "synthetic table": "Made-up rows with the columns of the real table, drawn from noisy counts.",
    "total variation": "The same as “off by”: the share of rows that would have to change.",
    "unit": "Whose data the guarantee protects: one row, or all rows of one person.",
    "universe": "All cells that there could be: the product of what each column may hold. Every "
    "one of them gets noise, the empty ones too.",
}
"""Explanations by word, in small letters."""


def explain_word(word: str) -> str:
    """Return a word with its explanation, as a sentence of help.

    Raises:
        KeyError: The glossary does not have it.
    """
    return f"**{word.capitalize()}**: {GLOSSARY[word]}"
