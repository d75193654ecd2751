// The main facts of a certificate, as pairs of a label and a text.

import { Rational } from "./rationals.js";

const MOST_PLACES = 12;

/** Return the facts of a certificate of any kind. */
export function listFacts(certificate, method) {
  const { guarantee, ledger, mechanism = {}, declaration = {} } = certificate;
  const facts = [
    ["Guarantee", guarantee.kind],
    ["Epsilon", wordsOfExact(guarantee.epsilon)],
    ["Delta", wordsOfExact(guarantee.delta)],
    ["Neighbours", certificate.neighbors],
    ["Privacy unit", certificate.privacy_unit],
    ["Rows of one person used, at most", certificate.max_rows],
    ["Method", method],
    ["Mechanism", mechanism.name ?? mechanism],
    ["Strategy", mechanism.strategy],
    ["Accounting", mechanism.accounting],
    ["Sensitivity", mechanism.sensitivity],
    ["Scale of the noise", mechanism.scale && wordsOfExact(mechanism.scale)],
    ["Cells", mechanism.cells],
    ["Sampler", mechanism.sampler],
    ["Description of the columns", certificate.domain_origin],
    ["Noisy counts", certificate.noisy_counts],
    ["Rows of the table", certificate.number_of_rows],
    ["Synthetic rows", wordsOfRows(certificate.rows)],
    ["Repair of negative counts", certificate.repair],
    ["Favours", certificate.favour],
    ["Column to predict", certificate.predict],
    ["Paid for before", listPreparations(declaration)],
    ["Steward saw exact numbers of rows that fit", yesOrNo(declaration.looked)],
    ["Values taken from the rows are vouched to be public", yesOrNo(declaration.taken_is_public)],
    ["Columns left out", listDecisions(declaration.left_out)],
    ["Agreed losses", listDecisions(declaration.agreed)],
    ["Dataset", certificate.dataset],
    ["Ledger", typeof ledger === "string" ? ledger : `entry ${ledger.entry}`],
    ["Asked for by", ledger.requested_by],
    ["Approved by", ledger.approved_by],
    ["Created", certificate.created],
    ["Made with", `Synth ${certificate.versions.synth}`],
  ];
  return facts.filter(([, fact]) => isSaid(fact)).map(([label, fact]) => [label, String(fact)]);
}

/** Return an exact number as a decimal if it is a short one, else as its fraction. */
export function wordsOfExact(written) {
  const number = Rational.read(written);
  for (let places = 0; places <= MOST_PLACES; places += 1) {
    const scaled = number.times(new Rational(10n ** BigInt(places)));
    if (scaled.denominator !== 1n) continue;
    const digits = String(scaled.numerator).padStart(places + 1, "0");
    if (!places) return digits;
    return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  }
  return String(number);
}

function isSaid(fact) {
  return ["string", "number"].includes(typeof fact) && fact !== "";
}

function yesOrNo(isTrue) {
  if (isTrue === undefined) return "";
  return isTrue ? "yes" : "no";
}

function wordsOfRows(rows) {
  if (typeof rows !== "object" || rows === null) return rows;
  return Object.entries(rows)
    .map(([table, count]) => `${table}: ${count}`)
    .join(", ");
}

function listPreparations({ preparations = [] }) {
  return preparations
    .map(({ kind, guarantee }) => {
      const cost = Object.entries(guarantee).map(([unit, amount]) => `${unit} ${amount}`);
      return `${kind}: ${cost.join(", ")}`;
    })
    .join("; ");
}

function listDecisions(decisions = []) {
  return decisions.map(({ column, decision }) => `${column} (${decision})`).join("; ");
}

/** Return what each measurement was, its noise and its cost. */
export function listMeasurements({ mechanism = {}, portions = [], payments = [] }) {
  const measured = mechanism.marginals ?? mechanism.moments ?? payments;
  const rows = measured.map(({ columns, what, noise, cost }) => [
    columns ? columns.join(" × ") : what,
    wordsOf(noise),
    wordsOf(cost),
  ]);
  const answered = portions.map(({ questions, noise, cost }) => [
    `question ${questions.join(", ")}`,
    noise ? wordsOf(noise) : "none",
    cost ? wordsOf(cost) : "nothing",
  ]);
  return [...rows, ...answered];
}

function wordsOf(values) {
  return Object.entries(values)
    .map(([name, value]) => (name === "law" ? value : `${name} ${value}`))
    .join(", ");
}
