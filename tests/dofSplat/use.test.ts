import { describe, expect, test } from "vitest";
import { orbit, type Scene } from "../../bench/dof/draw.ts";
import { edgesOf, nodeOf, weights } from "../../stages/dofSplat/accumulate.ts";
import { cameraOf, twinCamera } from "../../stages/dofSplat/camera.ts";
import { dofSplat } from "../../stages/dofSplat/index.ts";
import { CRUMB, DISTANCE, FIELDS, NEAR } from "../../stages/dofSplat/layout.ts";
import type { Parameters } from "../../stages/dofSplat/parameters.ts";
import { newSplats, projectAll, type Splats } from "../../stages/dofSplat/project.ts";
import { sorted } from "../../stages/dofSplat/work/sorting.ts";
import { splatUse } from "../../stages/dofSplat/work/use.ts";
import { random } from "./compare.ts";
import { room } from "./scenes.ts";

// splatUse counts what dofSplat's kernels do for a frame. Here their loops are followed lane by lane, as the shaders write them.

/** Small enough that the lists of a small picture need several chunks, windows and merges. */
const SIZES = { CHUNK: 32, CAPACITY: 64, BUCKETS: 16, entries: 2 ** 20 };
const LANES = 8;
const SIZE = { width: 72, height: 40 };

const bitsOf = (range: number) => 32 - Math.clz32(range);

/** The words of a list's codes, made as order.wgsl makes them. */
function codesOf(list: readonly number[], keys: Uint32Array, points: Uint32Array) {
  const least = (words: Uint32Array) => Math.min(...list.map((splat) => words[splat]));
  const range = (words: Uint32Array) => Math.max(...list.map((splat) => words[splat])) - least(words);
  const pointBits = bitsOf(range(points));
  const bits = bitsOf(range(keys)) + pointBits;
  const dropped = bits - Math.min(bits, 32);
  const shift = Math.min(bits, 32) - Math.min(Math.min(bits, 32), Math.log2(SIZES.BUCKETS));
  const codes = list.map((splat) => {
    const distance = BigInt((keys[splat] - least(keys)) >>> dropped);
    return Number((distance << BigInt(pointBits)) | BigInt(points[splat] - least(points)));
  });
  return { codes, shift };
}

/** Sorts a list as order.wgsl does, and adds to the sums what its loops do. */
function order(codes: number[], shift: number, sum: Record<string, number>, isSingle: boolean) {
  const { CAPACITY, BUCKETS } = SIZES;
  const size = codes.length;
  const add = (name: string, by = 1) => {
    sum[name] = (sum[name] ?? 0) + by;
  };
  add("lists");
  add("entries", size);
  for (let at = 0; at < size; at += CAPACITY) {
    add("windows");
    const length = Math.min(CAPACITY, size - at);
    const window = codes.slice(at, at + length);
    const ends = Array.from({ length: BUCKETS }, (_, b) => window.filter((code) => code / 2 ** shift < b + 1).length);
    for (const code of window) {
      const bucket = Math.floor(code / 2 ** shift);
      const [start, end] = [bucket === 0 ? 0 : Math.floor(ends[bucket - 1] / 4), Math.floor((ends[bucket] + 3) / 4)];
      for (let j = start; j < end; j++) add(isSingle ? "fours" : "foursOfMany");
    }
    window.sort((a, b) => a - b).forEach((code, i) => void codes.splice(at + i, 1, code));
  }
  const lower = (pair: number, step: number) => 2 * pair - (pair & (step - 1));
  const compare = (from: number, length: number, step: number, apart: number, prefix: string) => {
    add(`${prefix}.steps`);
    for (let lane = 0; lane < LANES; lane++) {
      for (let pair = lane; pair < length; pair += LANES) {
        const [a, b] = [lower(pair, step), lower(pair, step) ^ apart];
        if (a >= length) break;
        add(`${prefix}.pairs`);
        if (b >= length) continue;
        add(`${prefix}.wholePairs`);
        const [left, right] = [codes[from + a], codes[from + b]];
        if (right < left) [codes[from + a], codes[from + b]] = [right, left];
      }
    }
  };
  for (let run = 2 * CAPACITY; run < 2 * size; run <<= 1) {
    add("merges");
    compare(0, size, run >> 1, run - 1, "steps");
    for (let step = run >> 2; step >= CAPACITY; step >>= 1) compare(0, size, step, step, "steps");
    for (let at = 0; at < size; at += CAPACITY) {
      const length = Math.min(CAPACITY, size - at);
      add("mergedWindows");
      add("mergedEntries", length);
      for (let step = CAPACITY >> 1; step > 0; step >>= 1) compare(at, length, step, step, "windowSteps");
    }
  }
}

