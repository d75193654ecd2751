// Pictures of noisy counts, drawn as SVG.

import { draw, formatNumber } from "./elements.js";

const BAR_WIDTH = 220;
const BAR_HEIGHT = 18;
const COUNTS_WIDTH = 720;
const COUNTS_HEIGHT = 240;
const NOISE_BARS = 30;

/** Return the bar of a noisy share with its error bar, and a dot for the synthetic share. */
export function drawShare(noisyShare, reachShare, rowsShare, largest) {
  const scale = (share) => 10 + ((BAR_WIDTH - 20) * Math.max(0, share)) / largest;
  const picture = draw("svg", {
    width: BAR_WIDTH,
    height: BAR_HEIGHT,
    viewBox: `0 0 ${BAR_WIDTH} ${BAR_HEIGHT}`,
    "aria-hidden": "true",
  });
  picture.append(
    draw("rect", {
      class: noisyShare < 0 ? "below" : "noisy",
      x: noisyShare < 0 ? 2 : 10,
      y: 4,
      width: noisyShare < 0 ? 8 : scale(noisyShare) - 10,
      height: 10,
    }),
  );
  if (reachShare !== null) {
    const ends = [noisyShare - reachShare, noisyShare + reachShare].map(scale);
    picture.append(draw("line", { class: "bar", x1: ends[0], x2: ends[1], y1: 9, y2: 9 }));
  }
  if (rowsShare !== null) {
    picture.append(draw("circle", { class: "rows", cx: scale(rowsShare), cy: 9, r: 4 }));
  }
  return picture;
}

/** Draw noisy counts as bars, the smallest first; those below 0 hang below the line. */
export function drawCounts(cells, label) {
  const noisy = cells.map(([, count]) => count);
  const repaired = cells.map(([, , rows]) => rows);
  const most = Math.max(1, ...noisy, ...repaired.filter((rows) => rows !== null));
  const least = Math.min(0, ...noisy);
  const [left, top, right, bottom] = [50, 10, COUNTS_WIDTH - 5, COUNTS_HEIGHT - 10];
  const height = (count) => bottom - ((bottom - top) * (count - least)) / (most - least);
  const step = (right - left) / cells.length;
  const picture = draw("svg", {
    width: COUNTS_WIDTH,
    height: COUNTS_HEIGHT,
    viewBox: `0 0 ${COUNTS_WIDTH} ${COUNTS_HEIGHT}`,
    role: "img",
    "aria-label": label,
  });
  noisy.forEach((count, place) => {
    picture.append(
      draw("rect", {
        class: count < 0 ? "below" : "noisy",
        x: left + place * step,
        y: Math.min(height(count), height(0)),
        width: Math.max(0.5, step * 0.85),
        height: Math.abs(height(count) - height(0)),
      }),
    );
  });
  if (repaired.every((rows) => rows !== null)) {
    const points = repaired.map((rows, place) => `${left + (place + 0.4) * step},${height(rows)}`);
    picture.append(draw("polyline", { class: "line", points: points.join(" ") }));
  }
  drawAxis(picture, { left, right, height, numbers: [...new Set([least, 0, most])] });
  return picture;
}

function drawAxis(picture, { left, right, height, numbers }) {
  picture.append(
    draw("line", { class: "axis", x1: left, x2: right, y1: height(0), y2: height(0) }),
  );
  for (const number of numbers) {
    const text = draw("text", { x: left - 6, y: height(number) + 4, "text-anchor": "end" });
    text.append(formatNumber(Math.round(number)));
    picture.append(text);
  }
}

/** Return the chances of discrete Laplace noise, for some numbers of rows around 0. */
export function noiseChances(scale) {
  const ratio = Math.exp(-1 / scale);
  const atZero = (1 - ratio) / (1 + ratio);
  const longest = Math.min(400, Math.max(4, Math.ceil(5 * scale)));
  const step = Math.max(1, Math.ceil(longest / NOISE_BARS));
  const chances = [];
  for (let rows = -step * Math.floor(longest / step); rows <= longest; rows += step) {
    chances.push([rows, atZero * ratio ** Math.abs(rows)]);
  }
  return chances;
}

/** Draw the chances of noise as bars around 0. */
export function drawNoise(chances, label) {
  const [width, height] = [480, 140];
  const highest = Math.max(...chances.map(([, chance]) => chance));
  const step = (width - 20) / chances.length;
  const picture = draw("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": label,
  });
  chances.forEach(([rows, chance], place) => {
    const bar = ((height - 30) * chance) / highest;
    const x = 10 + place * step;
    picture.append(
      draw("rect", { class: "noisy", x, y: height - 20 - bar, width: step * 0.85, height: bar }),
    );
    if (place % Math.ceil(chances.length / 8) === 0 || rows === 0) {
      const text = draw("text", { x: x + step / 2, y: height - 5, "text-anchor": "middle" });
      text.append(String(rows));
      picture.append(text);
    }
  });
  return picture;
}
