"""Forty plans and more, forty inquiries and more: what must stay the same, as it is asked
for.
"""

from typing import Any

from synth.questions import KINDS

FEW = ("sex", "age", "smoker")
SOME = ("sex", "age", "region", "income", "smoker")
DATES = ("since", "until")
REMOVED = {"neighbors": "add-remove"}
DELTA = {"delta": "1e-9"}
PERSON = {"person": "person"}

PLANS: dict[str, dict[str, Any]] = {
    "dense": {"method": "dense", "columns": FEW},
    "dense, add-remove": {"method": "dense", "columns": FEW, **REMOVED},
    "dense, loud": {"domain": "long", "epsilon": "1/10", "anyway": True, **REMOVED},
    "dense, persons": {"method": "dense", "columns": FEW, **PERSON},
    "none": {"method": "dense", "columns": FEW, "repair": "none"},
    "clamp": {"method": "dense", "columns": FEW, "repair": "clamp"},
    "rescale": {"method": "dense", "columns": FEW, "repair": "rescale", **REMOVED},
    "nearest": {"method": "dense", "columns": SOME, "repair": "nearest"},
    "most-likely": {"method": "dense", "columns": SOME, "repair": "most-likely", **REMOVED},
    "pooled": {"method": "dense", "columns": SOME, "repair": "pooled"},
    "smoothed": {"method": "dense", "domain": "long", "repair": "smoothed"},
    "smoothed, one column": {
        "method": "dense",
        "domain": "long",
        "columns": ["age"],
        **REMOVED,
    },
    "histogram": {"method": "histogram", "domain": "vast"},
    "histogram, most-likely": {
        "method": "histogram",
        "domain": "vast",
        "repair": "most-likely",
        **REMOVED,
    },
    "independent": {"method": "independent"},
    "independent, delta": {"method": "independent", **REMOVED, **DELTA},
    "tree": {"method": "tree", "epsilon": 6},
    "tree, delta": {"method": "tree", "epsilon": 4, **REMOVED, **DELTA},
    "tree, more rows": {"method": "tree", "epsilon": 4, "rows": 1500},
    "tree, no pairs": {"method": "tree", "epsilon": "1/10", "anyway": True},
    "one-shot": {"method": "one-shot", "epsilon": 4},
    "one-shot, add-remove": {"method": "one-shot", "epsilon": 4, "columns": SOME, **REMOVED},
    "one-shot, delta": {"method": "one-shot", "epsilon": 2, "columns": SOME, "delta": "1e-6"},
    "one-shot, rules": {
        "method": "one-shot",
        "epsilon": 6,
        "columns": (*FEW, *DATES),
        "rules": "rules",
    },
    "adaptive": {"method": "adaptive", "epsilon": 6, "columns": (*FEW, "region")},
    "adaptive, delta": {
        "method": "adaptive",
        "epsilon": 2,
        "columns": SOME,
        **REMOVED,
        "delta": "1e-4",
    },
    "groups": {"method": "groups", "groups": [("sex", "age"), ("region", "income")]},
    "groups, delta": {
        "method": "groups",
        "groups": [("age", *DATES)],
        "columns": (*SOME, *DATES),
        **DELTA,
    },
    "auto": {"epsilon": 12},
    "auto, few columns": {"columns": FEW},
    "auto, nearly a histogram": {"columns": SOME, "epsilon": 30, **REMOVED, **DELTA},
    "auto, little": {"epsilon": "1/2", **REMOVED, **DELTA},
    "auto, persons": {"epsilon": 4, "columns": SOME, **PERSON, "max_rows": 2, **REMOVED},
    "auto, persons and delta": {"epsilon": 4, **PERSON, "max_rows": 3, **DELTA},
    "associations": {
        "method": "one-shot",
        "epsilon": 6,
        "columns": SOME,
        "favour": "associations",
    },
    "predicted": {
        "method": "one-shot",
        "epsilon": 6,
        "columns": (*FEW, "region"),
        "predict": "smoker",
    },
    "moments": {"method": "dense", "columns": FEW, "moments": "means,age"},
    "moments, delta": {
        "method": "one-shot",
        "epsilon": 4,
        "columns": SOME,
        **DELTA,
        "moments": "means,age*income",
    },
    "moments, persons": {
        "method": "independent",
        "columns": SOME,
        **PERSON,
        **REMOVED,
        "moments": "age*sex,income",
    },
    "public guess": {"epsilon": 2, "columns": SOME, "public": "people"},
    "public guess, delta": {
        "method": "one-shot",
        "epsilon": 2,
        "columns": SOME,
        "public": "people",
        **REMOVED,
        **DELTA,
    },
    "derived": {"method": "dense", "domain": "derived", "columns": (*FEW, "stage")},
    "derived, model": {"method": "independent", "epsilon": 4, "domain": "derived"},
    "fewer rows": {"method": "dense", "columns": FEW, "rows": 50},
    "budget in epsilon": {"method": "dense", "columns": FEW, "budget": "3"},
    "budget in epsilon and delta": {
        "method": "tree",
        "columns": SOME,
        "budget": "epsilon=3,delta=1e-8",
        **DELTA,
    },
    "budget in rho": {"method": "tree", "budget": "rho=1/2,delta=1e-9", **REMOVED, **DELTA},
}
"""Options of `synth.release`; the domain, the rules and the public table are named."""

