"""``python -m synth``: the command line of `synth.cli`."""

import sys

from synth.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
