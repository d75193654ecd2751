"""``python -m synth``: the command line of `synth.cli`."""

import sys

from synth.cli.main import main as main
from synth.cli.main import run

if __name__ == "__main__":
    sys.exit(run())
