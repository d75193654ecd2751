"""What stands in the README.txt of the folder that `make offline` makes."""

import platform
import sys
import sysconfig

TEXT = """Synth, to be set up without a network.

    python{python} install.py            into the folder synth-env, beside where you are
    python{python} install.py FOLDER     into another one

The packages in wheels/ are for {system} with Python {python}. Each is checked
against the hashes in requirements.lock; synth_dp-*.cdx.json lists them (CycloneDX). Nothing is
downloaded, and nothing outside the folder is changed: to remove Synth, delete it.

Afterwards, in that folder:

    bin/synth app                 serves the app on this machine
    bin/synth --help              the command line
"""  # noqa: E501

if __name__ == "__main__":
    python = "{}.{}".format(*sys.version_info)
    system = f"{sysconfig.get_platform()} ({platform.system()})"
    sys.stdout.write(TEXT.format(python=python, system=system))
