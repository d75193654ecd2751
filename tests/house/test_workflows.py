"""The workflows of the code host: they call targets of make, as `.ci/run` does."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))


def called_targets(text: str) -> set[str]:
    """The targets of make that a workflow calls, by their names or out of a matrix."""
    listed = re.findall(r"target: \[(.*)\]", text)
    named = re.findall(r"make ([a-z]+)", text)
    return {target for line in listed for target in line.split(", ")} | {*named}


def test_workflows_call_what_continuous_integration_calls() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    tests = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert set(re.findall("^make ([a-z]+)$", script, re.M)) <= called_targets(tests)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: str(path.stem))
def test_a_workflow_runs_targets_and_pinned_actions_with_the_least_rights(
    workflow: Path,
) -> None:
    """Each called target exists. An action is pinned to a commit, whose version is said.
    Nothing has a right that its job does not ask for.
    """
    text = workflow.read_text(encoding="utf-8")
    assert called_targets(text) <= TARGETS
    actions = re.findall(r"uses: (.*)", text)
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v\d\S*", action) for action in actions)
    assert re.search("^permissions: {}$", text, re.M)
