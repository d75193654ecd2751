"""The words of the field, each explained in one or two plain sentences. PUBLIC.

They appear in help icons and on the page Learn.

>>> explain_word("unit")
'**Unit**: Whose data the guarantee protects: one row, or all rows of one person.'
>>> explain_word("no such word")
Traceback (most recent call last):
KeyError: 'no such word'
"""

GLOSSARY = {
    "accuracy": "How close the synthetic table's counts are to the real ones. Synth states the "
    "error.",
    "bar": "The expected error of a released number; nine of ten numbers are within their bar.",
    "budget": "The largest total spend on the people in a table, over all releases.",
    "cell": "One combination of values, such as female and 30 to 39; every row is in exactly one.",
    "certificate": "The file that states the guarantee and the noise, so that anyone can check "
    "them.",
    "clique": "A group of columns that a model measures or keeps together in one small table.",
    "confidential table": "The real one. It stays on this machine.",
    "correlation": "How far two columns go together in a line, from -1 to 1 (Pearson's).",
    "delta": "The tiny probability that the guarantee of epsilon fails. 0 is the stronger "
    "guarantee; one in a billion is common.",
    "differential privacy": "The result would be almost as likely with other data of any one "
    "person, so it reveals almost nothing about that person.",
    "domain": "The possible values of the columns: categories, bounds, missing values. They come "
    "from the data dictionary, not from the rows.",
    "draft": "A first declaration that Synth proposes and you check.",
    "epsilon": "How much any one person's data may change the probability of a release. A smaller "
    "epsilon protects more and is less accurate: .1 is strong, 1 is common, 10 is weak.",
    "histogram": "A count for every cell of the universe. It is exact in form and noisy in number.",
    "k-marginal": "The counts of the rows by k columns at once: a 2-marginal counts each pair of "
    "values. A score of 1000 means that all counts are equal to the real ones.",
    "ledger": "The record of all spends and their datasets, written before Synth draws any noise. "
    "It outlives the app.",
    "local model": "Each person randomises their own answers, so no one has to be trusted with "
    "the true ones. It needs many more people.",
    "logistic regression": "How the odds that a row has an outcome depend on other columns: each "
    "coefficient is added to the logarithm of the odds.",
    "marginal": "The counts by some of the columns, summed over all others.",
    "method": "How the table is modelled: one count a cell, or many small tables joined into one.",
    "mu squared": "The unit of spends in Gaussian differential privacy, twice rho. It adds up "
    "even better than rho, and implies an epsilon with a delta.",
    "neighbours": "Two tables that differ in one person: one row is replaced, or one is added. By "
    "the guarantee, their releases are hard to distinguish.",
    "noise": "A random number that is added to each count; its size follows from epsilon alone.",
    "off by": "The share of rows that would have to change for two tables to agree, from 0 to 100 "
    "%. Statisticians call it the total variation distance.",
    "one-shot": "A method that measures all its small tables at once, with shares of the budget "
    "that were fixed beforehand, and so needs no second look.",
    "pair": "The counts by two columns at once; they show whether the columns are related.",
    "private": "Based on the confidential rows: for you alone, without any guarantee.",
    "project": "Your choices about one table, saved automatically. It holds no rows.",
    "randomised response": "A form that keeps the true answer with a known chance, and otherwise "
    "gives another one; over many people, the false answers can be "
    "computed out.",
    "reference level": "The value of a list that a regression compares its other values with.",
    "release": "One spend of budget, and the files it pays for.",
    "repair": "The correction of negative counts after the noise. It costs no budget, and shifts "
    "small counts a little.",
    "rho": "Another unit of spends (zCDP). It adds up better over many answers, and implies an "
    "epsilon with a delta.",
    "synthetic table": "Made-up rows with the columns of the real table, drawn from noisy counts.",
    "total variation": "The share of rows you would have to change to make two tables agree.",
    "unit": "Whose data the guarantee protects: one row, or all rows of one person.",
    "universe": "All possible cells: the product of the columns' possible values. Every cell gets "
    "noise, empty cells included.",
}


def explain_word(word: str) -> str:
    """Return a word with its explanation, as a sentence of help.

    Raises:
        KeyError: The glossary does not have it.
    """
    return f"**{word.capitalize()}**: {GLOSSARY[word]}"
