// The answers of a certificate, with their intervals.

import { formatError, formatInterval, isolate, make, makeTable } from "./elements.js";

const NUMBERS = ["Answer", "From", "To"].map((text) => ({ text, isNumber: true }));
const HEADS = ["Value", ...NUMBERS];

/** Return the elements that show the answers of a certificate. */
export function showAnswers(answers) {
  return answers.flatMap(showAnswer);
}

function showAnswer(answer) {
  const values = [answer.value].flat();
  const lows = [answer.low].flat();
  const highs = [answer.high].flat();
  const rows = values.map((value, place) => [
    isolate(answer.labels?.[place] ?? "all"),
    ...wordsOf(value, lows[place], highs[place]).map((text) => make("td.number", text)),
  ]);
  const elements = [makeTable(answer.question, HEADS, rows)];
  const error = answer.expected_error;
  if (error !== null) elements.push(make("p.quiet", `Expected error: ${formatError(error)}.`));
  for (const remark of answer.remarks ?? []) elements.push(make("p.quiet", isolate(remark)));
  return elements;
}

/** Return a value and its interval as texts: numbers, dates, or that there is no answer. */
function wordsOf(...numbers) {
  const texts = formatInterval(...numbers);
  return numbers.map((number, place) => {
    if (number === null || number === undefined) return "no answer";
    return typeof number === "number" ? texts[place] : isolate(number);
  });
}
