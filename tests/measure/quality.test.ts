import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { firstValueFrom } from "rxjs";
import { describe, expect, test } from "vitest";
import { type DepthFrame, image } from "../../core/frame.ts";
import { Checker } from "../../measure/check.ts";
import type { Checked } from "../../measure/checked.ts";
import { figuresOf, spellFigure } from "../../measure/figures.ts";
import type { Model } from "../../measure/models.ts";
import { temporalNoise, toolMetrics } from "../../measure/quality.ts";
import { type SensorName, syntheticRoom } from "../../sources/synthetic/index.ts";
import { QUICK, slowTest } from "../mode.ts";
import { FULL as CAMERA, cameraAt, floor, framesOf as framesIn } from "./world.ts";

/** What is usual of a camera holds at its full size. */
const framesOf = (...[things, camera, options]: Parameters<typeof framesIn>) =>
  framesIn(things, camera, { ...options, lens: CAMERA });
const RECT = { x: 20, y: 15, width: 61, height: 40 };
const KNOWN = { baselineMm: 50, truthMm: 1400 };
/** A part of the picture, since the metrics read no more. */
const PART = { ...CAMERA, cx: CAMERA.cx - 180, cy: CAMERA.cy - 135, width: 100, height: 70 };
const over = cameraAt([0, 0, 0], 1.4, 0.3, 0.1);
const frames = framesIn([floor], over, { sensor: "realsense", count: 41, seed: 2, lens: PART });
for (const { depth } of frames) {
  // Pixels that never have a depth, and some that seldom have.
  depth.data.forEach((_, i, data) => {
    if (i % 7 === 0 || (i % 11 === 0 && (i + data[i]) % 3 > 0)) data[i] = 0;
  });
}

/** The definitions once more, in numpy: the plane by least squares along z, which it faces most. */
const TWIN = `
import json, sys, numpy as np
q = json.load(sys.stdin); k = q["k"]; a = np.array(q["frames"], float).reshape(-1, q["h"], q["w"])
v, u = np.mgrid[q["y"]:q["y"] + q["h"], q["x"]:q["x"] + q["w"]]
z = a[-1] * .001; ok = z > 0; P = np.stack([(u - k["cx"]) / k["fx"] * z, (v - k["cy"]) / k["fy"] * z, z], -1)[ok]
s = np.linalg.lstsq(np.c_[P[:, :2], np.ones(len(P))], P[:, 2], rcond=None)[0]
n = np.array([-s[0], -s[1], 1]); n /= np.linalg.norm(n); d = -n @ P.mean(0)
P = P[np.argsort(P[:, 2], kind="stable")]; c = len(P) // 200; P = P[c:len(P) - c]; e = P @ n + d
bf = q["baseline"] * k["fx"] / 1000; slip = bf / np.linalg.norm(P, axis=1) - bf / np.linalg.norm(P - e[:, None] * n, axis=1)
err = np.sort(-d / n[2] * 1000 - q["truth"] + e * 1000); r = lambda x: float(np.sqrt(np.mean(x ** 2)))
m = np.where(a[-39:] > 0, a[-39:], np.nan); seen = np.isfinite(m).sum(0)
with np.errstate(all="ignore"):
    import warnings; warnings.simplefilter("ignore")
    t = np.nanstd(m, 0) / np.nanmedian(m, 0) * 100
print(json.dumps([100 * ok.mean(), r(e) * 1000, 100 * r(e) / abs(d), r(slip), 100 * err[len(err) // 2] / q["truth"],
  float(np.median(np.nan_to_num(t))), float(np.median(t[seen * 2 >= 39]))]))`;

const PYTHON = "/usr/bin/python3";
const hasNumpy = (() => {
  try {
    return existsSync(PYTHON) && execFileSync(PYTHON, ["-c", "import numpy"]).length === 0;
  } catch {
    return false;
  }
})();

