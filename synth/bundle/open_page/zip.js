// A small reader of zip files: entries that are stored or deflated, with limits.
// Format: PKWARE's APPNOTE.TXT 6.3.

import { BadBundle } from "./faults.js";

const END_SIGNATURE = 0x06054b50;
const END64_LOCATOR = 0x07064b50;
const END64_SIGNATURE = 0x06064b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;
const MOST_ENTRIES = 2000;
const MOST_BYTES = 8 * 2 ** 30;
const MOST_RATIO = 2000;
const MOST_DIRECTORY_BYTES = 16 * 2 ** 20;

/** Return the files of a zip, by name: each with its size and a stream of its bytes. */
export async function readZip(file) {
  const directory = await readDirectory(file);
  const files = new Map();
  let unpackedBytes = 0;
  for (const entry of listEntries(directory)) {
    if (entry.name.endsWith("/")) continue;
    checkName(entry.name, files);
    unpackedBytes += entry.size;
    const isBomb = entry.size > MOST_RATIO * Math.max(entry.packedSize, 1000);
    if (isBomb || unpackedBytes > MOST_BYTES) {
      throw new BadBundle("The zip file unpacks to more than this page reads.");
    }
    files.set(entry.name, {
      name: entry.name,
      size: entry.size,
      stream: () => openEntry(file, entry),
    });
  }
  return files;
}

function checkName(name, files) {
  const steps = name.split("/");
  const leavesFolder = steps.includes("..") || name.startsWith("/") || name.includes("\\");
  if (leavesFolder) throw new BadBundle("A name in the zip file leads out of its folder.");
  if (files.has(name)) throw new BadBundle(`The zip file holds '${name}' twice.`);
}

/** Return the bytes of the central directory and the number of its entries. */
async function readDirectory(file) {
  const tailStart = Math.max(0, file.size - 65_557);
  const tail = await viewOf(file, tailStart, file.size);
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== END_SIGNATURE) end -= 1;
  if (end < 0) throw new BadBundle("The file is no zip file, or it is damaged.");
  let count = tail.getUint16(end + 10, true);
  let bytes = tail.getUint32(end + 12, true);
  let start = tail.getUint32(end + 16, true);
  const hasLocator = end >= 20 && tail.getUint32(end - 20, true) === END64_LOCATOR;
  if (hasLocator) {
    const place = Number(tail.getBigUint64(end - 12, true));
    const end64 = await viewOf(file, place, place + 56);
    if (end64.getUint32(0, true) !== END64_SIGNATURE) {
      throw new BadBundle("The zip file is damaged.");
    }
    count = Number(end64.getBigUint64(32, true));
    bytes = Number(end64.getBigUint64(40, true));
    start = Number(end64.getBigUint64(48, true));
  }
  if (count > MOST_ENTRIES || bytes > MOST_DIRECTORY_BYTES) {
    throw new BadBundle("The zip file holds more files than this page reads.");
  }
  return { view: await viewOf(file, start, start + bytes), count };
}

function* listEntries({ view, count }) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let at = 0;
  for (let number = 0; number < count; number += 1) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== ENTRY_SIGNATURE) {
      throw new BadBundle("The zip file is damaged.");
    }
    const nameBytes = view.getUint16(at + 28, true);
    const extraBytes = view.getUint16(at + 30, true);
    const commentBytes = view.getUint16(at + 32, true);
    const nameStart = at + 46;
    const name = new Uint8Array(view.buffer, view.byteOffset + nameStart, nameBytes);
    const entry = {
      name: decoder.decode(name),
      isEncrypted: Boolean(view.getUint16(at + 8, true) & 1),
      method: view.getUint16(at + 10, true),
      packedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      start: view.getUint32(at + 42, true),
    };
    const extraStart = nameStart + nameBytes;
    readLongSizes(entry, view, extraStart, extraStart + extraBytes);
    if (entry.isEncrypted || ![STORED, DEFLATED].includes(entry.method)) {
      throw new BadBundle(`'${entry.name}' is packed in a way that this page cannot read.`);
    }
    yield entry;
    at = extraStart + extraBytes + commentBytes;
  }
}

/** Read sizes of 64 bits from an entry's extra field, where the 32 bits say so. */
function readLongSizes(entry, view, start, end) {
  for (let at = start; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let place = at + 4;
    for (const field of ["size", "packedSize", "start"]) {
      if (entry[field] !== 0xffffffff || place + 8 > end) continue;
      entry[field] = Number(view.getBigUint64(place, true));
      place += 8;
    }
  }
}

/** Return a stream of an entry's bytes, which fails if they are more or fewer than said. */
async function openEntry(file, entry) {
  const local = await viewOf(file, entry.start, entry.start + 30);
  if (local.getUint32(0, true) !== LOCAL_SIGNATURE) {
    throw new BadBundle("The zip file is damaged.");
  }
  const skipped = 30 + local.getUint16(26, true) + local.getUint16(28, true);
  const start = entry.start + skipped;
  const packed = file.slice(start, start + entry.packedSize).stream();
  const isDeflated = entry.method === DEFLATED;
  const unpacked = isDeflated
    ? packed.pipeThrough(new DecompressionStream("deflate-raw"))
    : packed;
  return unpacked.pipeThrough(countBytes(entry));
}

function countBytes(entry) {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > entry.size) {
        throw new BadBundle(`'${entry.name}' unpacks to more than the zip file says.`);
      }
      controller.enqueue(chunk);
    },
    flush() {
      if (bytes < entry.size) throw new BadBundle(`'${entry.name}' is cut short.`);
    },
  });
}

async function viewOf(file, start, end) {
  const isInside = start >= 0 && start <= end && end <= file.size;
  if (!isInside) throw new BadBundle("The zip file is damaged.");
  return new DataView(await file.slice(start, end).arrayBuffer());
}
