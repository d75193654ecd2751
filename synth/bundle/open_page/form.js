// The published form of certificates: a checker of the part of JSON Schema (2020-12) that
// their schemas use. A word that it does not know is an error, so that no rule is passed over.

const NOTES = ["$schema", "$defs", "title", "description"];

/** Return where a value differs from a schema, as a path; null if it has its form. */
export function findFormFault(value, schema, root = schema, path = "the certificate") {
  for (const [word, rule] of Object.entries(schema)) {
    if (NOTES.includes(word)) continue;
    const check = CHECKS[word];
    if (!check) throw new Error(`The schema has the unknown word ${word}.`);
    const fault = check({ value, rule, schema, root, path });
    if (fault) return fault;
  }
  return null;
}

const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const TYPES = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};

const faultUnless = (isFine, path) => (isFine ? null : path);
const same = (first, second) => JSON.stringify(first) === JSON.stringify(second);

const CHECKS = {
  type: ({ value, rule, path }) =>
    faultUnless([rule].flat().some((name) => TYPES[name](value)), path),
  const: ({ value, rule, path }) => faultUnless(same(value, rule), path),
  enum: ({ value, rule, path }) =>
    faultUnless(rule.some((option) => same(option, value)), path),
  pattern: ({ value, rule, path }) =>
    faultUnless(typeof value !== "string" || new RegExp(rule, "u").test(value), path),
  minLength: ({ value, rule, path }) =>
    faultUnless(typeof value !== "string" || value.length >= rule, path),
  minimum: ({ value, rule, path }) =>
    faultUnless(typeof value !== "number" || value >= rule, path),
  maximum: ({ value, rule, path }) =>
    faultUnless(typeof value !== "number" || value <= rule, path),
  exclusiveMinimum: ({ value, rule, path }) =>
    faultUnless(typeof value !== "number" || value > rule, path),
  minItems: ({ value, rule, path }) =>
    faultUnless(!Array.isArray(value) || value.length >= rule, path),
  maxItems: ({ value, rule, path }) =>
    faultUnless(!Array.isArray(value) || value.length <= rule, path),
  uniqueItems: ({ value, path }) =>
    faultUnless(!Array.isArray(value) || isWithoutTwins(value), path),
  required: ({ value, rule, path }) => {
    if (!isObject(value)) return null;
    const missing = rule.find((name) => !Object.hasOwn(value, name));
    return missing === undefined ? null : `${path}, which lacks '${missing}'`;
  },
  items: ({ value, rule, root, path }) =>
    Array.isArray(value) ? firstFault(value.entries(), () => rule, root, path) : null,
  properties: ({ value, rule, root, path }) => {
    if (!isObject(value)) return null;
    const declared = Object.entries(value).filter(([name]) => Object.hasOwn(rule, name));
    return firstFault(declared, (name) => rule[name], root, path);
  },
  additionalProperties: ({ value, rule, schema, root, path }) => {
    if (!isObject(value)) return null;
    const declared = schema.properties ?? {};
    const others = Object.entries(value).filter(([name]) => !Object.hasOwn(declared, name));
    if (rule === false) return others.length ? `${path}, '${others[0][0]}'` : null;
    return firstFault(others, () => rule, root, path);
  },
  oneOf: ({ value, rule, root, path }) => {
    const matches = rule.filter((option) => findFormFault(value, option, root, path) === null);
    return faultUnless(matches.length === 1, path);
  },
  anyOf: ({ value, rule, root, path }) => {
    const matches = rule.some((option) => findFormFault(value, option, root, path) === null);
    return faultUnless(matches, path);
  },
  $ref: ({ value, rule, root, path }) => {
    const steps = rule.replace(/^#\//, "").split("/");
    const referred = steps.reduce((part, step) => part[step], root);
    return findFormFault(value, referred, root, path);
  },
};

function isWithoutTwins(values) {
  return new Set(values.map((value) => JSON.stringify(value))).size === values.length;
}

function firstFault(entries, ruleOf, root, path) {
  for (const [name, part] of entries) {
    const fault = findFormFault(part, ruleOf(name), root, `${path}, '${name}'`);
    if (fault) return fault;
  }
  return null;
}
