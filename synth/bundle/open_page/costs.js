// Costs: what noise costs, sums of costs, and whether a promise covers a sum.
//
// Laplace noise of scale b costs epsilon = (L1 sensitivity) / b. K-norm noise costs the
// sensitivity in its norm over its scale. Discrete Gaussian noise costs a rho of zCDP of
// (squared L2 sensitivity) / (2 sigma^2) (Bun, Steinke 2016), or a mu^2 of Gaussian DP of
// (squared L2 sensitivity) / (sigma^2 - margin) (docs/proofs/gaussian-dp.md).

import { Rational, ZERO } from "./rationals.js";

const TWO = new Rational(2n);
// Variance by which discrete Gaussian noise exceeds an equally good Gaussian, and the variance
// up to which the smaller one holds.
const SMALL_MARGIN = new Rational(1n, 11n);
const LARGE_MARGIN = new Rational(4n);
const LARGEST_CHECKED = new Rational(4096n);
// A pure epsilon counts as a mu^2 of 11/28 (2 epsilon)^2 (pi below 22/7).
const MU_SQUARED_OF_RANGE = new Rational(11n, 7n);
// The part of delta that pays for the difference between discrete noise and a Gaussian.
const SPARE_DELTA = 1 / 1000;
const UNIT_NAMES = ["epsilon", "rho", "mu_squared"];

/** A cost in one unit: epsilon with a delta, a rho of zCDP, or a mu^2 of Gaussian DP. */
export class Cost {
  constructor(unit, amount, delta = ZERO) {
    this.unit = unit;
    this.amount = amount;
    this.delta = delta;
  }

  /** Read a cost of a certificate, such as {"epsilon": "1/2"}. */
  static read(written) {
    const unit = UNIT_NAMES.find((name) => name in written);
    const delta = "delta" in written ? Rational.read(written.delta) : ZERO;
    return new Cost(unit, Rational.read(written[unit]), delta);
  }

  equals(other) {
    const isSameUnit = this.unit === other.unit;
    return isSameUnit && this.amount.equals(other.amount) && this.delta.equals(other.delta);
  }

  plus(other) {
    if (this.unit === other.unit) {
      return new Cost(this.unit, this.amount.plus(other.amount), this.delta.plus(other.delta));
    }
    if (this.delta.isPositive || other.delta.isPositive) {
      throw new Error("A cost with a delta cannot be added to a rho.");
    }
    const hasRho = this.unit === "rho" || other.unit === "rho";
    const unit = hasRho ? "rho" : "mu_squared";
    return new Cost(unit, this.amountIn(unit).plus(other.amountIn(unit)));
  }

  /** Return the amount in a rho or a mu^2. */
  amountIn(unit) {
    if (this.unit === unit) return this.amount;
    const square = this.amount.times(this.amount);
    if (this.unit === "epsilon" && unit === "rho") return square.over(TWO);
    if (this.unit === "epsilon") return square.times(MU_SQUARED_OF_RANGE);
    return this.amount.over(TWO);
  }

  toString() {
    const name = { epsilon: "epsilon", rho: "rho", mu_squared: "mu^2" }[this.unit];
    const delta = this.delta.isPositive ? `, delta ${this.delta}` : "";
    return `${name} ${this.amount}${delta}`;
  }
}

/** Return the sum of costs, of which there is at least one. */
export function totalCost(costs) {
  return costs.reduce((total, cost) => total.plus(cost));
}

