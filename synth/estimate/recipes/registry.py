"""All methods by name, in order of display (`docs/extending/method.md`). PUBLIC."""

from synth.estimate.recipes.automatic import AUTOMATIC
from synth.estimate.recipes.columns import COLUMNS
from synth.estimate.recipes.groups import DENSE, GROUPS, SPARSE
from synth.estimate.recipes.pairs import ADAPTIVE, ONE_SHOT
from synth.estimate.recipes.recipe import Recipe
from synth.estimate.recipes.tree import TREE

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (AUTOMATIC, DENSE, ONE_SHOT, ADAPTIVE, TREE, GROUPS, COLUMNS, SPARSE)
}


def list_measuring() -> list[str]:
    """Return the names of the methods that measure marginals.

    They are in order from columns alone to a histogram of all columns. The automatic choice
    is left out, as it follows one of the others.
    """
    names: set[str] = set()
    for recipe in RECIPES.values():
        if recipe.by_model:
            names.update(recipe.leads_to)

    def width(name: str) -> tuple[bool, ...]:
        """Return the sort key; False comes first."""
        recipe = RECIPES[name]
        return recipe.is_whole, recipe.is_joint, recipe.settles, recipe.by_pairs

    return sorted((name for name in RECIPES if name in names), key=width)