test.skipIf(!hasNumpy)("the tool's metrics are those that numpy computes by the same definitions", () => {
  const last = frames[frames.length - 1] as (typeof frames)[0];
  const cut = frames.flatMap(({ depth: { data } }) =>
    Array.from({ length: RECT.width * RECT.height }, (_, k) => {
      const [x, y] = [RECT.x + (k % RECT.width), RECT.y + Math.floor(k / RECT.width)];
      return data[y * PART.width + x];
    }),
  );
  const { x, y, width: w, height: h } = RECT;
  const input = JSON.stringify({
    k: PART,
    x,
    y,
    w,
    h,
    frames: cut,
    baseline: KNOWN.baselineMm,
    truth: KNOWN.truthMm,
  });
  const twin = JSON.parse(execFileSync(PYTHON, ["-c", TWIN], { input, encoding: "utf8" })) as number[];
  const { fillRate, planeFitRmsMm, planeFitRmsPercent, subpixelRmsPx, zAccuracyPercent } = toolMetrics(
    last,
    RECT,
    KNOWN,
  );
  const { toolPercent, validPercent } = temporalNoise(frames, RECT);
  const ours = [
    fillRate,
    planeFitRmsMm,
    planeFitRmsPercent,
    subpixelRmsPx,
    zAccuracyPercent,
    toolPercent,
    validPercent,
  ];
  for (const [k, value] of ours.entries())
    expect(Math.abs((value ?? 9e9) / (twin[k] ?? 1) - 1), `metric ${k}`).toBeLessThan(1e-4);
  expect(toolPercent).toBeLessThan(validPercent ?? 0);
});

test("a region without depth has a fill rate of 0 and no more", () => {
  const [frame] = framesIn([], over, { lens: PART });
  expect(toolMetrics(frame as (typeof frames)[0], RECT, KNOWN)).toMatchObject({
    fillRate: 0,
    planeFitRmsMm: null,
    zAccuracyPercent: null,
  });
});

test("a region of one column has no plane: its pixels lie in one through the camera", () => {
  const column = toolMetrics(frames[0] as DepthFrame, { ...RECT, x: 21, width: 1 }, KNOWN);
  expect(column).toMatchObject({ planeFitRmsMm: null, planeFitRmsPercent: null, zAccuracyPercent: null });
});

