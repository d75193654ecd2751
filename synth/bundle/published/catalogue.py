"""All published schemas but those of certificates, by the name of their file. PUBLIC.

>>> sorted(PUBLISHED)[:3]
['declaration.schema.json', 'dossier.answers.schema.json', 'export.schema.json']
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from synth.bundle.certificate import schema_file_text
from synth.bundle.published.check_request import check_request_schema
from synth.bundle.published.declaration import declaration_schema
from synth.bundle.published.dossier import answers_schema
from synth.bundle.published.inquiry import inquiry_schema
from synth.bundle.published.ledger import ledger_schema, line_schema
from synth.bundle.published.lists import export_schema, parts_schema, replicates_schema
from synth.bundle.published.package import package_schema
from synth.bundle.published.plan import linked_plan_schema, plan_schema
from synth.bundle.published.project import project_schema
from synth.util import Document

PUBLISHED: Mapping[str, Callable[[], Document]] = {
    "declaration.schema.json": declaration_schema,
    "package.schema.json": package_schema,
    "plan.schema.json": plan_schema,
    "plan.linked.schema.json": linked_plan_schema,
    "project.schema.json": project_schema,
    "ledger.schema.json": ledger_schema,
    "ledger.line.schema.json": line_schema,
    "inquiry.schema.json": inquiry_schema,
    "parts.schema.json": parts_schema,
    "replicates.schema.json": replicates_schema,
    "export.schema.json": export_schema,
    "dossier.answers.schema.json": answers_schema,
    "request.schema.json": check_request_schema,
}


def schema_text(name: str) -> str:
    """Return a published schema as the text of its file, by the file's name."""
    return schema_file_text(PUBLISHED[name]())


def write_schemas(folder: Path) -> None:
    """Write all schemas into a folder."""
    for name in PUBLISHED:
        (folder / name).write_text(schema_text(name), encoding="utf-8")
