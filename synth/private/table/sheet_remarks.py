"""Sentences about things that a workbook hides, or holds next to its table. PRIVATE.

They count rows and cells exactly, so they are for the steward alone. They show no cell.

>>> describe_sheet({"hidden_rows": 2}, [])
['2 rows of the sheet are hidden, by hand or by a filter. Synth reads them like all others.']
"""

from collections.abc import Mapping, Sequence
from typing import Any

from synth.errors import name_some
from synth.private.table.columns import MAX_NAMED_COLUMNS
from synth.private.table.remarks import say_below_table


def describe_sheet(facts: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return sentences about a sheet and its workbook, for the steward.

    Args:
        facts: Counts of the process that read the workbook (`SheetFacts`).
        names: The columns of the table, to name the hidden ones.
    """
    sentences: list[str] = []
    if facts.get("is_hidden"):
        sentences.append("The sheet that is read is hidden in its workbook.")
    if hidden_sheets := int(facts.get("hidden_sheets", 0)):
        are_hidden = _are_hidden(hidden_sheets, "sheet of the workbook")
        sentences.append(f"{are_hidden}.")
    if hidden_rows := int(facts.get("hidden_rows", 0)):
        are_hidden = _are_hidden(hidden_rows, "row of the sheet")
        pronoun = "it" if hidden_rows == 1 else "them"
        sentences.append(
            f"{are_hidden}, by hand or by a filter. Synth reads {pronoun} like all others."
        )
    hidden_names = [names[place] for place in facts.get("hidden_columns", ())]
    if hidden_names:
        listing = name_some([f"'{name}'" for name in hidden_names], MAX_NAMED_COLUMNS)
        sentences.append(f"Hidden columns are read like all others: {listing}.")
    if formulas := int(facts.get("unsaved_formulas", 0)):
        noun = "1 formula has" if formulas == 1 else f"{formulas:,} formulas have"
        sentences.append(
            f"{noun} no stored value, so it is missing. Open the file in a spreadsheet "
            "program and save it there."
        )
    return [*sentences, *_describe_shape(facts)]


def _describe_shape(facts: Mapping[str, Any]) -> list[str]:
    """Return sentences about rows that may belong to other tables of the sheet."""
    sentences: list[str] = []
    if blank_rows := int(facts.get("blank_rows", 0)):
        rows_hold = "1 row holds" if blank_rows == 1 else f"{blank_rows:,} rows hold"
        fate = "It is no row" if blank_rows == 1 else "They are no rows"
        sentences.append(f"{rows_hold} only formats or blanks. {fate} of the table.")
    if facts.get("gaps"):
        lines = [f"{line:,}" for line in facts["gap_lines"]]
        more = " and more" if facts["gaps"] > len(lines) else ""
        sentences.append(
            f"Rows go on below blank rows, on {'lines' if len(lines) > 1 else 'line'} "
            f"{', '.join(lines)}{more}. Synth reads all of them as one table: move other "
            "tables to sheets of their own."
        )
    if beyond_rows := int(facts.get("beyond_rows", 0)):
        noun = "1 row has" if beyond_rows == 1 else f"{beyond_rows:,} rows have"
        sentences.append(f"{noun} cells beyond the last named column, which Synth ignores.")
    below = say_below_table(int(facts.get("below_rows", 0)), facts.get("below_lines", ()))
    return [*sentences, below] if below else sentences


def _are_hidden(number: int, subject: str) -> str:
    """Return that so many things are hidden, such as "2 rows of the sheet are hidden".

    Args:
        number: How many they are.
        subject: A single one in words; its first word gets an s if there are several.
    """
    if number == 1:
        return f"1 {subject} is hidden"
    noun, rest_of_subject = subject.split(" ", 1)
    return f"{number:,} {noun}s {rest_of_subject} are hidden"
