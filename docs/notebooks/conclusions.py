# %% [markdown]
# # Conclusions from a bundle
#
# Anyone who has the bundle can draw conclusions, with intervals that count the noise. This
# spends nothing, because it uses the noisy counts alone.

# %%
import json
import zipfile

import pandas as pd

import synth

frame = pd.DataFrame({"age": [20, 40, 60, 80] * 2500, "sex": ["f", "m"] * 5000})
age = synth.Integer(18, 97, edges=[18, *range(20, 95, 5), 97])
domain = synth.Domain(age=age, sex=["f", "m"])
made = synth.release(frame, domain, epsilon=1, dataset="visitors", budget=1)
made.save("conclusions.zip", overwrite=True)
analysis = synth.analyse("conclusions.zip")
(old,) = analysis.ask("share where age >= 65")
print(f"{old.estimate[0]:.1%} ({old.low[0]:.1%} to {old.high[0]:.1%})")
print(old.sentence)

# %% [markdown]
# The bundle is also a data package, which other tools read.

# %%
with zipfile.ZipFile("conclusions.zip") as bundle:
    package = json.loads(bundle.read("datapackage.json"))
print([resource["name"] for resource in package["resources"]])
