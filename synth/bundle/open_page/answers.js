// The answers of a certificate, with their intervals.

import { formatNumber, isolate, make, makeTable } from "./elements.js";

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
    ...[value, lows[place], highs[place]].map((number) => make("td.number", wordsOf(number))),
  ]);
  const elements = [makeTable(answer.question, HEADS, rows)];
  const error = answer.expected_error;
  if (error !== null) elements.push(make("p.quiet", `Expected error: ${formatNumber(error)}.`));
  for (const remark of answer.remarks ?? []) elements.push(make("p.quiet", isolate(remark)));
  return elements;
}

function wordsOf(value) {
  if (value === null || value === undefined) return "no answer";
  return typeof value === "number" ? formatNumber(value) : isolate(value);
}
