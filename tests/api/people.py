"""A thousand people, and their domain, that several tests release."""

import pandas as pd

import synth

FRAME = pd.DataFrame({"age": [20, 40, 60, 80] * 250, "sex": ["f", "m"] * 500})
DOMAIN = synth.Domain(age=synth.Integer(18, 97, bins=4), sex=["f", "m"])
