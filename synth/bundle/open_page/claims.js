// A claim about a bundle, and what this page found out about it.

/** A claim: its state is "holds", "refuted" or "open", and its text is for people. */
export function claim(state, text) {
  return { state, text };
}

export const holds = (text) => claim("holds", text);
export const refuted = (text) => claim("refuted", text);
export const open = (text) => claim("open", text);

/** Return a claim that holds or is refuted. */
export function decide(isTrue, textIfTrue, textIfFalse) {
  return isTrue ? holds(textIfTrue) : refuted(textIfFalse);
}