/** Return what noise costs at a sensitivity, in the unit of a stated cost; null if none. */
export function priceOf(noise, sensitivity, unit) {
  if (noise.law === "discrete Laplace" && unit === "epsilon") {
    return new Cost("epsilon", sensitivity.l1.over(Rational.read(noise.scale)));
  }
  if (noise.law === "K-norm" && unit === "epsilon") {
    const distance = distanceIn(noise.norm, sensitivity);
    return new Cost("epsilon", distance.over(Rational.read(noise.scale)));
  }
  if (noise.law === "discrete Gaussian" && unit !== "epsilon") {
    const variance = Rational.read(noise.sigma2);
    if (unit === "rho") {
      return new Cost("rho", sensitivity.squaredL2.over(TWO.times(variance)));
    }
    const margin = variance.exceeds(LARGEST_CHECKED) ? LARGE_MARGIN : SMALL_MARGIN;
    const remaining = variance.minus(margin);
    if (!remaining.isPositive) return null;
    return new Cost("mu_squared", sensitivity.squaredL2.over(remaining));
  }
  return null;
}

function distanceIn(norm, sensitivity) {
  if (norm === "l1") return sensitivity.l1;
  if (norm === "l-infinity") return sensitivity.lInfinity;
  let root = 0n;
  const square = sensitivity.squaredL2.numerator;
  for (let bit = 1n << 64n; bit; bit >>= 1n) {
    if ((root + bit) * (root + bit) <= square) root += bit;
  }
  return new Rational(root * root < square ? root + 1n : root);
}

/** Return whether an epsilon and a delta cover a cost. */
export function covers(epsilon, delta, cost) {
  if (cost.unit === "epsilon") {
    return !cost.amount.exceeds(epsilon) && !cost.delta.exceeds(delta);
  }
  if (!delta.isPositive) return false;
  const amount = cost.amount.toNumber();
  const ends = [epsilon.toNumber(), delta.toNumber()];
  if (cost.unit === "rho") return zcdpEpsilon(amount, ends[1]) <= ends[0] * (1 + 1e-9);
  const isGaussian =
    gaussianDelta(ends[0], Math.sqrt(amount)) <= ends[1] * (1 - SPARE_DELTA) * (1 + 1e-6);
  return isGaussian || zcdpEpsilon(amount / 2, ends[1]) <= ends[0] * (1 + 1e-9);
}

/** Return the epsilon that a rho of zCDP implies (Canonne, Kamath, Steinke 2020, Cor. 13). */
export function zcdpEpsilon(rho, delta) {
  const at = (logOrder) => {
    const x = Math.exp(logOrder); // the order less 1
    const order = 1 + x;
    return order * rho + (order * Math.log1p(-1 / order) - Math.log(x) - Math.log(delta)) / x;
  };
  let low = -12;
  let high = 25;
  for (let step = 0; step < 200; step += 1) {
    const first = low + 0.382 * (high - low);
    const second = high - 0.382 * (high - low);
    if (at(first) < at(second)) high = second;
    else low = first;
  }
  return Math.max(0, at((low + high) / 2));
}

/** Return the least delta of mu-Gaussian DP at an epsilon (Dong, Roth, Su 2022, Cor. 2.13). */
export function gaussianDelta(epsilon, mu) {
  const near = upperTail(epsilon / mu - mu / 2);
  const far = logUpperTail(epsilon / mu + mu / 2);
  return near - Math.exp(epsilon + far);
}

/** Return the chance that a standard normal number exceeds a number. */
function upperTail(number) {
  return number < 0 ? 1 - upperTail(-number) : Math.exp(logUpperTail(number));
}

/** Return the logarithm of that chance, for numbers from 0 up. */
function logUpperTail(number) {
  const logDensity = (-number * number) / 2 - Math.log(2 * Math.PI) / 2;
  if (number < 3) {
    // Phi(x) - 1/2 is the density times x + x^3/3 + x^5/(3 5) + ...
    let term = number;
    let sum = number;
    for (let odd = 3; term > sum * 1e-18 && odd < 400; odd += 2) {
      term *= (number * number) / odd;
      sum += term;
    }
    return Math.log(0.5 - Math.exp(logDensity) * sum);
  }
  // Laplace's continued fraction of Mills' ratio.
  let fraction = 0;
  for (let step = 200; step > 0; step -= 1) fraction = step / (number + fraction);
  return logDensity - Math.log(number + fraction);
}
