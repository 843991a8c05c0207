import { describe, expect, test } from "vitest";
import { pointAt } from "../../core/geometry.ts";
import { type ColorMap, colorTable } from "../../viewer/live/panes/image/colorMaps.ts";
import { History } from "../../viewer/live/panes/plot/history.ts";
import { NumberTable } from "../../viewer/live/panes/plot/numbers.ts";
import { across, pixelOf } from "../../viewer/live/panes/probe/projection.ts";
import { stateOf } from "../../viewer/live/panes/probe/readout.ts";
import { pixelAtDepth, sampleAt } from "../../viewer/live/panes/probe/snapshot.ts";
import { frameOf, INTRINSICS, originOf, snapshotOf } from "./snapshots.ts";

// The computations of the panes beside the 3D picture: colours, ranges, projections, histories.

describe("colours of the depth image", () => {
  /** Relative luminance of a word, Rec. 709, from 0 to 1. */
  const luminance = (word: number) => {
    const linear = (byte: number) =>
      byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4;
    return 0.2126 * linear(word & 255) + 0.7152 * linear((word >>> 8) & 255) + 0.0722 * linear((word >>> 16) & 255);
  };
  const perceptual: ColorMap[] = ["viridis", "grey"];

  test.each(perceptual)("%s gets lighter evenly from end to end", (map) => {
    const lights = Array.from(colorTable(map), (word) => 116 * Math.cbrt(Math.max(luminance(word), 0.009)) - 16);
    for (let i = 1; i < 256; i++) expect(lights[i], `at ${i}`).toBeGreaterThan((lights[i - 1] ?? 0) - 0.35);
    // Each quarter of the table gets lighter by at least 8.
    for (let i = 64; i < 256; i += 64) expect((lights[i] ?? 0) - (lights[i - 64] ?? 0)).toBeGreaterThan(8);
    expect((lights[255] ?? 0) - (lights[0] ?? 0)).toBeGreaterThan(60);
  });

  test("viridis has matplotlib's colours at its ends and in its middle", () => {
    const table = colorTable("viridis");
    const rgb = (i: number) => [table[i] & 255, (table[i] >>> 8) & 255, (table[i] >>> 16) & 255];
    for (const [i, known] of [
      [0, [68, 1, 84]],
      [128, [33, 145, 140]],
      [255, [253, 231, 37]],
    ] as const)
      for (const [channel, value] of rgb(i).entries()) expect(Math.abs(value - (known[channel] ?? 0))).toBeLessThan(8);
  });
});

describe("pixels and points", () => {
  test("pixelOf is the inverse of pointAt", () => {
    for (const pixel of [
      { u: 0, v: 0 },
      { u: 31, v: 5 },
      { u: 7.25, v: 23 },
    ]) {
      const { u, v } = pixelOf(INTRINSICS, pointAt(INTRINSICS, pixel.u, pixel.v, 2.5));
      expect(u).toBeCloseTo(pixel.u, 9);
      expect(v).toBeCloseTo(pixel.v, 9);
    }
    expect(pointAt(INTRINSICS, 35.5, 11.5, 4)).toEqual([2, 0, 4]);
  });

  test("a sample has raw and filtered depth, its point from filtered depth, and a name for a missing one", () => {
    const raw = (x: number) => (x === 3 || x === 5 ? 0 : 2000);
    const filtered = (x: number) => (x === 4 || x === 5 ? 0 : 2010);
    const snapshot = snapshotOf(raw, filtered);
    const at = (u: number) => sampleAt(snapshot, { u, v: 2 });
    expect(at(2).rawM).toBeCloseTo(2, 9);
    expect(at(2).filteredM).toBeCloseTo(2.01, 9);
    expect(at(2).point?.[2]).toBeCloseTo(2.01, 9);
    expect(at(4).point?.[2]).toBeCloseTo(2, 9);
    expect(at(5).point).toBeUndefined();
    expect([2, 3, 4, 5].map((u) => stateOf(at(u)))).toEqual([
      "valid",
      "filled in by a filter",
      "removed by a filter",
      "no depth",
    ]);
    expect(sampleAt(snapshot, { u: 40, v: 2 }).rawM).toBe(0);
  });

  test("a sample of undistorted depth is from the pixel that looks the same way as the distorted one", () => {
    const bent = { ...INTRINSICS, distortion: [-0.3, 0, 0, 0, 0] };
    const frame = { ...frameOf(() => 1500), intrinsics: bent };
    const depth = frameOf((x, y) => 1000 + 32 * y + x).depth;
    const snapshot = { origin: originOf(frame), frame, filtered: depth, shape: frameOf(() => 0) };
    // Barrel distortion pulls the edges inwards: the pixel (4, 12) looks farther out than the same pixel of an ideal lens.
    const there = across(bent, INTRINSICS, { u: 4, v: 12 });
    expect(there.u).toBeLessThan(3.8);
    const { filteredM, point } = sampleAt(snapshot, { u: 4, v: 12 });
    expect(filteredM).toBeCloseTo((1000 + 32 * Math.round(there.v) + Math.round(there.u)) / 1000, 9);
    expect(point).toEqual(pointAt(INTRINSICS, there.u, there.v, filteredM));
  });

  test("a pick beside an edge takes the nearest pixel at the depth that was picked", () => {
    const snapshot = snapshotOf((x) => (x < 10 ? 1000 : 3000));
    expect(pixelAtDepth(snapshot, { u: 9.6, v: 5 }, 1)).toEqual({ u: 9, v: 5 });
    expect(pixelAtDepth(snapshot, { u: 9.4, v: 5 }, 3)).toEqual({ u: 10, v: 5 });
    expect(pixelAtDepth(snapshot, { u: 50, v: 5 }, 3)).toBeUndefined();
  });
});

