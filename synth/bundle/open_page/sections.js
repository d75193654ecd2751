// The sections of the page that show what it carries.

import { showAnswers } from "./answers.js";
import { drawCounts, drawNoise, drawShare, noiseChances } from "./charts.js";
import { UNCHECKED } from "./checks.js";
import {
  formatInterval,
  formatNumber,
  formatShare,
  isolate,
  make,
  makeList,
  makeTable,
  numberCell,
} from "./elements.js";
import { listFacts, listMeasurements } from "./facts.js";
import { layOutStatement } from "./statement.js";

// Rows of a table that are shown before its others are folded.
const SHOWN_ROWS = 40;
const WIDTHS = ["Single columns", "Two columns together", "Three columns together"];

/** Return the sections after the check of files: [identifier, title, elements] of each. */
export function listSections({ certificate, statement, figures, files }) {
  const sections = [["promise", "What is promised", layOutStatement(statement)]];
  if (certificate) {
    sections.push(["certificate", "The certificate in short", showCertificate(certificate, figures?.method)]);
  }
  if (certificate?.answers) {
    sections.push(["answers", "Answers", showAnswers(certificate.answers)]);
  }
  if (figures) {
    sections.push(
      ["columns", "Columns", showColumns(figures, certificate)],
      ["counts", "Noisy counts", showCounts(figures)],
      ["accuracy", "What was measured, and how accurate it is", showAccuracy(figures)],
      ["use", "How to use the rows", showUse(figures)],
    );
  }
  if (certificate) sections.push(["cite", "How to cite", showCitation(certificate)]);
  sections.push(
    ["files", "The files", showFiles(files)],
    ["unchecked", "What this page cannot check", [makeList(UNCHECKED)]],
  );
  return sections;
}

function showCertificate(certificate, method) {
  const facts = listFacts(certificate, method).map(([label, fact]) => [label, isolate(fact)]);
  const measurements = listMeasurements(certificate).map((row) => row.map(isolate));
  const elements = [makeTable("Facts of the certificate", ["Fact", "Value"], facts)];
  if (measurements.length) {
    const heads = ["Measured", "Noise", "Cost"];
    elements.push(...foldedTable("Measurements, in order", heads, measurements));
  }
  for (const score of certificate.scores ?? []) elements.push(make("p", wordsOfScore(score)));
  return elements;
}

function wordsOfScore({ what, error, reach, k_marginal: kMarginal, epsilon }) {
  const shown = Math.max(0, error).toFixed(4);
  const points = Math.min(1000, kMarginal).toFixed(0);
  return `The ${what} is ${shown} (95 % interval: ± ${reach.toFixed(4)}); as a k-marginal score, ${points} of 1000. Bought for epsilon ${epsilon}, which the guarantee includes.`;
}

/** Return a table, with its later rows in a second table that is folded. */
function foldedTable(caption, heads, rows) {
  const elements = [makeTable(caption, heads, rows.slice(0, SHOWN_ROWS))];
  if (rows.length > SHOWN_ROWS) {
    const others = rows.slice(SHOWN_ROWS);
    const title = `${caption}: ${formatNumber(others.length)} more`;
    elements.push(make("details", make("summary", title), makeTable(title, heads, others)));
  }
  return elements;
}

function showColumns({ columns, total }, certificate) {
  const noisyRows = Math.max(1, total);
  const key = make(
    "p.quiet",
    make("span.key.noisy"),
    "noisy share, with its 95 % error bar; ",
    make("span.key.rows"),
    "share of the synthetic rows; ",
    make("span.key.below"),
    "noisy count below 0",
  );
  const charts = columns.map((column) => showColumn(column, noisyRows, certificate));
  const missing = "No column was counted alone.";
  return columns.length ? [key, ...charts] : [make("p", missing)];
}

function showColumn({ name, cells, others, reach }, noisyRows, certificate) {
  const rows = typeof certificate?.rows === "number" ? Math.max(1, certificate.rows) : 1;
  const reachShare = reach === null ? null : reach / noisyRows;
  const shares = cells.map(([title, noisy, count]) => ({
    title,
    noisy,
    noisyShare: noisy / noisyRows,
    count,
    rowsShare: count === null ? null : count / rows,
  }));
  const largest = Math.max(
    0.01,
    ...shares.map(({ noisyShare, rowsShare }) => Math.max(noisyShare, rowsShare ?? 0)),
  );
  const heads = ["Value", "Share", number("Noisy count"), number("Noisy share"), number("Synthetic share")];
  const lines = shares.map(({ title, noisy, noisyShare, rowsShare }) => [
    isolate(title),
    drawShare(noisyShare, reachShare, rowsShare, largest + (reachShare ?? 0)),
    numberCell(noisy),
    numberCell(noisyShare, formatShare(noisyShare)),
    rowsShare === null ? make("td.number", "in parts") : numberCell(rowsShare, formatShare(rowsShare)),
  ]);
  const words = [
    reach === null ? "Only large counts are listed." : `Error of each noisy count: ± ${formatNumber(reach)} rows in 95 of 100 cases.`,
    others ? `${formatNumber(others)} more values with smaller noisy counts are in noisy_counts.csv.` : "",
  ];
  return make(
    "section",
    make("h3", "Column ", isolate(name)),
    make("p.quiet", words.join(" ")),
    ...foldedTable(`Values of column '${name}'`, heads, lines),
  );
}

