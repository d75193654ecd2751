"""The words that options take, for type checkers and for help.

``mypy --strict`` finds a wrong one in a caller's code. At run time each function refuses it
by itself, in a sentence that lists the right ones.
"""

from typing import Literal

MethodName = Literal[
    "auto", "dense", "histogram", "independent", "tree", "one-shot", "adaptive", "groups"
]
"""The methods of a release (`Method`)."""
NeighborsName = Literal["replace-one", "add-remove"]
"""The relations of two tables that the guarantee compares (`Neighbors`)."""
RepairName = Literal[
    "auto",
    "pooled",
    "smoothed",
    "nearest",
    "most-likely",
    "clamp",
    "rescale",
    "none",
]
"""The repairs of negative counts (`Repair`)."""
FavourName = Literal["errors", "associations"]
"""What synthetic rows favour (`Favour`)."""
WayOption = Literal[
    "auto",
    "laplace",
    "gaussian",
    "elliptical",
    "l2",
    "l-infinity",
    "histogram",
    "hierarchy",
    "marginals",
    "fitted",
    "choice",
]
"""The ways to answer questions (`WayName`)."""
AboutName = Literal["rows", "people"]
"""What a conclusion is about (`About`)."""
FormatName = Literal["xlsx", "sav", "dta", "xpt", "parquet"]
"""The formats of rows for other programs."""
RowsFormatName = Literal["csv", "xlsx", "sav", "dta", "xpt", "parquet"]
"""The formats of rows, CSV among them."""
LinesName = Literal["one", "span", "json"]
"""How lines of a text make rows (`Format.lines`)."""
LineEndName = Literal["", "lf", "cr"]
"""How lines of a text end (`Format.line_end`)."""
RaggedName = Literal["", "leave_out", "fill"]
"""What happens to rows with too few or too many cells (`Format.ragged`)."""
DecimalName = Literal[".", ","]
"""The decimal mark of numbers (`Format.decimal`)."""
