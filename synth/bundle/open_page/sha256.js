// SHA-256 (FIPS 180-4). Browsers do not offer theirs to every page that is opened from a disk.

const BLOCK_BYTES = 64;

/** Return the first 32 bits of the fractional parts of roots of the first primes. */
function fractionsOfRoots(count, root) {
  const fractions = [];
  for (let number = 2; fractions.length < count; number += 1) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= number; divisor += 1) {
      if (number % divisor === 0) isPrime = false;
    }
    if (isPrime) fractions.push(fractionOfRoot(BigInt(number), BigInt(root)));
  }
  return fractions;
}

/** Return 32 bits of the fraction of a root, by bisection in whole numbers. */
function fractionOfRoot(number, root) {
  const aim = number << (32n * root);
  let low = 0n;
  let high = number << 32n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** root <= aim) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}

const ROUND_CONSTANTS = new Uint32Array(fractionsOfRoots(64, 3));
const FIRST_STATE = new Uint32Array(fractionsOfRoots(8, 2));

/** The digest of bytes that come in pieces. */
export class Sha256 {
  constructor() {
    this.state = new Uint32Array(FIRST_STATE);
    this.words = new Uint32Array(64);
    this.waiting = new Uint8Array(BLOCK_BYTES);
    this.waitingBytes = 0;
    this.totalBytes = 0;
  }

  /** Take in the next bytes. */
  update(bytes) {
    this.totalBytes += bytes.length;
    let start = 0;
    if (this.waitingBytes) {
      start = Math.min(BLOCK_BYTES - this.waitingBytes, bytes.length);
      this.waiting.set(bytes.subarray(0, start), this.waitingBytes);
      this.waitingBytes += start;
      if (this.waitingBytes < BLOCK_BYTES) return;
      this.mixBlock(this.waiting, 0);
      this.waitingBytes = 0;
    }
    for (; start + BLOCK_BYTES <= bytes.length; start += BLOCK_BYTES) {
      this.mixBlock(bytes, start);
    }
    this.waiting.set(bytes.subarray(start));
    this.waitingBytes = bytes.length - start;
  }

  /** Return the digest in hexadecimal digits; nothing can be added afterwards. */
  finish() {
    const bits = BigInt(this.totalBytes) * 8n;
    const padding = new Uint8Array(((119 - (this.totalBytes % 64)) % 64) + 9);
    padding[0] = 0x80;
    new DataView(padding.buffer).setBigUint64(padding.length - 8, bits);
    this.update(padding);
    return [...this.state].map((word) => word.toString(16).padStart(8, "0")).join("");
  }

  mixBlock(bytes, start) {
    const { words, state } = this;
    for (let place = 0; place < 16; place += 1) {
      const at = start + 4 * place;
      words[place] =
        (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
    }
    for (let place = 16; place < 64; place += 1) {
      const early = words[place - 15];
      const late = words[place - 2];
      const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
      const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
      words[place] = words[place - 16] + first + words[place - 7] + second;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let place = 0; place < 64; place += 1) {
      const mixedE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const choice = (e & f) ^ (~e & g);
      const added = (h + mixedE + choice + ROUND_CONSTANTS[place] + words[place]) | 0;
      const mixedA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const majority = (a & b) ^ (a & c) ^ (b & c);
      h = g;
      g = f;
      f = e;
      e = (d + added) | 0;
      d = c;
      c = b;
      b = a;
      a = (added + mixedA + majority) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, place) => {
      state[place] += word;
    });
  }
}

function rotate(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}

/** Return the SHA-256 of some bytes, in hexadecimal digits. */
export function digestOfBytes(bytes) {
  const digest = new Sha256();
  digest.update(bytes);
  return digest.finish();
}