describe("the check of a camera before a wall", () => {
  const camera = cameraAt([0, 0, 0], 1.3, 0.1, 0);
  /** Each camera's frames, made when the first test asks for them; in the quick run only as many as drift needs. */
  const made = new Map<SensorName, DepthFrame[]>();
  const seenBy = (sensor: SensorName) => {
    const frames = made.get(sensor) ?? framesOf([floor], camera, { sensor, count: QUICK ? 8 : 12, seed: 3 });
    made.set(sensor, frames);
    return frames;
  };
  const wall = () => seenBy("realsense");
  const noisy = () => seenBy("small-tof");
  const flight = () => seenBy("azure-kinect");
  const each = (change: (frame: DepthFrame, index: number) => Partial<DepthFrame>) => () =>
    wall().map((frame, k) => ({ ...frame, ...change(frame, k) }));
  const scaled = ({ depth }: DepthFrame, by: (i: number) => number) => ({
    depth: image(
      depth.data.map((z, i) => z * by(i)),
      [480, 640],
    ),
  });
  const away = (i: number) => ((i % 640) - 319.5) ** 2 + (Math.floor(i / 640) - 239.5) ** 2;
  /** The means of 5 × 5 pixels. */
  const blurred = (frame: DepthFrame): DepthFrame => {
    const { data } = frame.depth;
    const mean = (i: number, step: number, of: Uint16Array | Float64Array) => {
      let sum = 0;
      for (let at = i - 2 * step; at <= i + 2 * step; at += step) sum += of[at] ?? 0;
      return sum / 5;
    };
    const rows = Float64Array.from(data, (_, i) => mean(i, 1, data));
    return {
      ...frame,
      depth: image(
        Uint16Array.from(rows, (_, i) => Math.round(mean(i, 640, rows))),
        [480, 640],
      ),
    };
  };

  const noted =
    (...metadata: [name: string, value: string][]) =>
    () =>
      each(() => ({ metadata }))().slice(0, 3);

  const faults: [string, () => readonly DepthFrame[], string[], Model?][] = [
    ["of a healthy camera", wall, []],
    ["whose lens is covered", each((frame) => scaled(frame, (i) => (i % 97 === 0 ? 1 : 0))), ["blind"]],
    ["that loses frames", each((_, k) => ({ timestamp: (k + (k > 4 ? 2 : 0)) * 33 })), ["dropped"]],
    ["that warms up", each((frame, k) => ({ ...scaled(frame, () => 1 + 0.001 * k), timestamp: 1000 * k })), ["drift"]],
    ["with the intrinsics of another lens", each((frame) => scaled(frame, (i) => 1 + away(i) / 4e6)), ["lens"]],
    ["that lost a part of the wall", each((frame) => scaled(frame, (i) => (i % 5 === 0 ? 0 : 1))), ["laser"]],
    ["with much noise", noisy, ["laser"]],
    [
      "with much noise",
      () => noisy().map((frame) => ({ ...frame, ...scaled(frame, (i) => (i % 5 ? 1 : 0)) })),
      ["blur"],
    ],
    ["with something on its rim", each((frame) => scaled(frame, (i) => (i % 640 > 540 && i % 5 < 3 ? 0 : 1))), ["rim"]],
    ["that someone drops frames of on the way", () => wall().filter((_, k) => k % 3 !== 1), []],
    ["that notes a weak laser, which its depth does not show", noted(["Frame Laser Power", "15"]), ["laser"]],
    [
      "whose driver notes that the laser is off and its gain at the end, in the words of a ROS wrapper",
      noted(["frame_laser_power_mode", "0"], ["gain_level", "248"]),
      ["laser", "light"],
    ],
    ["that notes its usual laser", noted(["Frame Laser Power", "150"]), []],
    ["that notes no number for its laser", noted(["Frame Laser Power", ""]), []],
    [
      "with a bump in its middle",
      each((frame) => scaled(frame, (i) => 1 + 0.012 * Math.exp(-away(i) / 7200))),
      ["bump"],
    ],
    [
      "with stuck pixels and a dead column",
      each((frame) =>
        scaled(frame, (i) => (i % 640 === 300 ? 0 : i % 9001 === 0 ? 700 / (frame.depth.data[i] || 1) : 1)),
      ),
      ["pixels"],
    ],
    [
      "beside a lamp that flickers",
      () =>
        flight().map((frame, k) => ({
          ...frame,
          ...scaled(frame, (i) => 1 + 0.004 * Math.sin((i % 640) / 9 + 1.7 * k)),
        })),
      ["stripes"],
      "azure-kinect",
    ],
    ["that gives half of its rate", each((_, k) => ({ timestamp: (k < 7 ? k : 2 * k - 6) * 33 })), ["dropped"]],
    ["out of focus", () => flight().map(blurred), ["blur"], "azure-kinect"],
    ["in focus", flight, [], "azure-kinect"],
    [
      "that warms up, in a recording without times",
      each((frame, k) => ({ ...scaled(frame, () => 1 + 0.001 * k), assumed: ["rate"] })),
      ["drift"],
    ],
  ];
  // The quick run takes every third.
  test.each(faults.filter((_, k) => !QUICK || k % 3 === 0))(
    "names the faults %s",
    (_, framesOf, names, model = "d435") => {
      const checker = new Checker({ model, baselineMm: 50 });
      for (const frame of framesOf()) checker.add(frame);
      const found = checker.result();
      expect(found?.faults.map(({ name }) => name)).toEqual(names);
      if (names[0] !== "blind") expect(found?.wall?.distanceMm).toBeGreaterThan(1200);
    },
  );
});

