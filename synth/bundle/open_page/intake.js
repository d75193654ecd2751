// What somebody drops on the page or chooses: a folder, the files of one, or a zip file.

/** Return the files of a file input, each with its path. */
export function filesOfInput(input) {
  return [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** Return the files that were dropped, each with its path; folders are read through. */
export async function filesOfDrop(transfer) {
  const plain = [...transfer.files].map((file) => ({ path: file.name, file }));
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry?.())
    .filter((entry) => entry);
  if (!entries.some((entry) => entry.isDirectory)) return plain;
  const lists = await Promise.all(entries.map((entry) => filesOfEntry(entry)));
  return lists.flat();
}

async function filesOfEntry(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ""), file }];
  }
  const reader = entry.createReader();
  const children = [];
  while (true) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) break;
    children.push(...some);
  }
  const lists = await Promise.all(children.map((child) => filesOfEntry(child)));
  return lists.flat();
}
