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


def name_method(method: str | None, cells: int | None) -> str:
    """Return what every page, file and command calls a method.

    Args:
        method: What people type, or None for a release by one histogram of all columns.
        cells: The number of cells of the table; None if it is not known.

    >>> name_method("one-shot", 100), name_method(None, 24_192)
    ('Pairs of columns', 'Histogram of all 24,192 cells')
    """
    return RECIPES[method or DENSE.name].name_with(cells)


def name_followed(asked: str, followed: str | None, cells: int) -> str:
    """Return what a release's method is called, if one method may have led to another.

    Args:
        asked: The method that the steward asked for.
        followed: The method that the release follows; None for a histogram of all columns.
        cells: The number of cells of the table.

    >>> name_followed("auto", "one-shot", 100), name_followed("tree", "tree", 100)
    ('Automatic: pairs of columns', 'Tree of pairs')
    """
    name = name_method(followed, cells)
    if not RECIPES[asked].chooses:
        return name
    return f"{RECIPES[asked].title}: {in_sentence(name)}"


def in_sentence(name: str) -> str:
    """Return the name of a method as it stands within a sentence.

    >>> in_sentence("Pairs of columns")
    'pairs of columns'
    """
    return f"{name[:1].lower()}{name[1:]}"


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
