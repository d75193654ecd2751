"""The names of repairs, as people type them and files store them."""

from enum import StrEnum


class Repair(StrEnum):
    """A repair by its name."""

    AUTO = "auto"
    POOLED = "pooled"
    SMOOTHED = "smoothed"
    NEAREST = "nearest"
    MOST_LIKELY = "most-likely"
    CLAMP = "clamp"
    RESCALE = "rescale"
    NONE = "none"
