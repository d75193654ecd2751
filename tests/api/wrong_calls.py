"""Thirty wrong calls, one a line, and some right ones; only mypy reads this file.

Each wrong call is silenced by the very error that mypy must find. As `mypy --strict` reports
a silencer that silences nothing, it is content with this file only if it finds all thirty.
`tests/api/test_option_names_wrong_calls.py` runs it.
"""

from typing import Any

import synth


def right_calls(frame: Any, bundle: str) -> None:
    """Calls that are right, so that the types are not too narrow."""
    draft = synth.draft(frame)
    synth.release(frame, draft, epsilon=1)
    synth.release(frame, {"sex": ["f", "m"], "age": synth.Integer(0, 99)}, epsilon="0.5")
    synth.release(
        frame, "domain.json", epsilon=1, method="one-shot", repair="pooled", ledger=False
    )
    synth.ask(frame, draft, "count", rho="0.1", way="gaussian")
    synth.check(frame, draft)
    synth.forecast(draft, 1, rows=500, neighbors="add-remove")
    synth.ask(frame, draft, "count", 1, neighbours="add-remove")
    synth.release(frame, draft, epsilon=1, favor="associations")
    synth.Synthesizer(draft, 1, neighbours="add-remove", favor="errors")
    synth.dummy(draft, rows=5).save(bundle, formats=["sav", "xlsx"])
    synth.analyse(bundle).ask("count", about="people")
    synth.open_table("t.csv", lines="span", delimiter=";", split=["uses:,:1,2"])
    synth.Synthesizer(draft, 1, favour="associations").fit(frame).sample(5)


def wrong_calls(frame: Any, domain: synth.Domain, bundle: str) -> None:
    """Calls that mypy finds to be wrong, each by the error in its comment."""
    synth.release(frame, domain)  # type: ignore[call-arg]
    synth.release(frame, domain, epsilon=1, method="gan")  # type: ignore[arg-type]
    synth.release(frame, domain, epsilon=1, repair="polled")  # type: ignore[arg-type]
    synth.release(frame, domain, epsilon=1, neighbors="bounded")  # type: ignore[arg-type]
    synth.release(frame, domain, epsilon=1, neighbours="bounded")  # type: ignore[arg-type]
    synth.release(frame, domain, epsilon=1, favour="correlations")  # type: ignore[arg-type]
    synth.release(frame, domain, epsilon=1, max_row=4)  # type: ignore[call-arg]
    synth.release(frame, domain, epsilon=1, ledger=True)  # type: ignore[arg-type]
    synth.release(frame, 5, epsilon=1)  # type: ignore[arg-type]
    synth.release(frame, domain, epsilon=[1])  # type: ignore[arg-type]
    synth.release(frame, domain, epsilon=1).save(bundle, formats="csvx")  # type: ignore[arg-type]
    synth.release(frame, domain, epsilon=1).save(bundle, overwrit=True)  # type: ignore[call-arg]
    synth.release_linked({"people": frame}, "p.json")  # type: ignore[call-arg]
    synth.release_linked({}, "p.json", 1, neighbors="none")  # type: ignore[arg-type]
    synth.draft(frame, 1, neighbors="all")  # type: ignore[arg-type]
    synth.draft(frame, agreed=True)  # type: ignore[call-arg]
    synth.forecast(domain, 1)  # type: ignore[call-arg]
    synth.forecast(domain, 1, rows=100, method="dens")  # type: ignore[arg-type]
    synth.ask(frame, domain, "count", 1, way="laplac")  # type: ignore[call-overload]
    synth.ask(frame, domain, "count")  # type: ignore[call-overload]
    synth.ask(frame, domain, "count", 1, rho="0.1")  # type: ignore[call-overload]
    synth.check(frame, domain, 1, column=["sex"])  # type: ignore[call-arg]
    synth.compare(frame, 5)  # type: ignore[arg-type]
    synth.analyse(bundle).ask("count", about="row")  # type: ignore[arg-type]
    synth.analyse(bundle, any=True)  # type: ignore[call-arg]
    synth.verify(bundle, quik=True)  # type: ignore[call-arg]
    synth.open_table("t.csv", lines="spanned")  # type: ignore[arg-type]
    synth.open_table("t.csv", delimeter=";")  # type: ignore[call-arg]
    synth.Synthesizer(domain, 1, methods="tree")  # type: ignore[call-arg]
    synth.Domain(age=synth.Integer(0, 99, outside="drp"))  # type: ignore[arg-type]
