// What somebody drops on the page or chooses: a folder, the files of one, or a zip file.

/** Return the files of a file input, each with its path. */
export function filesOfInput(input) {
  return [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** Return the files that were dropped, each with its path; folders are read through. */
export async function filesOfDrop(transfer) {
  const plain = [...transfer.files].map((file) => ({ path: file.name, file }));
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const entries = items.map((item) => item.webkitGetAsEntry?.());
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  // On a page from the disk, Chromium reads folders by handles, and others by entries.
  const readers = items.map((item, place) =>
    item.getAsFileSystemHandle
      ? item.getAsFileSystemHandle().then((handle) => filesOfHandle(handle, handle.name))
      : filesOfEntry(entries[place]),
  );
  return (await Promise.all(readers)).flat();
}

async function filesOfHandle(handle, path) {
  if (handle.kind === "file") return [{ path, file: await handle.getFile() }];
  const lists = [];
  for await (const child of handle.values()) {
    lists.push(await filesOfHandle(child, `${path}/${child.name}`));
  }
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
