"""Projects: what a steward declared and chose, stored so that it survives everything. PUBLIC.

``project``  one project, and how it is written as JSON: choices, never rows, never counts
``store``    the folder of projects: saved whole or not at all, listed, renamed, deleted
"""
