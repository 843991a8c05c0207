import type { Vec3 } from "../../core/geometry.ts";
import type { Rigid } from "../../core/pose.ts";
import { eachPartner } from "../../scan/place/icp.ts";
import { heightOver } from "../plane.ts";
import { randomBy } from "../propose.ts";
import { OFF, type Sight } from "./sight.ts";

// Whether two cameras see the same colours where their depths say that they see the same things.

/** Colours are wholly different if they differ by this many of 255 levels. */
const DIFFERENT = 30;
/** The line between two cameras' levels is fitted in ROUNDS rounds; each leaves out pairs that lie off by LEFT_OUT medians and more. */
const ROUNDS = 2;
const LEFT_OUT = 3;
/** The largest gain from one camera's levels to the other's. */
const MOST_GAIN = 3;
/** A pixel of a thing counts this many times as much as one of a wall. */
const THING = 11;
/** The spread of the score is found from parts of the picture, this many by this many. */
const PARTS = 8;
const AROUND = [-1, 0, 1];

/** The indices of a pixel, of its partner, and of the plane that both lie on; the plane is -1 where no plane holds them. */
interface Pair {
  readonly own: number;
  readonly there: number;
  readonly plane: number;
}

/** What the colours of two cameras say about a place: that it is right, that it is wrong, or neither. */
export type Verdict = "agree" | "contradict" | "unsure";
/** Colours agree if their score is above AGREE, and those of any two pixels would differ by more than BY_CHANCE. */
const AGREE = 0.8;
const BY_CHANCE = 0.1;
/** Colours contradict each other if their score is below CONTRADICT, and the partners' colours differ by more than DIFFER. */
const CONTRADICT = 0.6;
const DIFFER = 0.04;
/** The fewest pairs of colours that can be judged. */
const FEWEST = 100;

/**
 * Compares the colours of what both cameras see if `b` stands there: the score is 1 where the colours are the same, and 0 where they differ
 * as much as those of any two pixels of one plane, or of any two pixels of things. Each channel's gain and offset are fitted, since
 * exposures differ.
 */
export function colorsSay(a: Sight, b: Sight, motion: Rigid, reach: number): Verdict {
  const [to, from] = [a.colors, b.colors];
  if (!to || !from) return "unsure";
  const { across, down, lens } = a.coarse;
  const pairs: Pair[] = [];
  eachPartner(b.coarse, a.coarse, motion, reach, [0, 0, 0], (_row, _off, own, [x, y, z]) => {
    const [u, v] = [Math.round((x / z) * lens.fx + lens.cx), Math.round((y / z) * lens.fy + lens.cy)];
    if (u < 1 || v < 1 || u + 1 >= across || v + 1 >= down) return;
    const place: Vec3 = [x, y, z];
    const plane = a.planes.findIndex((one) => Math.abs(heightOver(one, place)) < OFF * z);
    pairs.push({ own, there: v * across + u, plane });
  });
  if (pairs.length < FEWEST) return "unsure";
  const lines = [0, 1, 2].map((c) =>
    lineOf(
      pairs.map(({ own }) => from[3 * own + c]),
      pairs.map(({ there }) => to[3 * there + c]),
    ),
  );
  // A picture with far less contrast than the other one shows no texture.
  if (!lines.some(({ gain }) => gain > 1 / MOST_GAIN && gain < MOST_GAIN)) return "unsure";
  const lossOf = lossBetween(from, to, across, lines);
  const random = randomBy(1);
  const groups = [-1, ...a.planes.keys()].map((plane) => pairs.filter((pair) => pair.plane === plane));
  const sums = new Float64Array(3 * PARTS * PARTS);
  for (const { own, there, plane } of pairs) {
    const group = groups[plane + 1];
    const weight = plane < 0 ? THING : 1;
    const part =
      Math.floor((Math.floor(own / across) / down) * PARTS) * PARTS + Math.floor(((own % across) / across) * PARTS);
    sums[3 * part] += weight * lossOf(own, there);
    sums[3 * part + 1] += weight * lossOf(own, group[Math.floor(random() * group.length)].there);
    sums[3 * part + 2] += weight;
  }
  return verdictOf(sums);
}

/** How differently coloured two pixels are, from 0 to 1; outlines may be off by one pixel. */
const lossBetween =
  (from: Float32Array, to: Float32Array, across: number, lines: readonly ReturnType<typeof lineOf>[]) =>
  (own: number, there: number): number => {
    let square = 0;
    for (const [c, { gain, offset }] of lines.entries()) {
      const level = gain * from[3 * own + c] + offset;
      let [low, high] = [Infinity, -Infinity];
      for (const dv of AROUND) {
        for (const du of AROUND) {
          const value = to[3 * (there + dv * across + du) + c];
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      }
      square += Math.max(0, low - level, level - high) ** 2;
    }
    return Math.min(1, square / DIFFERENT ** 2);
  };

/** `sums` has the loss, the loss by chance and the weight of each part of the picture; the spread is the jackknife's. */
function verdictOf(sums: Float64Array): Verdict {
  const [loss, chance, weight] = [0, 1, 2].map((k) =>
    sums.reduce((sum, value, i) => sum + (i % 3 === k ? value : 0), 0),
  );
  const score = 1 - loss / chance;
  let variance = 0;
  for (let k = 0; k < sums.length; k += 3) variance += (1 - (loss - sums[k]) / (chance - sums[k + 1]) - score) ** 2;
  const far = 2 * Math.sqrt(variance);
  if (score - far > AGREE && chance > BY_CHANCE * weight) return "agree";
  return score + far < CONTRADICT && loss > DIFFER * weight ? "contradict" : "unsure";
}

/** The line along which one camera's levels follow from the other's, whatever their exposures: the reduced major axis of most pairs. */
function lineOf(from: readonly number[], to: readonly number[]) {
  let used = from.map((_, i) => i);
  for (let round = 0; ; round++) {
    const [p, q] = [from, to].map((levels) => {
      const mean = used.reduce((sum, i) => sum + levels[i], 0) / used.length;
      return { mean, size: Math.sqrt(used.reduce((sum, i) => sum + (levels[i] - mean) ** 2, 0)) };
    });
    const gain = q.size / p.size;
    const offset = q.mean - gain * p.mean;
    if (round === ROUNDS) return { gain, offset };
    const offs = from.map((level, i) => Math.abs(to[i] - gain * level - offset));
    const most = LEFT_OUT * Math.max(2, Float64Array.from(offs).sort()[offs.length >> 1]);
    used = from.map((_, i) => i).filter((i) => offs[i] < most);
  }
}
