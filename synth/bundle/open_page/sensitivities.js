// Sensitivities: how far the numbers of two neighbouring tables differ at most.

import { Rational } from "./rationals.js";

// Steps of a row in distances of histograms, in sums of offsets, and in products.
const DISTANCE_STEPS = 64n;
const OFFSET_STEPS = 4096n;
const PRODUCT_STEPS = 32768n;

function sensitivityOf(l1, squaredL2, lInfinity) {
  return {
    l1: new Rational(l1),
    squaredL2: new Rational(squaredL2),
    lInfinity: new Rational(lInfinity),
  };
}

/** Return how many counts of a histogram a row moves: 2 if it is replaced, else 1. */
export function movedCounts(certificate) {
  return certificate.neighbors === "replace-one" ? 2n : 1n;
}

function rowsOfUnit(certificate) {
  return BigInt(certificate.max_rows);
}

/** Return the sensitivity of a histogram: k rows go, and under replace-one k others come. */
export function histogramSensitivity(certificate) {
  const rows = rowsOfUnit(certificate);
  const norm = rows * movedCounts(certificate);
  return sensitivityOf(norm, rows * rows * movedCounts(certificate), norm);
}

/** Return the sensitivity of distances, one for each pair, which all may move. */
export function distanceSensitivity(certificate, pairs) {
  const distance = DISTANCE_STEPS * rowsOfUnit(certificate) * movedCounts(certificate);
  const number = BigInt(pairs);
  return sensitivityOf(distance * number, distance * distance * number, distance);
}

/** Return the sensitivity of the sum of the distances of some pairs. */
export function summedDistanceSensitivity(certificate, pairs) {
  const distance = DISTANCE_STEPS * rowsOfUnit(certificate) * movedCounts(certificate);
  const sum = distance * BigInt(pairs);
  return sensitivityOf(sum, sum * sum, sum);
}

/** Return the sensitivity of sums of numbers that are measured together (proofs/moments). */
export function momentSensitivity(certificate, moments) {
  const isReplaced = certificate.neighbors === "replace-one";
  const moves = isReplaced ? replacementMoves(moments) : moments.map(() => [1n, 1n]);
  let l1 = 0n;
  let squaredL2 = 0n;
  let lInfinity = 0n;
  moments.forEach((moment, place) => {
    const [move, squaredMove] = moves[place];
    const row = stepsOf(moment) * rowsOfUnit(certificate);
    l1 += row * move;
    squaredL2 += row * row * squaredMove;
    const isTwoSided = isReplaced && mayBeNegative(moment);
    const largest = isTwoSided ? 2n * row : row;
    if (largest > lInfinity) lInfinity = largest;
  });
  return sensitivityOf(l1, squaredL2, lInfinity);
}

function stepsOf(moment) {
  const isProduct = moment.columns.length === 2 && !moment.by.length;
  return isProduct ? PRODUCT_STEPS : OFFSET_STEPS;
}

function isSquare(moment) {
  return moment.columns.length === 2 && moment.columns[0] === moment.columns[1];
}

function mayBeNegative(moment) {
  return moment.columns.length > 0 && !isSquare(moment);
}

/**
 * Return how far each sum moves if a row is replaced, in L1 and squared L2.
 * Squares beside the offsets of the same numbers move no further in L2 than these do alone.
 */
function replacementMoves(moments) {
  const keyOf = (columns, { by, given = [], ranged = false }) =>
    JSON.stringify([columns, by, given, ranged]);
  const unused = new Map();
  for (const moment of moments) {
    const key = keyOf(moment.columns, moment);
    unused.set(key, (unused.get(key) ?? 0) + 1);
  }
  return moments.map((moment) => {
    if (mayBeNegative(moment)) return [2n, 4n];
    if (!moment.by.length) return [1n, 1n];
    if (!isSquare(moment)) return [2n, 2n];
    const offsets = keyOf([moment.columns[0]], { ...moment, ranged: false });
    const left = unused.get(offsets) ?? 0;
    if (left > 0) unused.set(offsets, left - 1);
    return left > 0 ? [2n, 0n] : [2n, 2n];
  });
}
