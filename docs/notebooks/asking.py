# %% [markdown]
# # Asking instead of releasing
#
# A few questions get closer answers than a whole table, for the same epsilon.

# %%
import pandas as pd

import synth

frame = pd.DataFrame({"age": [20, 40, 60, 80] * 2500, "sex": ["f", "m"] * 5000})
domain = synth.Domain(age=synth.Integer(18, 97, bins=16), sex=["f", "m"])
questions = ["count where age >= 65", "mean age by sex", "table sex"]
answers = synth.ask(frame, domain, questions, epsilon="0.2")
print(answers)

# %% [markdown]
# Every answer has an interval from the exact law of its noise. All answers together are one
# spend.

# %%
print(answers.table)
