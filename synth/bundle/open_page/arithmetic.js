// The arithmetic of a certificate, computed again in exact rational numbers: sensitivities of
// what was measured, costs of the noise, their sum, and whether the promise covers it.

import { decide, holds, open, refuted } from "./claims.js";
import { Cost, covers, priceOf, totalCost } from "./costs.js";
import { checkPromise } from "./promise.js";
import { Rational, ZERO, sumOf } from "./rationals.js";
import {
  distanceSensitivity,
  histogramSensitivity,
  momentSensitivity,
  summedDistanceSensitivity,
} from "./sensitivities.js";

// The share of epsilon for the number of rows, where that is measured by itself.
const SHARE_OF_ROWS = new Rational(1n, 20n);
const FOLLOWS = "The noise costs what the certificate says";
// What is measured besides histograms and sums, in the words of certificates.
const PAIR_DISTANCES = [
  "how far each pair of columns is from independence",
  "how far each pair of columns is from the public table",
];
const SUMMED_DISTANCES = "how far all pairs of columns are from the public table";
const CHOICE_LAWS = ["permute-and-flip", "exponential mechanism"];

/** Return the claims about the arithmetic of a certificate, by its kind. */
export function checkArithmetic(certificate) {
  const check = ARITHMETIC[certificate.format];
  try {
    return [...checkPromise(certificate), ...check(certificate)];
  } catch {
    return [refuted("The certificate has a number that cannot be computed with.")];
  }
}

const ARITHMETIC = {
  "synth-certificate-3": checkHistogram,
  "synth-certificate-model-4": checkMarginals,
  "synth-certificate-answers-3": checkAnswers,
  "synth-certificate-linked-4": checkLinked,
  "synth-certificate-drawn-2": checkDrawn,
};

export const KNOWN_FORMS = Object.keys(ARITHMETIC);

/** Return the epsilon and delta of the release alone, without what was paid before and after. */
function releaseBudget(certificate) {
  const { declaration, guarantee, scores = [] } = certificate;
  const paid = declaration.preparations.map(({ guarantee: cost }) => Cost.read(cost));
  const epsilons = paid.map(({ amount }) => amount);
  epsilons.push(...scores.map((score) => Rational.read(score.epsilon)));
  return {
    epsilon: Rational.read(guarantee.epsilon).minus(sumOf(epsilons)),
    delta: Rational.read(guarantee.delta).minus(sumOf(paid.map(({ delta }) => delta))),
  };
}

function checkHistogram(certificate) {
  const { mechanism, released } = certificate;
  const sensitivity = histogramSensitivity(certificate).l1;
  const { epsilon, delta } = releaseBudget(certificate);
  const sums = mechanism.moments ?? [];
  let remaining = epsilon;
  if (released.noisy_rows !== null) remaining = remaining.minus(epsilon.times(SHARE_OF_ROWS));
  remaining = remaining.minus(sumOf(sums.map(({ cost }) => Cost.read(cost).amount)));
  const stated = Rational.read(mechanism.sensitivity);
  const scale = Rational.read(mechanism.scale);
  const isPaid =
    scale.isPositive && remaining.isPositive && stated.over(scale).equals(remaining);
  return [
    decide(
      sensitivity.equals(stated),
      `One unit changes the counts by ${sensitivity} at most, as the certificate says.`,
      `One unit changes the counts by ${sensitivity} at most; the certificate says ${stated}.`,
    ),
    decide(
      isPaid && !delta.isPositive,
      `${FOLLOWS}: sensitivity ${stated} over scale ${scale} is epsilon ${remaining}.`,
      `The noise of scale ${scale} does not cost the epsilon ${remaining} of the counts.`,
    ),
    ...sums.map((payment) => checkPayment(certificate, payment)),
    checkPublicRows(certificate),
    ...checkScores(certificate),
  ];
}

/** The exact number of rows is public only if neighbours have equally many. */
function checkPublicRows(certificate) {
  const isPublic =
    certificate.neighbors === "replace-one" && certificate.privacy_unit === "one row";
  const rows = certificate.format.includes("answers")
    ? certificate.rows
    : certificate.released.rows;
  return decide(
    (rows !== null) === isPublic,
    isPublic ? "The number of rows is public." : "The exact number of rows is not given away.",
    isPublic
      ? "The number of rows is public, and the certificate does not say it."
      : "The certificate gives away the exact number of rows, which is private.",
  );
}

