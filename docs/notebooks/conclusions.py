# %% [markdown]
# # Conclusions from a bundle
#
# Anyone who has the bundle can draw conclusions, with intervals that count the noise. This
# spends nothing.

# %%
import json
import zipfile

import pandas as pd

import synth

frame = pd.DataFrame({"age": [20, 40, 60, 80] * 2500, "sex": ["f", "m"] * 5000})
domain = synth.Domain(age=synth.Integer(18, 97, bins=16), sex=["f", "m"])
synth.release(frame, domain, epsilon=1).save("conclusions.zip", overwrite=True)
analysis = synth.analyse("conclusions.zip")
for found in analysis.ask("share where age >= 65"):
    print(found.sentence)

# %% [markdown]
# The bundle is also a data package, which other tools read.

# %%
with zipfile.ZipFile("conclusions.zip") as bundle:
    package = json.loads(bundle.read("datapackage.json"))
print([resource["name"] for resource in package["resources"]])
