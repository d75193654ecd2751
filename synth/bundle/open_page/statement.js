// The statement of a bundle, whose sentences this page shows as they are.

import { make, makeList } from "./elements.js";

const HEADING = /^[A-Z][A-Z ]+$/;

/** Return the elements of a statement: headings, paragraphs and lists. */
export function layOutStatement(text) {
  return text
    .split(/\n\n+/)
    .map((paragraph) => paragraph.replace(/^\n+|\n+$/g, ""))
    .filter((paragraph) => paragraph)
    .map(layOutParagraph);
}

function layOutParagraph(paragraph) {
  if (HEADING.test(paragraph)) return make("h3", inSentenceCase(paragraph));
  if (paragraph.startsWith("- ")) {
    const items = paragraph.split(/\n(?=- )/);
    return makeList(items.map((item) => joinLines(item.slice(2))));
  }
  // Lines that are indented, as of costs and commands, stay lines.
  if (/\n {2}/.test(paragraph)) return make("pre", paragraph);
  return make("p", joinLines(paragraph));
}

function joinLines(text) {
  return text.replace(/\n\s*/g, " ");
}

function inSentenceCase(heading) {
  return heading[0] + heading.slice(1).toLowerCase();
}