function checkMarginals(certificate) {
  const { mechanism } = certificate;
  const { epsilon, delta } = releaseBudget(certificate);
  const spent = Cost.read(mechanism.spent);
  const costs = mechanism.marginals.map(({ cost }) => Cost.read(cost));
  const total = totalCost(costs);
  const isWhole =
    spent.unit === "epsilon"
      ? spent.amount.equals(epsilon) && !delta.isPositive
      : covers(epsilon, delta, spent);
  return [
    decide(
      total.equals(spent),
      `The ${costs.length} costs add up to ${spent} exactly.`,
      `The ${costs.length} costs add up to ${total}, and the certificate says ${spent}.`,
    ),
    decide(
      isWhole,
      `The promise covers this cost: epsilon ${epsilon}${wordsOfDelta(delta)}.`,
      `The promise of epsilon ${epsilon}${wordsOfDelta(delta)} is not what was spent.`,
    ),
    ...joinClaims(
      mechanism.marginals.map((payment) => checkPayment(certificate, payment)),
      `Each of the ${costs.length} costs is what its noise costs, by the sensitivity of what was measured.`,
    ),
    checkPublicRows(certificate),
    ...checkScores(certificate),
  ];
}

function wordsOfDelta(delta) {
  return delta.isPositive ? `, delta ${delta}` : "";
}

/** Return one claim in place of many that hold, and all that do not. */
function joinClaims(claims, textIfAllHold) {
  const others = claims.filter(({ state }) => state !== "holds");
  const hold = claims.length > others.length;
  return [...(hold && !others.length ? [holds(textIfAllHold)] : []), ...others];
}

/** Check that the noise of one measurement costs what was paid. */
function checkPayment(certificate, payment) {
  const name = (payment.columns ?? []).join(" × ") || payment.what;
  const cost = Cost.read(payment.cost);
  if (!("scale" in payment.noise) && !("sigma2" in payment.noise)) {
    const isChoice = CHOICE_LAWS.includes(payment.noise.law) && !payment.columns;
    return decide(
      isChoice,
      `${name}: a private choice for ${cost}.`,
      `The certificate says no noise for ${name}.`,
    );
  }
  const sensitivity = sensitivityOfPayment(certificate, payment, cost);
  if (sensitivity === null) {
    return refuted(`The certificate lists a cost for something that is not measured: ${name}.`);
  }
  const price = priceOf(payment.noise, sensitivity, cost.unit);
  const fits = fitsDimension(payment);
  return decide(
    price !== null && fits && price.equals(cost),
    `${name}: ${cost}.`,
    `The noise on ${name} costs ${price ?? "another kind of budget"}, and the certificate says ${cost}.`,
  );
}

function fitsDimension({ noise, columns, values = [] }) {
  if (noise.law !== "K-norm") return true;
  return !columns && Number(noise.dimension) === values.length;
}

function sensitivityOfPayment(certificate, payment, cost) {
  if (payment.moments) return momentSensitivity(certificate, payment.moments);
  if (payment.columns) return histogramSensitivity(certificate);
  const numbers = (payment.values ?? []).length;
  if (PAIR_DISTANCES.includes(payment.what)) return distanceSensitivity(certificate, numbers);
  if (payment.what !== SUMMED_DISTANCES) return null;
  // The number of pairs in the public table is not in the certificate: it follows from the
  // noise, and must be a whole number.
  const onePair = summedDistanceSensitivity(certificate, 1);
  const price = priceOf(payment.noise, onePair, cost.unit);
  if (price === null) return null;
  const ratio = cost.amount.over(price.amount);
  const pairs = cost.unit === "epsilon" ? ratio : squareRoot(ratio);
  if (pairs === null || pairs.denominator !== 1n) return null;
  return summedDistanceSensitivity(certificate, pairs.numerator);
}

function squareRoot(number) {
  const root = BigInt(Math.round(Math.sqrt(number.toNumber())));
  return number.denominator === 1n && root * root === number.numerator
    ? new Rational(root)
    : null;
}