test("the history of a plot holds the last rows in order, and gives each column's mean and deviation", () => {
  const history = new History(2, 4);
  for (let i = 0; i < 6; i++) {
    history.begin();
    history.set(0, i);
    if (i % 2 === 0) history.set(1, 10 + i);
  }
  expect(history.length).toBe(4);
  expect([0, 1, 2, 3].map((row) => history.at(0, row))).toEqual([2, 3, 4, 5]);
  expect([0, 1, 2, 3].map((row) => history.at(1, row))).toEqual([12, Number.NaN, 14, Number.NaN]);
  expect(history.spread(0)).toEqual({ mean: 3.5, deviation: Math.sqrt(1.25), count: 4 });
  expect(history.spread(1)).toEqual({ mean: 13, deviation: 1, count: 2 });
  history.clear();
  expect(history.length).toBe(0);
  expect(history.spread(0).count).toBe(0);
});

describe("numbers over time", () => {
  const [depth, noise] = [
    { name: 'say "a" distance', unit: "mm" },
    { name: "noise", unit: "" },
  ];
  /** A table with the rows of frames, by index and time stamp. */
  const tableOf = (capacity: number, ...frames: (readonly [index: number, ms: number])[]) => {
    const table = new NumberTable(capacity);
    for (const [index, ms] of frames) table.begin(index, ms);
    return table;
  };

  test("a number that comes late stands in the row of its frame; one whose frame has gone is left out", () => {
    const table = tableOf(3, [0, 0], [1, 33], [2, 66], [3, 100]);
    table.put(2, depth, 1500);
    table.put(3, noise, null);
    table.put(0, depth, 1);
    expect([0, 1, 2].map((row) => table.at(depth.name, row))).toEqual([Number.NaN, 1500, Number.NaN]);
    // A recording that begins again has rows of its own.
    table.begin(2, 66);
    table.put(2, depth, 1600);
    expect([0, 1, 2].map((row) => [table.indexAt(row), table.at(depth.name, row)])).toEqual([
      [2, 1500],
      [3, Number.NaN],
      [2, 1600],
    ]);
    table.forget([depth]);
    expect(table.at(depth.name, 2)).toBeNaN();
  });

  test("the plot's time goes on after a jump, and shows ten seconds", () => {
    const table = tableOf(400, [0, 0], [1, 1000], [900, 90_000], [0, 0]);
    for (const [row, seconds] of [-1 - 2 / 30, -2 / 30, -1 / 30, 0].entries())
      expect(table.secondsAt(row)).toBeCloseTo(seconds, 9);
    const long = tableOf(400, ...Array.from({ length: 300 }, (_, i) => [i, 125 * i] as const));
    expect([long.plottedFrom, long.plottedRows.length]).toEqual([219, 81]);
  });

  test("lines run over frames that are seldom measured, and have gaps where more were left out, after jumps, and without a value", () => {
    const plottedOf = (table: NumberTable) => table.valuesOf(noise.name, table.plottedRows);
    const seldom = tableOf(40, ...Array.from({ length: 20 }, (_, i) => [i, 33 * i] as const));
    for (const index of [0, 3, 5, 8, 16, 19]) seldom.put(index, noise, index);
    const _ = undefined;
    expect(plottedOf(seldom).slice(0, 9)).toEqual([0, _, _, 3, _, 5, _, _, 8]);
    expect(plottedOf(seldom).slice(9, 17)).toEqual([...Array(7).fill(null), 16]);
    // Dropped frames, a seek, and a frame in which the number has no value.
    const each = tableOf(40, [0, 0], [1, 33], [2, 66], [6, 198], [7, 231], [90, 2970], [91, 3003]);
    for (const index of [0, 1, 2, 6, 7, 90, 91]) each.put(index, noise, index === 1 ? null : index);
    expect(plottedOf(each)).toEqual([0, null, 2, null, 6, 7, null, 90, 91]);
    expect(each.plottedRows).toEqual([0, 1, 2, -1, 3, 4, -1, 5, 6]);
    expect(each.secondsOf(each.plottedRows)).toEqual([...each.secondsOf(each.plottedRows)].sort((a, b) => a - b));
  });

  test("CSV has a row for each frame with a chosen number, and names the units", () => {
    const table = tableOf(9, [7, 1500], [8, 1533.333], [9, 1566]);
    table.put(7, depth, 1203.25);
    table.put(8, noise, 3);
    expect(table.csv([depth, noise]).split("\r\n")).toEqual([
      'frame,timestamp (s),"say ""a"" distance (mm)",noise',
      "7,1.5,1203.25,",
      "8,1.533333,,3",
      "",
    ]);
  });
});
