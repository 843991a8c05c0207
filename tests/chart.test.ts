import { concatMap, from, lastValueFrom } from "rxjs";
import { describe, expect, test } from "vitest";
import { type DepthFrame, image } from "../core/frame.ts";
import { createPipeline } from "../pipeline/index.ts";
import { defaultStages } from "../stages/index.ts";
import { normal } from "./random.ts";

// What the default chain keeps of small shapes before a camera with 2.5 mm of white noise, whose truth is drawn: discs and holes a few
// pixels wide, a low step and a corner. Shares are of a shape's pixels or of its height.

const WIDTH = 320;
const HEIGHT = 240;
const FRAMES = 8;
const FOCAL = 300;
const NEAR_MM = 1200;
const FAR_MM = 1500;
const NOISE_MM = 2.5;
const UNITS_PER_MM = 5;

const TINY = [
  { kind: "disc", px: 3.2, y: 20 },
  { kind: "disc", px: 4, y: 40 },
  { kind: "disc", px: 5, y: 60 },
  { kind: "hole", px: 4, y: 85 },
  { kind: "hole", px: 6, y: 105 },
  { kind: "hole", px: 8, y: 125 },
] as const;
const STEP = { mm: 5, fromY: 145, toY: 190, x: 160 };
const CORNER = { fromY: 190, toY: 240, x: 160 };

/** Centres lie at many places between pixels: a disc that is centred on a pixel is easier than others. */
const centres = Array.from({ length: 15 }, (_, k) => 20 + 20 * k + ((k * 0.37) % 1));

function truthAt(x: number, y: number): number {
  for (const { kind, px, y: row } of TINY) {
    if (Math.abs(y - row) > 10) continue;
    const inside = centres.some((cx, k) => (x - cx) ** 2 + (y - row - ((k * 0.61) % 1)) ** 2 < (px / 2) ** 2);
    return inside === (kind === "disc") ? NEAR_MM : FAR_MM;
  }
  if (y >= STEP.fromY && y < STEP.toY) {
    return FAR_MM + STEP.mm * Math.max(0, Math.min(1, (x - STEP.x + 3) / 6));
  }
  // Two walls at 45 degrees to the camera's axis meet in a line that is nearest.
  if (y >= CORNER.fromY) return FAR_MM / (1 - Math.abs(x - CORNER.x) / FOCAL);
  return FAR_MM;
}

const truth = Float64Array.from({ length: WIDTH * HEIGHT }, (_, i) => truthAt(i % WIDTH, Math.floor(i / WIDTH)));

async function filtered(): Promise<Float64Array> {
  const noise = normal(7);
  const shape = {
    metresPerUnit: 1 / (1000 * UNITS_PER_MM),
    intrinsics: { fx: FOCAL, fy: FOCAL, cx: WIDTH / 2, cy: HEIGHT / 2, width: WIDTH, height: HEIGHT },
  };
  const frames = Array.from({ length: FRAMES }, (_, index): DepthFrame => {
    const data = Uint16Array.from(truth, (mm) => Math.round((mm + NOISE_MM * noise()) * UNITS_PER_MM));
    return { index, timestamp: (index * 1000) / 30, ...shape, depth: image(data, [HEIGHT, WIDTH]) };
  });
  const pipeline = await createPipeline({ stages: defaultStages(), backend: "cpu" });
  const millimetres = from(frames).pipe(
    pipeline.process("lossless"),
    concatMap(async (frame) => {
      const { data } = await frame.readDepth();
      return Float64Array.from(data, (units) => units * frame.shape.metresPerUnit * 1000);
    }),
  );
  const last = await lastValueFrom(millimetres);
  await pipeline.destroy();
  return last;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("the default chain", async () => {
  const depth = await filtered();
  /** The mean depth of a column over the rows of a shape, 10 px and more inside of it. */
  const columnOf = (x: number, { fromY, toY }: { readonly fromY: number; readonly toY: number }) =>
    mean(Array.from({ length: toY - fromY - 20 }, (_, k) => depth[(fromY + 10 + k) * WIDTH + x]));

  test.each(TINY)("keeps a $kind of $px px: neither lost nor taken by the surface around", ({ kind, px, y: row }) => {
    const own = kind === "disc" ? NEAR_MM : FAR_MM;
    const pixels = [...truth.keys()].filter((i) => Math.abs(Math.floor(i / WIDTH) - row) <= 10 && truth[i] === own);
    expect(pixels.length / centres.length).toBeGreaterThan((px - 1) ** 2 * (Math.PI / 4));
    const gone = pixels.filter((i) => Math.abs(depth[i] - own) > (FAR_MM - NEAR_MM) / 3);
    expect(gone.length / pixels.length).toBeLessThanOrEqual(0.01);
  });

  test("keeps two thirds of a step of 5 mm that is 6 px wide", () => {
    const sideAt = (distance: number) => mean([0, 1, 2].map((more) => columnOf(STEP.x + distance + more, STEP)));
    const kept = (sideAt(3) - sideAt(-5)) / STEP.mm;
    expect(kept).toBeGreaterThan(0.62);
    expect(kept).toBeLessThan(1.1);
  });

  test("rounds a right angle by less than one and a half of the 5 mm between neighbouring pixels", () => {
    const roundedMm = columnOf(CORNER.x, CORNER) - FAR_MM;
    expect(roundedMm).toBeGreaterThan(-1);
    expect(roundedMm).toBeLessThan(1.5 * (FAR_MM / FOCAL));
  });
});