function checkScores(certificate) {
  return (certificate.scores ?? []).map((score) => {
    const sensitivity = summedDistanceSensitivity(certificate, score.pairs).l1;
    const scale = Rational.read(score.scale);
    const isPaid =
      sensitivity.equals(Rational.read(score.sensitivity)) &&
      scale.isPositive &&
      sensitivity.over(scale).equals(Rational.read(score.epsilon));
    const error = score.noisy_distance / (128 * score.pairs * score.rows);
    const isStated =
      Math.abs(error - score.error) < 1e-6 &&
      Math.abs(1000 * (1 - error) - score.k_marginal) < 0.01;
    return decide(
      isPaid && isStated,
      `The score of ${score.pairs} pairs follows from its noisy number, and is paid.`,
      `The score of ${score.pairs} pairs does not follow from its noisy number and its cost.`,
    );
  });
}

function checkAnswers(certificate) {
  const { guarantee, portions, spent } = certificate;
  const costs = portions.filter(({ cost }) => cost).map(({ cost }) => Cost.read(cost));
  const epsilon = Rational.read(guarantee.epsilon);
  const delta = Rational.read(guarantee.delta);
  const claims = [checkPublicRows(certificate)];
  if (!spent) {
    claims.push(
      decide(
        !costs.length && epsilon.equals(ZERO),
        "Nothing was spent.",
        "The certificate lists costs, and says that nothing was spent.",
      ),
    );
    return claims;
  }
  const whole = Cost.read(spent);
  claims.push(
    decide(
      costs.length > 0 && isCovered(totalCost(costs), whole) && covers(epsilon, delta, whole),
      `The costs of the answers add up to no more than ${whole}, and the promise covers it.`,
      `The costs of the answers add up to more than the certificate says (${whole}).`,
    ),
    ...joinClaims(
      portions.map(checkPortion),
      "The noise of each measurement costs what the certificate says, at its sensitivity.",
    ),
    open("The sensitivities of the questions are the certificate's; synth verify derives them."),
  );
  return claims;
}

function isCovered(total, whole) {
  if (total.unit === "epsilon" && whole.unit === "epsilon") {
    return !total.amount.exceeds(whole.amount) && !total.delta.exceeds(whole.delta);
  }
  if (whole.unit === "epsilon") return covers(whole.amount, whole.delta, total);
  return total.unit === whole.unit && !total.amount.exceeds(whole.amount);
}

function checkPortion({ questions, noise, sensitivity, cost, noisy = [] }) {
  const name = `question ${questions.join(", ")}`;
  if (!cost) return holds(`For ${name} nothing was spent.`);
  if (!("scale" in noise) && !("sigma2" in noise)) return holds(`${name}: a private choice.`);
  const stated = Cost.read(cost);
  const norms = {
    l1: Rational.read(sensitivity.l1),
    squaredL2: Rational.read(sensitivity.squared_l2),
    lInfinity: Rational.read(sensitivity.l_infinity),
  };
  const isGaussian = noise.law === "discrete Gaussian";
  if (isGaussian && stated.unit === "epsilon" && noisy.length === 1) {
    return open(`The noise for ${name} has an exact delta, which synth verify computes.`);
  }
  const unit = isGaussian && stated.unit === "epsilon" ? "rho" : stated.unit;
  const price = priceOf(noise, norms, unit);
  const fits = noise.law !== "K-norm" || Number(noise.dimension) === noisy.length;
  return decide(
    price !== null && fits && isCovered(price, stated),
    `${name}: ${stated}.`,
    `The noise for ${name} costs more than ${stated}.`,
  );
}

function checkLinked(certificate) {
  const { epsilon, delta } = releaseBudget(certificate);
  const costs = certificate.payments.map(({ cost }) => Cost.read(cost));
  const total = totalCost(costs);
  const isWhole =
    total.unit === "epsilon"
      ? total.amount.equals(epsilon) && !delta.isPositive
      : covers(epsilon, delta, total);
  return [
    decide(
      isWhole,
      `The ${costs.length} costs add up to ${total}, which the promise covers.`,
      `The ${costs.length} costs add up to ${total}, and the promise is epsilon ${epsilon}${wordsOfDelta(delta)}.`,
    ),
    open("How far one root moves each histogram follows from the plan; synth verify derives it."),
  ];
}

function checkDrawn(certificate) {
  const isDummy = certificate.source === "declaration";
  if (isDummy) return [holds("The rows come from the description alone: nothing was measured.")];
  return [open("The rows were drawn from a release, whose own bundle has its certificate.")];
}

