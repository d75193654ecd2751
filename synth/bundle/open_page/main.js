// The page: it shows what it carries, and checks the files of a bundle.

import { UNCHECKED, checkBundle } from "./checks.js";
import { make, makeList, withAttributes } from "./elements.js";
import { BadBundle } from "./faults.js";
import { filesOfDrop, filesOfInput } from "./intake.js";
import { listSections, titleOf } from "./sections.js";
import { openBundle } from "./sources.js";

const SIGNS = { holds: "✓", refuted: "✗", open: "?" };
const SPOKEN = { holds: "Holds", refuted: "Refuted", open: "Not checked" };
const DROP_FAILED =
  "The browser does not let this page read a dropped folder. Choose it by the button, or drop the zip file.";

function readCarried() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const certificate = data.certificate ? JSON.parse(data.certificate) : null;
  if (certificate) delete certificate.sha256;
  return { ...data, certificateText: data.certificate, certificate };
}

function showPage(carried) {
  const main = document.getElementById("content");
  const sections = [
    ["check", "Check these files", showChecker(carried)],
    ...listSections(carried),
  ];
  for (const [name, title, elements] of sections) {
    const heading = withAttributes(make("h2", title), { id: name });
    const section = make("section", heading, ...elements);
    main.append(withAttributes(section, { "aria-labelledby": name }));
    const link = withAttributes(make("a", title), { href: `#${name}` });
    document.getElementById("sections").append(make("li", link));
  }
  if (!carried.certificate) return;
  document.getElementById("title").textContent = titleOf(carried.certificate);
  document.getElementById("summary").textContent = carried.certificate.guarantee.statement;
}

/** Return the elements of the section that checks files. */
function showChecker(carried) {
  const result = withAttributes(make("div"), { role: "status", id: "result" });
  const zone = make("div.files.choosing");
  const start = (files) => check(files, carried, result);
  zone.append(
    make(
      "p",
      "Drop the zip file or the folder of this bundle here, or choose one of them. Nothing leaves your computer.",
    ),
    makeInput("Zip file of the bundle", { accept: ".zip" }, start),
    makeInput("Folder of the bundle", { webkitdirectory: "" }, start),
  );
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  // A file that is dropped beside the zone would replace the page.
  for (const event of ["dragover", "drop"]) {
    window.addEventListener(event, (dropped) => dropped.preventDefault());
  }
  zone.addEventListener("dragover", () => zone.classList.add("over"));
  zone.addEventListener("drop", async (event) => {
    zone.classList.remove("over");
    try {
      start(await filesOfDrop(event.dataTransfer));
    } catch {
      showFault(result, DROP_FAILED);
    }
  });
  return [
    make(
      "p",
      "This page is a second verifier: it reads the published formats by a program of its own. Use a copy of it that you trust; a forged bundle may have a forged page.",
    ),
    zone,
    result,
  ];
}

function makeInput(words, attributes, start) {
  const input = withAttributes(make("input"), { type: "file", ...attributes });
  input.addEventListener("change", () => {
    const files = filesOfInput(input);
    if (files.length) start(files);
  });
  return make("label", `${words}: `, input);
}

async function check(files, carried, result) {
  const progress = (name) => result.replaceChildren(make("p", `Reading '${name}' …`));
  progress("certificate.json");
  try {
    const claims = await checkBundle(await openBundle(files), carried, progress);
    showClaims(result, claims);
  } catch (error) {
    const isExpected = error instanceof BadBundle;
    showFault(result, isExpected ? error.message : "A file cannot be read: it is damaged.");
  }
}

function showFault(result, sentence) {
  result.replaceChildren(make("p.verdict.refuted", sentence));
}

function showClaims(result, claims) {
  const refuted = claims.filter(({ state }) => state === "refuted").length;
  const known = claims.filter(({ state }) => state !== "open").length;
  let verdict = make("p.verdict.holds", "Nothing that this page can check is refuted.");
  if (!known) verdict = make("p.verdict", "Nothing was checked.");
  if (refuted) {
    const claimed = refuted === 1 ? "One claim" : `${refuted} claims`;
    verdict = make("p.verdict.refuted", `${claimed} of the bundle ${refuted === 1 ? "is" : "are"} refuted.`);
  }
  const items = claims.map(({ state, text }) => {
    const sign = withAttributes(make("span.sign", SIGNS[state]), {
      role: "img",
      "aria-label": SPOKEN[state],
    });
    return make(`li.${state}`, sign, make("bdi", text));
  });
  const unchecked = make(
    "details",
    make("summary", `${UNCHECKED.length} things that only others can check`),
    makeList(UNCHECKED),
  );
  result.replaceChildren(verdict, make("ul.claims", ...items), unchecked);
}

showPage(readCarried());
