"use strict";

const design = JSON.parse(document.getElementById("design").textContent);
const form = document.querySelector("form");

// A whole number from 0 up to, and not, `count`, each as likely as any other: random words that
// are too large are drawn again, since their remainders would make small numbers likelier.
function below(count) {
  const bits = (count - 1n).toString(2).length;
  const bytes = new Uint8Array(Math.ceil(bits / 8));
  for (;;) {
    crypto.getRandomValues(bytes);
    let word = 0n;
    for (const byte of bytes) word = (word << 8n) | BigInt(byte);
    word &= (1n << BigInt(bits)) - 1n;
    if (word < count) return word;
  }
}

// The place of the answer that leaves: of the true one with `keep` chances, of each other one with
// `lie` chances. Whole numbers throughout: floats would shift the odds.
function randomise(truth, question) {
  const keep = BigInt(question.keep);
  const lie = BigInt(question.lie);
  const drawn = below(keep + BigInt(question.options.length - 1) * lie);
  if (drawn < keep) return truth;
  const other = Number((drawn - keep) / lie);
  return other < truth ? other : other + 1;
}

// All that is ever saved of a person: the randomised answers, and a number drawn at random by
// which a file that was sent twice is known.
function randomised(truths) {
  const answers = design.questions.map(
    (question, place) => question.options[randomise(truths[place], question)]);
  const person = [...crypto.getRandomValues(new Uint8Array(16))]
    .map(byte => byte.toString(16).padStart(2, "0")).join("");
  return {form: design.form, epsilon: design.epsilon, person, answers};
}

// The places of the chosen options; the form is emptied at once, and goes.
function taken() {
  const chosen = new FormData(form);
  const truths = design.questions.map((_, place) => Number(chosen.get("question" + place)));
  form.reset();
  form.remove();
  return truths;
}

function show(record) {
  const line = JSON.stringify(record);
  const rows = document.querySelector("#drawn tbody");
  design.questions.forEach(({question}, place) => {
    const row = rows.insertRow();
    row.insertCell().textContent = question;
    row.insertCell().textContent = record.answers[place];
  });
  document.getElementById("line").value = line;
  const save = document.getElementById("save");
  save.href = URL.createObjectURL(new Blob([line + "\n"], {type: "application/json"}));
  save.download = "answers-" + record.person.slice(0, 12) + ".json";
  document.getElementById("drawn").hidden = false;
  document.getElementById("drawn-title").focus();
}

async function copy() {
  const line = document.getElementById("line");
  const copied = document.getElementById("copied");
  line.select();
  try {
    await navigator.clipboard.writeText(line.value);
    copied.textContent = "Copied.";
  } catch {
    copied.textContent = "The line is selected; press Ctrl+C, or Cmd+C, to copy it.";
  }
}

form.addEventListener("submit", event => {
  event.preventDefault();
  show(randomised(taken()));
});
document.getElementById("copy").addEventListener("click", copy);
form.reset(); // what a browser kept of an earlier visit
form.querySelector("button").disabled = false;
document.getElementById("off").remove();