function number(text) {
  return { text, isNumber: true };
}

function showCounts({ counts, scale }) {
  const { cells, all, small, negative, reach, line, columns } = counts;
  const elements = [];
  if (scale !== null) {
    const label = `Two-sided falling bars around zero: noise of scale ${formatNumber(scale)}.`;
    const words = `Noise of scale ${formatNumber(scale)} was added to every cell. In 95 of 100 cells it is within ± ${formatNumber(reach)} rows.`;
    elements.push(make("h3", "The noise on every cell"), make("p", words));
    elements.push(make("figure", drawNoise(noiseChances(scale), label)));
  }
  const drawn = small < all ? `the ${formatNumber(small)} smallest of ${formatNumber(all)}` : `all ${formatNumber(all)}`;
  const sample = cells.length < small ? ` Of these, ${formatNumber(cells.length)} evenly spaced ones are drawn.` : "";
  const words = `Below 0, because of the noise on small counts: ${formatNumber(negative)} of ${formatNumber(all)} noisy counts. The picture shows ${drawn}, sorted.${sample}`;
  const repair = line ? ` The line shows the rows after the repair (${line}).` : "";
  elements.push(
    make("h3", "Noisy counts of ", isolate(columns.join(" × "))),
    make("p", words + repair),
    make("figure", drawCounts(cells, words + repair)),
    make(
      "details",
      make("summary", "These counts as a table"),
      makeTable("Noisy counts, the smallest first", countHeads(line), cells.map(countRow(line))),
    ),
  );
  return elements;
}

function countHeads(line) {
  const heads = ["Cell", number("Noisy count")];
  return line ? [...heads, number("After the repair")] : heads;
}

function countRow(line) {
  return ([title, noisy, repaired]) => {
    const row = [isolate(title), numberCell(noisy)];
    return line ? [...row, numberCell(repaired)] : row;
  };
}

function showAccuracy({ relations, legend }) {
  const meaning =
    "Error bar: the share of rows, in the table of these columns alone, that the noise may put in the wrong place.";
  const lights = legend.map(([sign, word, advice]) => `${sign} ${word}: ${advice}`);
  return [
    make("p", meaning),
    makeList(lights),
    ...relations.flatMap((relation) => showRelations(relation, legend)),
  ];
}

function showRelations({ width, worst, all }, legend) {
  const title = WIDTHS[width - 1];
  if (!worst.length) return [make("h3", title), make("p", "None of them was measured.")];
  const heads = ["Columns", "Kept", "Measured", number("Error bar")];
  const rows = worst.map(({ names, measured, light, error }) => [
    isolate(names.join(" × ")),
    `${legend[light][0]} ${legend[light][1]}`,
    measured ? "yes" : "no",
    numberCell(error, formatShare(error)),
  ]);
  const caption =
    worst.length < all ? `The least accurate ${worst.length} of ${formatNumber(all)}` : `All ${all}, the least accurate first`;
  return [make("h3", title), makeTable(`${title}: ${caption}`, heads, rows)];
}

function showUse({ advice, examples, installing }) {
  const elements = [make("h3", "Limits of the rows"), makeList(advice), make("h3", "Worked examples")];
  if (!examples.length) {
    const hidden = "The noise hides the answers to simple questions. Ask about larger groups.";
    elements.push(make("p", hidden));
  }
  for (const { question, numbers, sentence } of examples) {
    const heads = ["Number", number("Estimate"), number("From"), number("To")];
    const rows = numbers.map(([label, ...values]) => {
      const texts = formatInterval(...values);
      return [isolate(label), ...values.map((value, place) => numberCell(value, texts[place]))];
    });
    elements.push(makeTable(question, heads, rows), make("p.quiet", sentence));
  }
  elements.push(
    make(
      "p",
      "For your own questions, install Synth. ",
      installing,
      " Then use ",
      make("code", 'synth.analyse("bundle.zip").ask("...")'),
      ", or the notebook how_to_use.ipynb in this folder, or the page Use a release of the app.",
    ),
  );
  return elements;
}

function showCitation(certificate) {
  const { dataset, created, guarantee, versions, ledger } = certificate;
  const delta = guarantee.delta === "0" ? "" : `, delta ${guarantee.delta}`;
  const entry = typeof ledger === "string" ? "" : ` Ledger entry ${ledger.entry}.`;
  const words = `${TITLES[certificate.format]} of '${dataset}', ${created.slice(0, 10)}. Made with Synth ${versions.synth} under differential privacy, epsilon ${guarantee.epsilon}${delta}, ${certificate.neighbors}, unit: ${certificate.privacy_unit}.${entry}`;
  return [make("p", isolate(words))];
}

const TITLES = {
  "synth-certificate-3": "Synthetic release",
  "synth-certificate-model-4": "Synthetic release",
  "synth-certificate-answers-3": "Noisy answers to questions",
  "synth-certificate-linked-4": "Synthetic release of linked tables",
  "synth-certificate-drawn-2": "Drawn rows",
};

/** Return the title of a page by its certificate. */
export function titleOf(certificate) {
  return `${TITLES[certificate.format]} of '${certificate.dataset}'`;
}

function showFiles(files) {
  const rows = Object.entries(files).map(([name, about]) => [make("code", name), about]);
  return [makeTable("Files of a bundle", ["File", "Content"], rows)];
}