const flat = ({ steps, windowSteps, ...rest }: ReturnType<typeof sorted>): Record<string, number> => ({
  ...rest,
  ...Object.fromEntries(Object.entries(steps).map(([name, count]) => [`steps.${name}`, count])),
  ...Object.fromEntries(Object.entries(windowSteps).map(([name, count]) => [`windowSteps.${name}`, count])),
});

describe("sorted", () => {
  const next = random(3);
  // One list for each length; distances in an order that has nothing to do with the points', many of them equal.
  const lists = (lengths: readonly number[], spread: number) => {
    const starts = new Uint32Array(lengths.length + 1);
    for (const [i, length] of lengths.entries()) starts[i + 1] = starts[i] + length;
    const count = starts[lengths.length];
    const keys = Uint32Array.from({ length: count }, () => (5000 + Math.floor(next() * spread)) << 5);
    const points = Uint32Array.from({ length: count }, (_, i) => 3 * i + (i > 40 ? 7 : 0));
    return { starts, keys, points, list: Uint32Array.from({ length: count }, (_, i) => i) };
  };

  test.each([
    ["a narrow range of distances", 30],
    ["a range that leaves out bits of the codes", 2 ** 26],
  ])("counts the loops of order.wgsl and leaves its order, with %s", (_, spread) => {
    const { starts, keys, points, list } = lists([1, 2, 63, 64, 65, 0, 128, 129, 200, 513, 1], spread);
    const sum: Record<string, number> = { fours: 0, foursOfMany: 0 };
    const ordered: number[] = [];
    for (let tile = 0; tile + 1 < starts.length; tile++) {
      const own = [...list.subarray(starts[tile], starts[tile + 1])];
      if (own.length < 2) {
        ordered.push(...own);
        continue;
      }
      const { codes, shift } = codesOf(own, keys, points);
      const splats = new Map(codes.map((code, i) => [code, own[i]]));
      order(codes, shift, sum, own.length <= SIZES.CAPACITY);
      ordered.push(...codes.map((code) => splats.get(code) ?? -1));
    }
    const { fours, ...found } = flat(sorted(starts, list, SIZES, { keys, points }));
    const { fours: single, foursOfMany: many, ...expected } = sum;
    expect(found).toEqual(expected);
    expect([...list]).toEqual(ordered);
    // Of lists of several windows, `fours` is a lower bound.
    expect(fours).toBeGreaterThanOrEqual(single + 128 + 129 + 200 + 513 + 65);
    expect(fours).toBeLessThanOrEqual(single + many);
  });

  test("counts the comparisons of a list of one window exactly", () => {
    const { starts, keys, points, list } = lists([50], 30);
    const { codes, shift } = codesOf([...list], keys, points);
    const sum: Record<string, number> = {};
    order(codes, shift, sum, true);
    expect(sorted(starts, list, SIZES, { keys, points }).fours).toBe(sum.fours);
  });

  test("leaves out lists that end beyond the capacity", () => {
    const { starts, keys, points, list } = lists([50, 50], 30);
    expect(sorted(starts, list, { ...SIZES, entries: 99 }, { keys, points })).toMatchObject({ lists: 1, entries: 50 });
  });
});

/** px: a pixel this close to a splat's edge counts as beyond it. */
const EDGE = 2 ** -10;

/** The blocks of a tile that a splat touches, from its centre and reach, as stage in accumulate.wgsl has them. */
function spanOf(node: ReturnType<typeof nodeOf>, left: number, top: number) {
  const perAlong = node.alongX ** 2 + node.alongY ** 2;
  const perAcross = node.acrossX ** 2 + node.acrossY ** 2;
  const reach = (along: number, across: number) =>
    node.alongX < 0
      ? node.reachAlong
      : (Math.abs(along) * node.reachAlong) / perAlong + (Math.abs(across) * node.reachAcross) / perAcross;
  const [x, y] = [reach(node.alongX, node.acrossX), reach(node.alongY, node.acrossY)];
  const clamped = (pixel: number) => Math.floor(Math.min(Math.max(pixel, 0), 15) / 2);
  const within = (by: number) =>
    node.x + x - by >= left && node.x - x + by <= left + 15 && node.y + y - by >= top && node.y - y + by <= top + 15;
  return {
    left: clamped(Math.ceil(node.x - x + EDGE - left)),
    right: clamped(Math.floor(node.x + x - EDGE - left)),
    top: clamped(Math.ceil(node.y - y + EDGE - top)),
    bottom: clamped(Math.floor(node.y + y - EDGE - top)),
    touches: within(0),
    covers: within(EDGE),
  };
}

