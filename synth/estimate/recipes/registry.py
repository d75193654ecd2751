"""All methods by name. PUBLIC.

A new one is its name, an object in a module beside this one, a line here, and what it measures:
`docs/extending/method.md`.
"""

from synth.estimate.models.names import Method
from synth.estimate.recipes.adaptive import ADAPTIVE
from synth.estimate.recipes.automatic import AUTOMATIC
from synth.estimate.recipes.columns import COLUMNS
from synth.estimate.recipes.groups import GROUPS
from synth.estimate.recipes.histograms import DENSE, LARGE
from synth.estimate.recipes.pairs import ONE_SHOT
from synth.estimate.recipes.recipe import Recipe
from synth.estimate.recipes.tree import TREE

RECIPES: dict[Method, Recipe] = {
    one.name: one for one in (AUTOMATIC, DENSE, ONE_SHOT, ADAPTIVE, TREE, GROUPS, COLUMNS, LARGE)
}
"""In the order in which they are offered."""

HISTOGRAMS = tuple(name for name, one in RECIPES.items() if not one.by_model)
"""The methods that release the histogram of all columns, and so need no delta."""
FAVOURING = tuple(name for name, one in RECIPES.items() if one.settles)
"""The methods that may lead to rows settled on pairs, which is where something can be favoured."""
