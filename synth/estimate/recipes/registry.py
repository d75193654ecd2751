"""All methods by name, in order of display (`docs/extending/method.md`). PUBLIC."""

from synth.estimate.recipes.adaptive import ADAPTIVE
from synth.estimate.recipes.automatic import AUTOMATIC
from synth.estimate.recipes.columns import COLUMNS
from synth.estimate.recipes.groups import GROUPS
from synth.estimate.recipes.histograms import DENSE, SPARSE
from synth.estimate.recipes.pairs import ONE_SHOT
from synth.estimate.recipes.recipe import Recipe
from synth.estimate.recipes.tree import TREE

RECIPES: dict[str, Recipe] = {
    one.name: one
    for one in (AUTOMATIC, DENSE, ONE_SHOT, ADAPTIVE, TREE, GROUPS, COLUMNS, SPARSE)
}


def list_measuring() -> list[str]:
    """Return methods that measure marginals, from columns alone to the whole."""
    named = {name for one in RECIPES.values() if one.by_model for name in one.leads_to}

    def width(name: str) -> tuple[bool, ...]:
        one = RECIPES[name]
        return one.is_whole, one.is_joint, one.settles, one.by_pairs

    return sorted((name for name in RECIPES if name in named), key=width)
