"""How a ledger shows at the end of a line of Python, and in a notebook."""

from collections.abc import Sequence

from synth.door.ledger.entries import Balance
from synth.util import paragraph_html, table_html


def describe_numbers(datasets: int, spends: int) -> str:
    """Return the numbers of datasets and spends, in words.

    >>> describe_numbers(1, 2000)
    '1 dataset, 2,000 spends'
    """
    datasets_word = "dataset" if datasets == 1 else "datasets"
    spends_word = "spend" if spends == 1 else "spends"
    return f"{datasets:,} {datasets_word}, {spends:,} {spends_word}"


def balances_html(description: str, balances: Sequence[Balance]) -> str:
    """Return each dataset's budget and the rest of the budget, as HTML.

    Args:
        description: The ledger in words.
        balances: One for each dataset.
    """
    title = paragraph_html(f"{description}.", title="Ledger")
    lines = []
    for balance in balances:
        words = ("none", "", "")
        if balance.budget is not None:
            words = (str(balance.budget), balance.spent_words, balance.left_words)
        lines.append((balance.dataset, *words, f"{len(balance.spends):,}"))
    if not lines:
        return title
    return title + table_html(("dataset", "budget", "spent", "left", "spends"), lines)
