"""The bill of materials of a wheel: every package of the lock, with its hashes, as CycloneDX
JSON.

    python .ci/sbom.py requirements.lock 0.3.0 dist

It is made from the lock alone: the same lock gives the same bytes.
"""

import json
import re
import sys
from pathlib import Path

PINNED = re.compile(
    r"^(?P<name>[a-z0-9-]+)==(?P<version>[^\s;]+)(?: ; .+)? \\\n"
    r"(?P<hashes>(?: {4}--hash=.*\n)+)",
    re.M,
)


def purl(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


def component(found: re.Match[str]) -> dict[str, object]:
    """One package; of several files, whichever is installed has one of the hashes."""
    name, version = found["name"], found["version"]
    hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})", found["hashes"])
    return {
        "type": "library",
        "bom-ref": purl(name, version),
        "name": name,
        "version": version,
        "purl": purl(name, version),
        "hashes": [{"alg": "SHA-256", "content": one} for one in hashes],
    }


def document(lock: str, name: str, version: str) -> dict[str, object]:
    components = [component(found) for found in PINNED.finditer(lock)]
    root = purl(name, version)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": name,
                "version": version,
                "purl": root,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": components,
        "dependencies": [{"ref": root, "dependsOn": [one["bom-ref"] for one in components]}],
    }


if __name__ == "__main__":
    lock, version, folder = sys.argv[1:]
    made = document(Path(lock).read_text(encoding="utf-8"), "synth-dp", version)
    target = Path(folder) / f"synth_dp-{version}.cdx.json"
    target.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
