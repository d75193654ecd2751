// Elements of the page. Every text of a bundle becomes a text node, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** Return a new element: its name with classes, such as "p.quiet", and its content. */
export function make(nameAndClasses, ...content) {
  const [name, ...classes] = nameAndClasses.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  element.append(...content);
  return element;
}

/** Return an element with attributes. */
export function withAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, String(value));
  }
  return element;
}

/** Return a name or a value of the bundle; its direction of writing touches nothing else. */
export function isolate(text) {
  return make("bdi", text);
}

/** Return a new SVG element. */
export function draw(name, attributes, ...content) {
  const element = withAttributes(document.createElementNS(SVG, name), attributes);
  element.append(...content);
  return element;
}

/** Return a table: a caption, heads, and rows of cells, of which the first is a row's head. */
export function makeTable(caption, heads, rows) {
  const headCells = heads.map((head) => {
    const cell = withAttributes(make("th"), { scope: "col" });
    cell.append(head.text ?? head);
    if (head.isNumber) cell.className = "number";
    return cell;
  });
  const body = rows.map(([first, ...others]) =>
    make("tr", withAttributes(make("th", first), { scope: "row" }), ...others.map(toCell)),
  );
  const table = make(
    "table",
    make("caption", caption),
    make("thead", make("tr", ...headCells)),
    make("tbody", ...body),
  );
  // A wide table scrolls by itself, and the keyboard reaches it.
  return withAttributes(make("div.wide", table), {
    tabindex: 0,
    role: "region",
    "aria-label": caption,
  });
}

function toCell(content) {
  if (content instanceof HTMLElement && content.tagName === "TD") return content;
  return make("td", content);
}

/** Return a cell with a number. */
export function numberCell(number, text) {
  const cell = make("td.number", text ?? formatNumber(number));
  if (number < 0) cell.classList.add("below");
  return cell;
}

/** Return a number as people read it, such as 1,234 or 0.0412. */
export function formatNumber(number) {
  if (number === null || number === undefined) return "not known";
  const isWhole = Number.isInteger(number);
  const options = isWhole ? {} : { maximumSignificantDigits: 6 };
  return number.toLocaleString("en-US", options);
}

/** Return an estimate, or an end of its interval, with the digits that the interval allows.
 *
 * The last digit is at most a third of half the interval's width; before the point, numbers are
 * as coarse as the second digit of it. `round` is `Math.round`, or `Math.floor` and `Math.ceil`
 * for the ends.
 */
export function formatWithin(number, low, high, round = Math.round) {
  const half = (high - low) / 2;
  if (typeof number !== "number" || !(half > 0) || !Number.isFinite(half)) {
    return formatNumber(number);
  }
  const isWhole = Number.isInteger(number) && Number.isInteger(half);
  const digits = isWhole ? 0 : Math.max(0, -Math.floor(Math.log10(half / 3)));
  const tens = half >= 1 ? Math.max(0, Math.floor(Math.log10(half)) - 1) : 0;
  // Steps per unit as a power of ten that floats hold exactly, or units per step.
  const steps = tens ? number / 10 ** tens : number * 10 ** digits;
  const nearest = Math.round(steps);
  // An end is not rounded outwards by a whole step for an error of floats only.
  const rounded = Math.abs(steps - nearest) < 1e-6 ? nearest : round(steps);
  const value = tens ? rounded * 10 ** tens : rounded / 10 ** digits;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString("en-US", options);
}

/** Return an error with two digits, or without any after the point. */
export function formatError(number) {
  if (!(number > 0)) return formatNumber(number);
  const digits = Math.max(0, -Math.floor(Math.log10(number / 10)));
  return number.toLocaleString("en-US", { maximumFractionDigits: digits });
}

/** Return an estimate and the ends of its interval, each with the digits that it allows. */
export function formatInterval(value, low, high) {
  return [
    formatWithin(value, low, high),
    formatWithin(low, low, high, Math.floor),
    formatWithin(high, low, high, Math.ceil),
  ];
}

/** Return a share as a percentage. */
export function formatShare(share) {
  return share === null ? "not known" : `${(100 * share).toFixed(1)} %`;
}

/** Return a list of texts. */
export function makeList(texts) {
  return make("ul", ...texts.map((text) => make("li", text)));
}
