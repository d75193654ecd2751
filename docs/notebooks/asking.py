# %% [markdown]
# # Asking instead of releasing
#
# If you need only a few numbers, ask for them: for the same epsilon, they are more accurate
# than a whole table.

# %%
import pandas as pd

import synth

frame = pd.DataFrame({"age": [20, 40, 60, 80] * 2500, "sex": ["f", "m"] * 5000})
age = synth.Integer(18, 97, edges=[18, *range(20, 95, 5), 97])
domain = synth.Domain(age=age, sex=["f", "m"])
questions = ["count where age >= 65", "mean age by sex", "table sex"]
answers = synth.ask(frame, domain, questions, epsilon="0.2", dataset="visitors", budget=1)
answers

# %% [markdown]
# Every answer has an interval that follows from the exact law of its noise. All answers
# together are one spend.

# %%
answers.table
