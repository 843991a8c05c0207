import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { image as array, type ColorArray, type DepthArray, type FrameShape } from "../../sources/core/frame.ts";
import { AGAIN } from "../../stages/core/frameContext.ts";
import type { CpuFrame, Twin } from "../../stages/core/stage.ts";
import { type PaintParameters, paintTwin } from "../../stages/paint/cpu.ts";
import { MODES } from "../../stages/paint/index.ts";
import { paintSimd } from "../../stages/paint/simd.ts";
import { camera } from "../compact/cloud.ts";
import { expectImage } from "../compare.ts";
import { firstFrame, testOnFrames } from "../fullFrames.ts";
import { cook, image, recipes } from "../recipes.ts";

// paint in WebAssembly gives the twin's colours, bit for bit.

const SEED = 20261122;
const DEFAULTS: PaintParameters = { by: "clay", nearM: 0.5, farM: 5, rangeMm: 10, reachPx: 2 };

function simd(shape: FrameShape, live: PaintParameters): Twin {
  const twin = paintSimd(shape, live);
  if (!twin) throw new Error("no vectors in this engine");
  return twin;
}

/** The bytes of the colours that a twin gives. */
function bytes(twin: Twin, depth: DepthArray, color?: ColorArray): Uint8Array {
  const frame: CpuFrame = { depth, color, points: undefined, picture: undefined };
  twin.run(frame, AGAIN);
  if (!frame.color) throw new Error("no colour");
  return frame.color.data;
}

function expectTwins(depth: DepthArray, shape: FrameShape, parameters: PaintParameters, name: string): void {
  const live = { ...parameters };
  const twins = [simd(shape, live), paintTwin(shape, live)];
  for (const by of MODES) {
    Object.assign(live, { by });
    for (const color of [photograph(depth), undefined]) {
      const [got, expected] = twins.map((twin) => bytes(twin, depth, color));
      expectImage(got, expected, {
        width: depth.shape[1],
        channels: 4,
        name: `${by}, ${color ? "" : "no "}colour, ${name}`,
      });
    }
  }
}

/** A colour image in which every seventh pixel has no colour. */
function photograph({ shape: [height, width] }: DepthArray): ColorArray {
  const words = Uint32Array.from({ length: width * height }, (_, i) =>
    i % 7 === 3 ? 0 : Math.imul(i, 2654435761) | 0xff000000,
  );
  return array(new Uint8Array(words.buffer), [height, width, 4]);
}

const parameters: fc.Arbitrary<PaintParameters> = fc.record({
  by: fc.constant("clay"),
  nearM: fc.constantFrom(0.5, 0.01, 3),
  farM: fc.constantFrom(5, 1, 1000),
  rangeMm: fc.constantFrom(10, 0.1, 1000),
  reachPx: fc.integer({ min: 1, max: 16 }),
});

test("paint in WebAssembly equals the twin on any frame, at any reach, frame after frame", () => {
  fc.assert(
    fc.property(recipes, recipes, fc.constantFrom(0.001, 0.0002), parameters, (one, other, unit, chosen) => {
      const { width, height } = one;
      const shape = camera([height, width], unit);
      const live = { ...chosen };
      const [fast, slow] = [simd(shape, live), paintTwin(shape, live)];
      for (const [i, recipe] of [other, one].entries()) {
        const depth = cook({ ...recipe, width, height });
        for (const by of MODES) {
          Object.assign(live, { by, nearM: chosen.nearM + i / 4 });
          expectImage(bytes(fast, depth), bytes(slow, depth), {
            width,
            channels: 4,
            name: JSON.stringify([recipe, live]),
          });
        }
      }
    }),
    { seed: SEED, numRuns: 40 },
  );
});

test("paint in WebAssembly equals the twin for slopes in all directions and several focal lengths", () => {
  const slopes = fc.record({
    x: fc.double({ min: -0.05, max: 0.05, noNaN: true }),
    y: fc.double({ min: -0.05, max: 0.05, noNaN: true }),
  });
  fc.assert(
    fc.property(
      slopes,
      fc.integer({ min: 20, max: 60000 }),
      fc.constantFrom(40, 500, -500),
      parameters,
      (slope, z, fx, chosen) => {
        const [width, height] = [67, 41];
        const values = Uint16Array.from(
          { length: width * height },
          (_, i) => z * (1 + slope.x * (i % width) + slope.y * Math.floor(i / width)),
        );
        const intrinsics = { ...camera([height, width]).intrinsics, fx };
        expectTwins(
          image(values, width),
          { metresPerUnit: 0.001, intrinsics },
          chosen,
          JSON.stringify([slope, z, fx, chosen]),
        );
      },
    ),
    { seed: SEED, numRuns: 40 },
  );
});

testOnFrames("paint in WebAssembly equals the twin on a full frame of %s", (name) => {
  const depth = firstFrame(name);
  expectTwins(depth, camera(depth.shape), DEFAULTS, name);
});

test("paint works where a page's policy forbids WebAssembly", async () => {
  vi.resetModules();
  vi.stubGlobal("WebAssembly", undefined);
  try {
    const { paint } = await import("../../stages/paint/index.ts");
    expect([...bytes(paint({ by: "normal" }).twin(camera([1, 2])), image([0, 4], 2))]).toEqual([
      0, 0, 0, 0, 128, 128, 255, 255,
    ]);
  } finally {
    vi.unstubAllGlobals();
    // Modules remember that vectors are missing; other test files of this process must not get these modules.
    vi.resetModules();
  }
});

test("paint has no form in WebAssembly for images beyond its memory", () => {
  expect(paintSimd(camera([65535, 65535]), DEFAULTS)).toBeUndefined();
});
