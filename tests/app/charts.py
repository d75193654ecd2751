"""What every chart of a page comes with; `test_charts`, `test_compare` and `test_learn`
look.
"""

import re

from streamlit.testing.v1 import AppTest


def count_charts(app: AppTest) -> int:
    """The charts of a page, after seeing what stands with each.

    All small pictures of a page have one table together, and a description each.
    """
    assert not app.exception
    assert not app.error
    plots = app.get("plotly_chart")
    for chart in plots:
        assert len(chart.proto.alt) > 20, "a chart without an alternative text"
    tables = [e for e in app.expander if e.label == "Show as table"]
    small = find_small(app)
    assert len(tables) == len(plots) + len(small)
    for pictures in small:
        descriptions = re.findall('role="img" aria-label="([^"]*)"', pictures)
        assert len(descriptions) == pictures.count("<figure>") > 0
        assert min(map(len, descriptions)) > 20, "a picture without a description"
    tables = tables[len(small) :]  # small pictures come first, and their table has no caption
    for twin, chart in zip(tables, plots, strict=True):
        (table,) = twin.dataframe
        assert len(table.value) > 0
        assert twin.caption[0].value.replace("\\", "") == chart.proto.alt.replace("\\", "")
    return len(plots) + sum(pictures.count("<figure>") for pictures in small)


def find_small(app: AppTest) -> list[str]:
    """The small pictures of a page, as HTML."""
    bodies = [element.proto.body for element in app.get("html")]
    return [body for body in bodies if "synth-small" in body]