RULES = {
    "impossible": [{"age": ["18 to 27"], "smoker": ["yes"]}],
    "order": [["since", "until"]],
}

SUMS = ("mean age by sex", "total income", "means age, hours, income", "count where sex = F")
LADDER = tuple(f"count where age >= {age}" for age in range(20, 95, 5))
TABLES = ("table sex by region", "table region by smoker", "table sex")
QUANTILES = ("quantiles .1, .5, .9 of age", "quantiles .25, .75 of hours with interval")
BEST = "best of [age < 30; age > 60; sex = F] by count where smoker = no"

INQUIRIES: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "count": (("count where age >= 65 and sex = F", "count where not (smoker = yes)"), {}),
    "count, add-remove": (("count", "count where region is missing"), REMOVED),
    "count, persons": (("count where age >= 65",), PERSON),
    "count, delta": (("count where age between 30 and 50",), {"delta": "1e-3", "epsilon": 3}),
    "share": (("share where income > 20000", "share where smoker = yes"), {}),
    "share, add-remove": (("share where income > 20000",), REMOVED),
    "share, rho": (("share where hours in (0, 40)",), {"rho": "1/50", **REMOVED}),
    "table": (("table sex", "table region by smoker"), {}),
    "table of three": (("table sex by region, smoker",), REMOVED),
    "total": (("total income", "total hours by sex where age < 65"), {}),
    "total, add-remove": (("total income by region",), REMOVED),
    "mean": (("mean age by sex", "mean income where smoker = yes"), {}),
    "mean, add-remove": (("mean age", "mean hours by region"), REMOVED),
    "mean, persons": (("mean age by sex over persons weight 2",), {**PERSON, "max_rows": 2}),
    "means": (("means age, hours, income",), {}),
    "means, rho": (("means age, income",), {"rho": "1/20", **REMOVED}),
    "top": (("top region", "top 2 region"), {}),
    "top with counts": (("top 3 region with counts",), REMOVED),
    "top, rho": (("top region where sex = F",), {"rho": "1/50"}),
    "variance": (("variance age by sex",), {}),
    "variance, rho": (
        ("variance income", "covariance age, hours"),
        {"rho": "1/10", **REMOVED},
    ),
    "covariance": (("covariance age, income where sex = M",), REMOVED),
    "regression": (("regression income on age, hours",), {"epsilon": 4}),
    "regression, rho": (("regression hours on age",), {"rho": "1", **REMOVED}),
    "components": (("components age, hours, income",), {"epsilon": 4}),
    "median": (("median age where sex = M", "median hours"), {}),
    "median, persons": (("median hours",), {**PERSON, "max_rows": 3, **REMOVED}),
    "quantiles": (QUANTILES, {}),
    "quantiles, rho": (("quantiles .5 of since",), {"rho": "1/8", **REMOVED}),
    "best": ((BEST,), {}),
    "best, rho": (("best of [sex = F; sex = M] by count",), {"rho": "1/50", **REMOVED}),
    "laplace": ((*SUMS, *TABLES), {"way": "laplace"}),
    "gaussian": ((*SUMS, *LADDER), {"way": "gaussian", "rho": "1/4"}),
    "gaussian, delta": (("count where age < 30",), {"way": "gaussian", "delta": "1e-6"}),
    "elliptical": (("means age, hours",), {"way": "elliptical", "rho": "1/8"}),
    "l2": (("means age, hours, income",), {"way": "l2", **REMOVED}),
    "l-infinity": (LADDER, {"way": "l-infinity"}),
    "cells": (TABLES, {"way": "histogram"}),
    "hierarchy": (LADDER, {"way": "hierarchy"}),
    "hierarchy, rho": (LADDER, {"way": "hierarchy", "rho": "1/50", **REMOVED}),
    "marginals": (TABLES, {"way": "marginals", "rho": "1/20"}),
    "fitted": ((*LADDER, "table sex"), {"way": "fitted", **REMOVED}),
    "fitted, persons": (LADDER, {"way": "fitted", "rho": "1/50", **PERSON, "max_rows": 2}),
    "choice": (("top region",), {"way": "choice"}),
    "known": (("count", "count where sex = F"), {}),
    "derived": (("count where age > 40",), {"domain": "derived", "budget": "2"}),
    "all together": (
        (*SUMS, *TABLES, *LADDER[::4], "median age"),
        {"rho": "1/8", "budget": "rho=9,delta=1e-9"},
    ),
}
"""Questions, and options of `synth.ask`."""

for kind in KINDS.values():
    if not kind.not_asked:
        INQUIRIES.setdefault(kind.name, ((f"{kind} {kind.example}",), {}))
