"""What axe-core, and one rule of our own, find amiss on a page of the app."""

from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout


@dataclass(frozen=True)
class Exempt:
    """What Streamlit itself brings, and no option, theme or style of the app can mend.

    ``rule`` is axe's name; ``selector`` matches the elements that break it, and no others.
    """

    rule: str
    selector: str
    why: str


EXEMPT = (
    Exempt(
        "list",
        "[data-testid=stSidebarNavItems]",
        "The navigation puts each of its sections into a div between the list and its items.",
    ),
    Exempt(
        "listitem",
        "[data-testid=stSidebarNavItems] li",
        "The same: the items of a section are in a div in the list.",
    ),
    Exempt(
        "presentation-role-conflict",
        "[data-testid=stFileUploaderDropzone]",
        "The uploader names its drop zone, which is for the mouse; its button has name and "
        "role.",
    ),
)

COLOURS = ("color-contrast", "link-in-text-block")
"""The rules to which a theme makes a difference."""

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


@dataclass(frozen=True)
class Fault:
    """One element that breaks a rule; ``exempt`` is its place in `EXEMPT`, -1 for the app's
    own.
    """

    rule: str
    target: str
    says: str
    exempt: int

    def __str__(self) -> str:
        return f"{self.rule} at {self.target}: {self.says}"


RUN = """
async ([rules, exempt]) => {
  const {violations} = await axe.run(document, {
    resultTypes: ['violations'], elementRef: true, preload: false, runOnly: rules,
  });
  return violations.flatMap(({id, nodes}) => nodes.map(node => ({
    rule: id,
    target: node.target.flat().join(' '),
    says: (node.failureSummary || '').split('\\n').slice(1).join(' ').trim()
      + ' ' + node.html.slice(0, 200),
    exempt: exempt.findIndex(([rule, selector]) => rule === id && node.element.matches(selector)),
  })));
}
"""  # noqa: E501

CUT_OFF = """
() => {
  const wide = document.documentElement.clientWidth + 1, found = [];
  const scrolls = e => e && e !== document.body && (
    /auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth
      && e.dataset.testid !== 'stMain' || scrolls(e.parentElement));
  const clipped = e => e && (getComputedStyle(e).clip !== 'auto' || clipped(e.parentElement));
  for (const e of document.querySelectorAll('[data-testid=stMain] *')) {
    const box = e.getBoundingClientRect();
    if (box.width > 1 && box.height > 1 && box.right > wide
        && e.checkVisibility({visibilityProperty: true, opacityProperty: true})
        && !scrolls(e) && !clipped(e) && !e.closest('svg, math, [aria-hidden=true]'))
      found.push({rule: 'cut-off', target: e.tagName + '.' + (e.dataset.testid || e.className),
        says: Math.round(box.right) + ' px of ' + wide, exempt: -1});
  }
  return found.slice(0, 5);
}
"""  # noqa: E501
"""Our own rule: nothing reaches beyond the window unless it can be scrolled to."""


@cache
def script() -> str:
    """axe-core, as its package bundles it."""
    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")


def list_faults(page: Page, rules: tuple[str, ...] = TAGS, again: int = 8) -> list[Fault]:
    """What is amiss on the page; looked at again, as colours and widths change by and by."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(script())
    violations: list[dict[str, Any]] = page.evaluate(
        RUN, [list(rules), [[e.rule, e.selector] for e in EXEMPT]]
    )
    with suppress(PlaywrightTimeout):
        page.wait_for_function(f"() => !({CUT_OFF})().length", timeout=400)
    violations += page.evaluate(CUT_OFF)
    if again and any(violation["exempt"] < 0 for violation in violations):
        page.wait_for_timeout(500)
        return list_faults(page, rules, again - 1)
    return [Fault(**violation) for violation in violations]
