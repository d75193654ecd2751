// A fault of what was dropped.

/** A fault of the files, in words for their reader. */
export class BadBundle extends Error {}
