"""What one edit of the declaration costs: 200 columns against 5, in the same run.

python tests/bench/bench_editor.py
"""

import csv
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
EDITS = 8


def edit(folder: Path, columns: int) -> float:
    """CPU seconds of the median edit on the page Domain, all threads."""
    names = [f"item_{i:03}" for i in range(columns)]
    table = folder / f"{columns}.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, ["1"] * columns])
    enum = [str(code) for code in range(40)]
    fields = [{"name": n, "type": "string", "constraints": {"enum": enum}} for n in names]
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=240).run()
    app.text_input(key="path").input(str(table)).run()
    next(b for b in app.button if b.label == "Use this file").click().run()
    app.switch_page("pages/steps/domain.py").run()
    content = json.dumps({"fields": fields}).encode()
    app.file_uploader[0].upload("domain.json", content, "application/json").run()
    costs = []
    for number in range(EDITS):
        box = next(b for b in app.checkbox if b.label.startswith("Missing values"))
        box.check() if number % 2 else box.uncheck()
        before = time.process_time()
        app.run()
        costs.append(time.process_time() - before)
    assert not app.error
    return sorted(costs)[EDITS // 2]


def main() -> None:
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SYNTH_HOME"], os.environ["SYNTH_FOLDERS"] = f"{folder}/home", folder
        few, many = (edit(Path(folder), columns) for columns in (5, 200))
    print(
        f"5 columns {1000 * few:.0f} ms, 200 columns {1000 * many:.0f} ms: {many / few:.2f} times"
    )


if __name__ == "__main__":
    main()
