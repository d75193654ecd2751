"""What every chart of a page comes with; `test_charts`, `test_compare` and `test_learn`
look.
"""

from streamlit.testing.v1 import AppTest


def count_charts(app: AppTest) -> int:
    """The charts of a page, after seeing what stands with each."""
    assert not app.exception
    assert not app.error
    plots = app.get("plotly_chart")
    for chart in plots:
        assert len(chart.proto.alt) > 20, "a chart without an alternative text"
    twins = [e for e in app.expander if e.label == "Show as table"]
    assert len(twins) == len(plots)
    for twin, chart in zip(twins, plots, strict=True):
        (table,) = twin.dataframe
        assert len(table.value) > 0
        assert twin.caption[0].value.replace("\\", "") == chart.proto.alt.replace("\\", "")
    return len(plots)
