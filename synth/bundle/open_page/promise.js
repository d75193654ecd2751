// The numbers in the sentence of the promise: they follow from epsilon, rounded up.

import { decide, holds } from "./claims.js";
import { Rational } from "./rationals.js";

const FACTOR = /by a factor of at most ([0-9.,e+]+)\. At/;
const TENTH = /thought 10 % likely becomes at most ([0-9.]+) % likely/;
const CLAIMED = /The released files are (\([^)]*\)|[0-9./e+-]+)-differentially private/;
const NOTHING = "nothing spent";
const LARGEST_EXPONENT = 700;

/** Return the claims about the sentence of the promise. */
export function checkPromise({ guarantee, neighbors }) {
  if (guarantee.kind === NOTHING) {
    const isNothing = guarantee.epsilon === "0" && guarantee.delta === "0";
    return [
      decide(isNothing, "Nothing was spent.", "The promise says that nothing was spent."),
    ];
  }
  const epsilon = Rational.read(guarantee.epsilon);
  const delta = Rational.read(guarantee.delta);
  // Under add-remove, two values of one unit are two steps apart.
  const steps = neighbors === "add-remove" ? 2 : 1;
  const exponent = Math.min(steps * epsilon.toNumber(), LARGEST_EXPONENT);
  const factor = Math.exp(exponent);
  const odds = factor / 9;
  const texts = [FACTOR, TENTH, CLAIMED].map((pattern) => pattern.exec(guarantee.statement)?.[1]);
  const [statedFactor, statedTenth, claimed] = texts;
  const isRight =
    epsilon.isPositive &&
    isRoundedUp(statedFactor?.replaceAll(",", ""), factor) &&
    isRoundedUp(statedTenth, (100 * odds) / (1 + odds)) &&
    isClaimed(claimed, epsilon, delta);
  if (isRight) return [holds("The numbers in the sentence of the promise follow from epsilon.")];
  return [
    decide(false, "", "The sentence of the promise does not follow from epsilon and neighbours."),
  ];
}

/** Return whether a written number is another one, rounded up to its last digit. */
function isRoundedUp(written, number) {
  if (written === undefined) return false;
  const [digits, exponent = "0"] = written.split("e");
  const places = (digits.split(".")[1] ?? "").length;
  const unit = 10 ** (Number(exponent) - places);
  const difference = Number(written) - number;
  return difference >= -1e-9 * number && difference <= unit * (1 + 1e-6) + 1e-9 * number;
}

function isClaimed(written, epsilon, delta) {
  if (written === undefined) return false;
  const parts = written.replace(/[()]/g, "").split(", ");
  const numbers = parts.map((part) => Rational.readDecimal(part));
  if (numbers.length === 1) return numbers[0].equals(epsilon) && !delta.isPositive;
  return numbers.length === 2 && numbers[0].equals(epsilon) && numbers[1].equals(delta);
}
