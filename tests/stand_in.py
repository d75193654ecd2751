"""What stands in reports of tests for the five megabytes of plotly.js, which never change."""

PLOTLY = "/**\n* plotly.js v0: stands in\n*/"
