import type { Hit } from "./shapes/shape.ts";

/** Sets the colour of a hit (linear, 0 … 1) from its position in the solid's own frame. */
export type Material = (hit: Hit) => void;
export type Rgb = readonly [number, number, number];

/** Converts "#rrggbb" to linear light. */
export function rgb(hex: string): Rgb {
  const channel = (at: number) => {
    const s = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function set(hit: Hit, color: Rgb, by = 1): void {
  hit.r = color[0] * by;
  hit.g = color[1] * by;
  hit.b = color[2] * by;
}

/** Hashes two whole numbers to a number from 0 to 1. */
function scatter(i: number, j: number): number {
  let h = Math.imul(i, 0x27d4eb2d) ^ Math.imul(j, 0x165667b1);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return ((h ^ (h >>> 13)) >>> 0) / 2 ** 32;
}

export const plain = (hex: string): Material => {
  const color = rgb(hex);
  return (hit) => set(hit, color);
};

/** Plaster with the grain of a paint roller, so that a wall is not one flat colour. */
const plaster = (color: Rgb, hit: Hit, a: number, b: number) =>
  set(hit, color, 0.96 + 0.05 * scatter(Math.floor(a * 90), Math.floor(b * 90)));

/** Boards along x, each with a tone of its own, with grain and a dark joint. */
export function wood(hex: string, boardM: number): Material {
  const color = rgb(hex);
  return (hit) => {
    const across = hit.z / boardM;
    const board = Math.floor(across);
    const joint = across - board < 0.02 ? 0.6 : 1;
    const grain = Math.sin(hit.z * 260 + 5 * Math.sin(hit.x * 3 + board * 1.7)) * Math.sin(hit.x * 9 + board * 5);
    set(hit, color, joint * (0.9 + 0.16 * scatter(board, 7) + 0.05 * grain));
  };
}

/** The room: a checkered floor, three differently painted walls with a skirting board, a white ceiling. */
export function roomPaint(checkM: number): Material {
  const [cream, slate] = [rgb("#e9dcc3"), rgb("#33525c")];
  const [left, right, back, white] = [rgb("#5b9d92"), rgb("#e3a678"), rgb("#f3e8d3"), rgb("#f4f1ea")];
  return (hit) => {
    if (hit.face === 3) {
      const [i, j] = [Math.floor(hit.x / checkM), Math.floor(hit.z / checkM)];
      set(hit, (i + j) & 1 ? slate : cream, 0.92 + 0.08 * scatter(i, j));
    } else if (hit.face === 2) set(hit, white);
    else if (hit.y > -0.09) set(hit, white, hit.y < -0.083 ? 0.6 : 0.95);
    else if (hit.face === 0) plaster(left, hit, hit.z, hit.y);
    else if (hit.face === 1) plaster(right, hit, hit.z, hit.y);
    else plaster(back, hit, hit.x, hit.y);
  };
}

/** A round rug: rings, and a border of triangles. */
export function rug(radius: number): Material {
  const rings = [rgb("#b5473c"), rgb("#e8c07d"), rgb("#23425f"), rgb("#efe3cf"), rgb("#23425f")];
  const [red, cream] = [rgb("#b5473c"), rgb("#efe3cf")];
  return (hit) => {
    const q = Math.sqrt(hit.x * hit.x + hit.z * hit.z) / radius;
    if (q > 0.84) {
      const turn = (Math.atan2(hit.z, hit.x) / Math.PI) * 18;
      const tooth = Math.abs(turn - Math.round(turn)) * 2;
      set(hit, tooth < (q - 0.84) / 0.16 ? cream : red);
    } else set(hit, rings[Math.floor(q * 8.2) % rings.length] ?? red, 0.95 + 0.08 * scatter(hit.x * 300, hit.z * 300));
  };
}

/** A painting in a frame: a low sun over layered hills and water. Its front is −z; it is width × height, centred at the origin. */
export function painting(width: number, height: number, frameM: number): Material {
  const [frame, sky, glow, sun] = [rgb("#3a2a1d"), rgb("#264b6e"), rgb("#f2a65a"), rgb("#fff0c9")];
  const hills = [rgb("#8d6b94"), rgb("#5a5a8c"), rgb("#2f4468")];
  const water = rgb("#1f3350");
  return (hit) => {
    const u = (hit.x + width / 2) / width;
    const v = (hit.y + height / 2) / height;
    const border = Math.min(width / 2 - Math.abs(hit.x), height / 2 - Math.abs(hit.y));
    if (border < frameM) return set(hit, frame);
    const mix = Math.min(1, v * 1.5);
    hit.r = sky[0] + (glow[0] - sky[0]) * mix;
    hit.g = sky[1] + (glow[1] - sky[1]) * mix;
    hit.b = sky[2] + (glow[2] - sky[2]) * mix;
    if (Math.hypot((u - 0.64) * width, (v - 0.44) * height) < 0.1) set(hit, sun);
    for (let i = 0; i < 3; i++) {
      const ridge =
        0.5 + 0.09 * i + (0.07 - 0.015 * i) * Math.sin(u * (7 + 4 * i) + 2 * i) + 0.02 * Math.sin(u * 31 + i);
      const hill = hills[i];
      if (hill && v > ridge) set(hit, hill);
    }
    if (v > 0.8) {
      const glitter = Math.abs(u - 0.64) < 0.1 && Math.sin(v * 190 + Math.sin(u * 40)) > 0.3;
      set(hit, glitter ? glow : water);
    }
  };
}

/** A window: sky through six panes. Its front is −z. */
export function windowPanes(width: number, height: number): Material {
  const [bar, high, low] = [rgb("#f4f1ea"), rgb("#8fc1ea"), rgb("#eaf4fb")];
  return (hit) => {
    const u = Math.abs(hit.x);
    const v = (hit.y + height / 2) / height;
    const rail = Math.abs(v - 1 / 3) * height;
    if (u < 0.018 || u > width / 2 - 0.03 || rail < 0.016 || v < 0.03 || v > 0.97) return set(hit, bar, 0.3);
    hit.r = high[0] + (low[0] - high[0]) * v;
    hit.g = high[1] + (low[1] - high[1]) * v;
    hit.b = high[2] + (low[2] - high[2]) * v;
  };
}

/** A beach ball: six gores of colour and two white poles. */
export function beachBall(radius: number): Material {
  const gores = ["#e4572e", "#f7f3e8", "#2e86ab", "#f7f3e8", "#f6ae2d", "#f7f3e8"].map(rgb);
  const pole = rgb("#f7f3e8");
  return (hit) => {
    if (Math.abs(hit.y) > radius * 0.95) return set(hit, pole);
    const turn = Math.atan2(hit.z, hit.x) / (2 * Math.PI) + 0.5;
    set(hit, gores[Math.floor(turn * 6) % 6] ?? pole);
  };
}

export function stripes(axis: "x" | "y", widthM: number, ...hexes: readonly string[]): Material {
  const colors = hexes.map(rgb);
  const first = colors[0] ?? [0, 0, 0];
  return (hit) => {
    const stripe = Math.floor(hit[axis] / widthM) % colors.length;
    set(hit, colors[(stripe + colors.length) % colors.length] ?? first);
  };
}

/** A keyboard's keys in rows, with what is between them dark. Its front is −y. */
export function keys(pitchM: number): Material {
  const [cap, gap, side] = [rgb("#e9e7e1"), rgb("#8f9296"), rgb("#b9bcc0")];
  return (hit) => {
    if (hit.face !== 2) return set(hit, side);
    const row = Math.floor(hit.z / pitchM);
    const [across, down] = [hit.x / pitchM + 0.33 * row, hit.z / pitchM];
    const between = Math.max(Math.abs(across - Math.round(across)), Math.abs(down - row - 0.5)) > 0.42;
    set(hit, between ? gap : cap);
  };
}

/** A globe: seas, some land, ice at the poles, and a graticule of 30°. */
export function globe(): Material {
  const [sea, land, sand, ice, line] = ["#2f6f9f", "#6f9a4d", "#cbb26a", "#eef3f5", "#dfe7ea"].map(rgb) as Rgb[];
  return (hit) => {
    const up = -hit.y / Math.hypot(hit.x, hit.y, hit.z);
    const [lat, lon] = [Math.asin(Math.max(-1, Math.min(1, up))), Math.atan2(hit.z, hit.x)];
    const near = (angle: number) => Math.abs(angle / (Math.PI / 6) - Math.round(angle / (Math.PI / 6)));
    if (near(lat) < 0.03 || near(lon) * Math.cos(lat) < 0.03) return set(hit, line ?? [1, 1, 1]);
    const shape =
      Math.sin(2 * lon + 1.3 * Math.sin(2 * lat)) +
      0.6 * Math.sin(5 * lon + 2) * Math.cos(3 * lat) +
      0.4 * Math.sin(9 * lat + lon);
    const ground = Math.abs(lat) > 1.22 ? ice : shape > 0.75 ? sand : shape > 0.25 ? land : sea;
    set(hit, ground ?? [1, 1, 1]);
  };
}
