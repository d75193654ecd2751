"""Set Synth up on this machine, without a network: python install.py [FOLDER]

Everything it needs lies beside this script, and is checked against the hashes of the lock.
The folder (synth-env unless named) gets a virtual environment; nothing else is touched."""

import glob
import os
import subprocess
import sys

OLDEST = (3, 11)
HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    if sys.version_info < OLDEST:
        sentence = "Synth needs Python {}.{} or newer; this one is {}.{}."
        sys.exit(sentence.format(*(OLDEST + tuple(sys.version_info[:2]))))
    folder = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "synth-env")
    wheels, lock = os.path.join(HERE, "wheels"), os.path.join(HERE, "requirements.lock")
    program = os.path.join(folder, "Scripts" if os.name == "nt" else "bin")
    install = [os.path.join(program, "python"), "-m", "pip", "install"]
    install += ["--quiet", "--no-index", "--no-compile", "--disable-pip-version-check"]
    own = glob.glob(os.path.join(HERE, "synth_dp-*.whl"))
    if not own or not os.path.isdir(wheels):
        sys.exit(
            "This script belongs beside synth_dp-*.whl and wheels, as `make offline` left it."
        )
    try:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pinned = ["--find-links", wheels, "--require-hashes", "-r", lock]
        subprocess.run([*install, *pinned], check=True)
        subprocess.run([*install, "--no-deps", *own], check=True)
    except (OSError, subprocess.CalledProcessError):
        sys.exit(
            "Synth could not be set up. The wheels here are for one system and one Python "
            "(README.txt says which); see what pip says above."
        )
    print("Synth is set up. Start the app with: " + os.path.join(program, "synth") + " app")


if __name__ == "__main__":
    main()
