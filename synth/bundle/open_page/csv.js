// CSV files (RFC 4180), as bundles have them: commas, quotes, line feeds.

/** Yield the rows of a CSV text, each a list of cells. */
export function* rowsOfCsv(text) {
  let at = 0;
  let row = [];
  while (at < text.length) {
    let cell;
    if (text[at] === '"') {
      [cell, at] = quotedCell(text, at + 1);
    } else {
      const end = endOfCell(text, at);
      cell = text.slice(at, end);
      at = end;
    }
    row.push(cell);
    if (text[at] === ",") {
      at += 1;
      if (at === text.length) row.push("");
      continue;
    }
    yield row;
    row = [];
    if (text[at] === "\r") at += 1;
    at += 1;
  }
  if (row.length) yield row;
}

function endOfCell(text, start) {
  let end = start;
  while (end < text.length && !",\r\n".includes(text[end])) end += 1;
  return end;
}

function quotedCell(text, start) {
  let cell = "";
  let at = start;
  while (true) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return [cell + text.slice(at), text.length];
    cell += text.slice(at, quote);
    if (text[quote + 1] !== '"') return [cell, quote + 1];
    cell += '"';
    at = quote + 2;
  }
}