test.each<[SensorName, number, number]>([
  ["azure-kinect", 0, 0],
  ["azure-kinect", 3, 0],
  ["realsense", -3, 4],
  ["kinect", 0, -3],
])(
  "colour of a %s that lies %d px to the right of depth and %d px below it is told by its outlines",
  async (sensor, right, below) => {
    const frame = await firstValueFrom(
      syntheticRoom({ width: 320, height: 240, frames: 1, sensor, view: "desk" }).frames$,
    );
    const { color } = frame;
    if (!color) throw new Error("the frame has no colour");
    const from = new Uint32Array(color.data.slice().buffer);
    const shifted = from.map((_, i) => from[Math.min(from.length - 1, Math.max(0, i - right - 320 * below))]);
    const checker = new Checker();
    checker.add({ ...frame, color: image(new Uint8Array(shifted.buffer), [240, 320, 4]) });
    const { colour, faults } = checker.result() ?? {};
    for (const [axis, truth] of [
      ["x", right],
      ["y", below],
    ] as const)
      expect(Math.abs((colour?.[axis].value ?? 9) - truth)).toBeLessThan(0.7);
    expect(faults?.filter(({ name }) => name === "colour")).toHaveLength(right === 0 && below === 0 ? 0 : 1);
  },
);

slowTest(
  "a tape shows a wrong scale; without a wall, or while the camera moves, a check says what it cannot tell",
  () => {
    const from = (distance: number, sideways = 0) =>
      framesOf([floor], cameraAt([sideways, 0, 0], distance, 0.1, 0), { sensor: "azure-kinect", count: 3 });
    const checked = (frames: readonly DepthFrame[], truthMm?: number) => {
      const checker = new Checker({ truthMm });
      for (const [index, frame] of frames.entries()) checker.add({ ...frame, index, timestamp: 33 * index });
      return checker.result();
    };
    const [right, wrong] = [1200, 1185].map((truthMm) => checked(from(1.2), truthMm));
    expect(right?.faults).toEqual([]);
    expect(wrong?.faults).toEqual([
      expect.objectContaining({ name: "scale", says: expect.stringMatching(/1\.\d % too far/) }),
    ]);
    expect(right?.unknown.join()).toMatch(/39 frames, and there are 3/);
    const moves = checked([1.2, 1.3, 1.1, 1.25].flatMap((distance) => from(distance).slice(0, 1)));
    if (!moves || !right) throw new Error("nothing was checked");
    const fitOf = (one: Checked) =>
      figuresOf(one)
        .map(spellFigure)
        .filter(([name]) => /rms|accuracy/.test(name));
    expect(fitOf(moves).map(([, value]) => value)).toEqual(
      Array(4).fill("cannot tell: point the camera at a flat wall"),
    );
    expect(fitOf(right)[0][1]).toMatch(/^\d.* mm$/);
    const grainOf = (one = right) =>
      figuresOf(one)
        .map(spellFigure)
        .find(([name]) => name === "grain")?.[1];
    expect(grainOf(checked(from(1.2).slice(0, 1)))).toBe("cannot tell: needs 3 frames");
    expect(grainOf(moves)).toBe("cannot tell: something moves, or too few pixels have a depth");
    expect(moves).toMatchObject({
      moves: true,
      faults: [],
      wall: null,
      unknown: [expect.stringMatching(/moves: hold it still/)],
    });
  },
);

test("colour beside depth cannot be told of a bare wall, and is not spoken of without colour", () => {
  const [frame] = framesOf([floor], cameraAt([0, 0, 0], 1.4, 0.3, 0.1), { count: 1 });
  const color = image(new Uint8Array(4 * CAMERA.width * CAMERA.height).fill(99), [CAMERA.height, CAMERA.width, 4]);
  const told = [frame, { ...frame, color }].map((one) => {
    const checker = new Checker();
    checker.add(one as DepthFrame);
    return checker.result()?.colour;
  });
  expect(told).toEqual([null, expect.objectContaining({ x: expect.objectContaining({ value: null }) })]);
});
