// The files that somebody dropped or chose: a folder, its files, or one zip.

import { BadBundle } from "./faults.js";
import { Sha256 } from "./sha256.js";
import { readZip } from "./zip.js";

const MOST_FILES = 20_000;
const MOST_TEXT_BYTES = 64 * 2 ** 20;
export const CERTIFICATE = "certificate.json";

/** Return the files of a bundle by name, from a list of files or from one zip. */
export async function openBundle(files) {
  const isZip = files.length === 1 && files[0].path.toLowerCase().endsWith(".zip");
  const byPath = isZip ? await readZip(files[0].file) : mapFiles(files);
  return withoutFolder(byPath);
}

function mapFiles(files) {
  if (files.length > MOST_FILES) throw new BadBundle("These are more files than a bundle has.");
  return new Map(
    files.map(({ path, file }) => [
      path,
      { name: path, size: file.size, stream: async () => file.stream() },
    ]),
  );
}

/** Return the files with names that begin at the folder of the certificate. */
function withoutFolder(byPath) {
  const certificates = [...byPath.keys()].filter(
    (path) => path === CERTIFICATE || path.endsWith(`/${CERTIFICATE}`),
  );
  if (!certificates.length) {
    throw new BadBundle(
      "There is no 'certificate.json' among these files. Choose the folder or the zip file of a bundle.",
    );
  }
  if (certificates.length > 1) throw new BadBundle("These are the files of several bundles.");
  const folder = certificates[0].slice(0, -CERTIFICATE.length);
  const files = new Map();
  for (const [path, file] of byPath) {
    const isHidden = path.split("/").some((step) => step.startsWith("."));
    if (path.startsWith(folder) && !isHidden) files.set(path.slice(folder.length), file);
  }
  return files;
}

/** Return the SHA-256 of a file, read in pieces. */
export async function digestOfFile(file) {
  const digest = new Sha256();
  for await (const piece of pieces(file)) digest.update(piece);
  return digest.finish();
}

/** Return a file's text, which must be UTF-8. */
export async function textOfFile(file) {
  if (file.size > MOST_TEXT_BYTES) throw new BadBundle(`'${file.name}' is too large to read here.`);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const texts = [];
  try {
    for await (const piece of pieces(file)) texts.push(decoder.decode(piece, { stream: true }));
    texts.push(decoder.decode());
  } catch (error) {
    if (error instanceof BadBundle) throw error;
    throw new BadBundle(`'${file.name}' cannot be read as text.`);
  }
  return texts.join("");
}

/** Return the JSON of a file's text. */
export function parseJson(text, name) {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadBundle(`'${name}' is no JSON.`);
  }
}

async function* pieces(file) {
  const reader = (await file.stream()).getReader();
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
