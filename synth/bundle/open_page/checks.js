// All checks of a bundle that this page makes, in order.

import { KNOWN_FORMS, checkArithmetic } from "./arithmetic.js";
import { claim, decide, holds, open, refuted } from "./claims.js";
import { rowsOfCsv } from "./csv.js";
import { findFormFault } from "./form.js";
import { CERTIFICATE, digestOfFile, parseJson, textOfFile } from "./sources.js";

const STATEMENT = "statement.txt";
const NOISY_COUNTS = "noisy_counts.csv";
const PARTS = "parts.json";
// Where the digests begin in the text of a certificate.
const DIGESTS = '\n "sha256": {';
const FORM = /^synth-certificate-[a-z0-9-]{1,40}$/;

// What no check of this page finds; `synth verify` does, except the last.
export const UNCHECKED = [
  "that the synthetic rows follow from the noisy counts: synth verify draws them again",
  "that the other files say the same as the certificate: synth verify writes them again",
  "that the pictures on this page follow from the noisy counts: synth verify computes them again",
  "that the spend is in the ledger, and the time of it: only the steward can",
  "that the table was counted and the noise was drawn as the certificate says: no file proves it",
];

/**
 * Check a bundle.
 * @param files The files by name.
 * @param page What this page carries: `certificate` without digests, `statement`, `schemas`.
 * @param progress Called with the name of each file before it is read.
 * @returns The claims.
 */
export async function checkBundle(files, page, progress) {
  const text = await textOfFile(files.get(CERTIFICATE));
  const certificate = parseJson(text, CERTIFICATE);
  const form = checkForm(certificate, page.schemas);
  if (form.state !== "holds") return [form];
  return [
    form,
    checkOwner(certificate, text, page),
    ...(await checkDigests(files, certificate, progress)),
    ...checkArithmetic(certificate),
    ...(await checkContents(files, certificate, page)),
  ];
}

function checkForm(certificate, schemas) {
  const form = certificate?.format;
  if (!KNOWN_FORMS.includes(form)) {
    const isOfSynth = typeof form === "string" && FORM.test(form);
    return isOfSynth
      ? open(
          `The certificate has the form '${form}', which this page does not know. Open the open.html of its own bundle.`,
        )
      : refuted("The certificate was not made by Synth.");
  }
  const fault = findFormFault(certificate, schemas[form]);
  return decide(
    fault === null,
    "The certificate has the published form.",
    `The certificate does not have the published form: see ${fault}.`,
  );
}

/**
 * Check whether the certificate is the one that this page carries, up to its digests.
 * Texts are compared, because long whole numbers lose digits as they are read.
 */
function checkOwner(certificate, text, page) {
  if (page.certificate === null) return open("This page carries no certificate to compare with.");
  const [carriedStart] = page.certificateText.split(DIGESTS);
  const { sha256: _, ...claimed } = certificate;
  const differences = listDifferences(claimed, page.certificate, "");
  if (text.split(DIGESTS)[0] === carriedStart && !differences.length) {
    return holds("The certificate is the one that this page shows.");
  }
  const shown = differences.slice(0, 5).join(", ") || "the way it is written";
  return refuted(`The certificate is not the one that this page shows. It differs in: ${shown}.`);
}

/** Return the paths at which two JSON values differ. */
export function listDifferences(value, other, path) {
  const areHolders = [value, other].every((part) => typeof part === "object" && part !== null);
  if (!areHolders || Array.isArray(value) !== Array.isArray(other)) {
    return value === other ? [] : [path || "everything"];
  }
  const names = new Set([...Object.keys(value), ...Object.keys(other)]);
  return [...names].flatMap((name) =>
    listDifferences(value[name], other[name], path ? `${path}.${name}` : name),
  );
}

/** Compare the digest of every file with the certificate, and the names of all files. */
async function checkDigests(files, certificate, progress) {
  const expected = new Map(Object.entries(certificate.sha256));
  const claims = [];
  if (expected.has(PARTS) && files.has(PARTS)) {
    for (const [name, digest] of listParts(parseJson(await textOfFile(files.get(PARTS)), PARTS))) {
      expected.set(name, digest);
    }
  }
  let matching = 0;
  for (const [name, digest] of expected) {
    if (!files.has(name)) {
      claims.push(refuted(`'${name}' is missing.`));
      continue;
    }
    progress(name);
    if ((await digestOfFile(files.get(name))) === digest) matching += 1;
    else claims.push(refuted(`'${name}' is not the file that was certified: it was changed.`));
  }
  for (const name of files.keys()) {
    const isKnown = expected.has(name) || name === CERTIFICATE;
    if (!isKnown) claims.push(refuted(`'${name}' is not named in the certificate.`));
  }
  const isWhole = matching === expected.size && matching > 0;
  const text = `${matching} of ${expected.size} files have the certified digest (SHA-256).`;
  return [claim(isWhole ? "holds" : "refuted", text), ...claims];
}

function listParts(manifest) {
  return Object.entries(manifest.tables).flatMap(([table, { parts }]) =>
    parts.map(({ name, sha256 }) => [`${table}/${name}`, sha256]),
  );
}

/** Compare the noisy counts and the statement with the certificate and this page. */
async function checkContents(files, certificate, page) {
  const claims = [];
  const isOwn = page.statement !== "" && files.has(STATEMENT);
  if (isOwn) {
    const isSame = (await textOfFile(files.get(STATEMENT))) === page.statement;
    claims.push(
      decide(
        isSame,
        "The statement is the one that this page shows.",
        `'${STATEMENT}' is not the statement that this page shows.`,
      ),
    );
  }
  if (files.has(NOISY_COUNTS)) {
    claims.push(...checkCounts(await textOfFile(files.get(NOISY_COUNTS)), certificate));
  }
  return claims;
}

function checkCounts(text, certificate) {
  if (certificate.format !== "synth-certificate-3") return [];
  const { mechanism, released } = certificate;
  const [, ...rows] = rowsOfCsv(text);
  const counts = rows.map((row) => Number(row.at(-1)));
  const { threshold } = released;
  const areWhole = counts.every(Number.isSafeInteger);
  const areListed =
    threshold === null
      ? counts.length === mechanism.cells
      : counts.length <= mechanism.cells && counts.every((count) => count >= threshold);
  return [
    decide(
      areWhole && areListed,
      `${counts.length} noisy counts fit the certificate's ${mechanism.cells} cells.`,
      `The noisy counts do not fit the certificate's ${mechanism.cells} cells.`,
    ),
  ];
}
