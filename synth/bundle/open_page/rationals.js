// Exact rational numbers, as certificates write them: "3" or "1173/625".

const MOST_CHARACTERS = 4000;
const WRITTEN = /^-?[0-9]+(\/[0-9]+)?$/;

/** An exact rational number: a numerator over a denominator above 0, in lowest terms. */
export class Rational {
  constructor(numerator, denominator = 1n) {
    if (denominator === 0n) throw new Error("A denominator is 0.");
    const sign = denominator < 0n ? -1n : 1n;
    const divisor = greatestDivisor(numerator, denominator) || 1n;
    this.numerator = (sign * numerator) / divisor;
    this.denominator = (sign * denominator) / divisor;
  }

  /** Read a whole number, or a text of a certificate. */
  static read(written) {
    if (Number.isSafeInteger(written)) return new Rational(BigInt(written));
    const isText = typeof written === "string" && written.length <= MOST_CHARACTERS;
    if (!isText || !WRITTEN.test(written)) throw new Error("This is no exact number.");
    const [numerator, denominator = "1"] = written.split("/");
    return new Rational(BigInt(numerator), BigInt(denominator));
  }

  /** Read a number of a sentence: a decimal such as "0.125" or "1e-09", or a fraction. */
  static readDecimal(written) {
    const match = /^(-?[0-9]{1,400})(?:\.([0-9]{1,400}))?(?:e([+-]?[0-9]{1,3}))?$/.exec(written);
    if (!match) return Rational.read(written);
    const [, whole, decimals = "", exponent = "0"] = match;
    const places = BigInt(exponent) - BigInt(decimals.length);
    const digits = BigInt(whole + decimals);
    if (places < 0n) return new Rational(digits, 10n ** -places);
    return new Rational(digits * 10n ** places);
  }

  plus(other) {
    return new Rational(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator,
    );
  }

  minus(other) {
    return this.plus(new Rational(-other.numerator, other.denominator));
  }

  times(other) {
    return new Rational(
      this.numerator * other.numerator,
      this.denominator * other.denominator,
    );
  }

  over(other) {
    return new Rational(
      this.numerator * other.denominator,
      this.denominator * other.numerator,
    );
  }

  equals(other) {
    return this.minus(other).numerator === 0n;
  }

  exceeds(other) {
    return this.minus(other).numerator > 0n;
  }

  get isPositive() {
    return this.numerator > 0n;
  }

  /** The nearest float. Long fractions are shortened first, so that none overflows. */
  toNumber() {
    const digits = 20n;
    const scaled = (this.numerator * 10n ** digits) / this.denominator;
    const whole = Number(scaled) / 1e20;
    if (Math.abs(whole) > 1e-3) return whole;
    const small = (this.numerator * 10n ** 60n) / this.denominator;
    return Number(small) / 1e60;
  }

  toString() {
    if (this.denominator === 1n) return String(this.numerator);
    return `${this.numerator}/${this.denominator}`;
  }
}

export const ZERO = new Rational(0n);

/** Return the sum of some rational numbers. */
export function sumOf(numbers) {
  return numbers.reduce((sum, number) => sum.plus(number), ZERO);
}

function greatestDivisor(first, second) {
  let larger = first < 0n ? -first : first;
  let smaller = second < 0n ? -second : second;
  while (smaller) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