/** Draws the tiles as accumulate.wgsl does, lane by lane, and counts what its loops do. */
function accumulate({ floats }: Splats, ordered: readonly number[], blades: number) {
  const sum = { chunks: 0, staged: 0, stagedDiscs: 0, breaks: 0, open: 0, filled: 0, added: 0, addedDiscs: 0 };
  const seen = new Set<number>();
  const edges = edgesOf(blades);
  for (let top = 0; top < SIZE.height; top += 16) {
    for (let left = 0; left < SIZE.width; left += 16) {
      const list = ordered.filter((splat) => spanOf(nodeOf(floats, splat * FIELDS), left, top).touches);
      const isInside = (x: number, y: number) => x < SIZE.width && y < SIZE.height;
      const rooms = Array.from({ length: 64 }, (_, lane) =>
        [0, 1, 2, 3].map((i) => Number(isInside(left + 2 * (lane % 8) + (i & 1), top + 2 * (lane >> 3) + (i >> 1)))),
      );
      let full = 0;
      for (let at = 0; at < list.length; at += SIZES.CHUNK) {
        const fullBefore = full;
        const chunk = list.slice(at, at + SIZES.CHUNK).map((splat) => nodeOf(floats, splat * FIELDS));
        for (const splat of list.slice(at, at + SIZES.CHUNK)) seen.add(splat);
        sum.chunks++;
        sum.staged += chunk.length;
        sum.stagedDiscs += chunk.filter(({ alongX }) => alongX < 0).length;
        if (fullBefore === 64) {
          sum.breaks++;
          break;
        }
        for (const [lane, pixels] of rooms.entries()) {
          if (!pixels.some((room) => room > 0)) continue;
          sum.open++;
          for (const node of chunk) {
            const span = spanOf(node, left, top);
            const [x, y] = [lane % 8, lane >> 3];
            if (!span.covers || x < span.left || x > span.right || y < span.top || y > span.bottom) continue;
            sum.added++;
            sum.addedDiscs += Number(node.alongX < 0);
            for (const [i, room] of pixels.entries()) {
              const [u, v] = [left + 2 * x + (i & 1), top + 2 * y + (i >> 1)];
              const rest = Math.fround(room - weights(u - node.x, v - node.y, node, edges));
              pixels[i] = rest < CRUMB ? 0 : rest;
            }
          }
          if (pixels.every((room) => room === 0)) full++;
        }
      }
      sum.filled += full;
    }
  }
  return { ...sum, distinct: seen.size };
}

/** The twin's splats, in the order of their codes. */
function splatsOf({ shape, points, depth }: Scene, parameters: Parameters) {
  if (!depth) throw new Error("the scene has no depth");
  const camera = twinCamera(cameraOf(shape, parameters), SIZE, parameters.maxReachPx);
  const splats = newSplats(points.count);
  const visible = projectAll(points, depth, camera, splats);
  const nearest = new Uint32Array(Float32Array.of(NEAR).buffer)[0];
  const distanceOf = (splat: number) => splats.words[splat * FIELDS + DISTANCE] - nearest;
  const ordered = Array.from({ length: visible }, (_, splat) => splat).sort(
    (a, b) => distanceOf(a) - distanceOf(b) || a - b,
  );
  return { splats, visible, ordered };
}

describe("splatUse counts the loops of accumulate.wgsl", () => {
  const scene = room(64, 48);
  const words = new Uint32Array(scene.depth?.data.buffer ?? new ArrayBuffer(0));
  const depth = { words, width: 64, height: 48, stride: 64 };

  test.each([
    ["patches", { fNumber: 0, pose: orbit(10, 1), verticalFovDeg: 53.7 }, { breaks: 0, addedDiscs: 0 }],
    ["discs and patches", { fNumber: 0.1, focusM: 1, pose: orbit(10, 1), verticalFovDeg: 53.7 }, {}],
    ["patches so large that tiles are full early", { fNumber: 0, pointScale: 5 }, {}],
    ["discs of an aperture with blades", { fNumber: 0.1, focusM: 0.9, blades: 5 }, {}],
  ] as const)("with %s", (_, given, expected) => {
    const { parameters } = dofSplat({ ...SIZE, ...given }) as unknown as { readonly parameters: Parameters };
    const { splats, visible, ordered } = splatsOf(scene, parameters);
    const { drawing, ...use } = splatUse(scene.shape, parameters, scene.points, depth, SIZES);
    const { distinctDiscs, ...counted } = drawing;
    expect(use.visible).toBe(visible);
    expect(counted).toEqual({ ...accumulate(splats, ordered, parameters.blades), ...expected });
    expect(distinctDiscs).toBeLessThanOrEqual(use.discs);
    if ("pointScale" in given) expect(counted.breaks).toBeGreaterThan(3);
    if (given.fNumber > 0) expect(counted.addedDiscs).toBeGreaterThan(100);
  });
});
