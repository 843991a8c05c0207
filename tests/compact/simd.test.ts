import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { type CompactParameters, compactTwin } from "../../stages/compact/cpu.ts";
import { compactSimd } from "../../stages/compact/simd.ts";
import { AGAIN } from "../../stages/core/frameContext.ts";
import type { CpuFrame, Twin } from "../../stages/core/stage.ts";
import { expectImage } from "../compare.ts";
import { firstFrame, testOnFrames } from "../fullFrames.ts";
import { cook, image, recipes } from "../recipes.ts";
import { camera, cloudOf, indexed } from "./cloud.ts";

// compact in WebAssembly gives the twin's points, bit for bit.

const SEED = 20261121;
const DEFAULTS: CompactParameters = { nearM: 0.5, farM: 5 };

/** Words of the points that a twin leaves. */
function words(twin: Twin | undefined, frame: CpuFrame): Uint32Array {
  if (!twin) throw new Error("no vectors in this engine");
  twin.run(frame, AGAIN);
  if (!frame.points) throw new Error("no points");
  return cloudOf(frame.points.words, frame.points.count).words;
}

function expectSame(got: Uint32Array, expected: Uint32Array, name: string): void {
  expectImage(got, expected, { width: expected.length / 4, channels: 4, name });
}

const ranges: fc.Arbitrary<CompactParameters> = fc.constantFrom(
  DEFAULTS,
  { nearM: 0, farM: 100 },
  { nearM: 2, farM: 1 },
  { nearM: 0, farM: 0 },
  { nearM: 100, farM: 100 },
  { nearM: 1.234, farM: 13.1 },
);

test("compact in WebAssembly equals the twin on any frame, with colour and without, frame after frame", () => {
  fc.assert(
    fc.property(
      recipes,
      recipes,
      fc.constantFrom(0.001, 0.0002, 0.000125, 0.1),
      ranges,
      (one, other, metresPerUnit, parameters) => {
        const { width, height } = one;
        const shape = camera([height, width], metresPerUnit);
        const fast = compactSimd(shape, parameters);
        for (const recipe of [other, one]) {
          const depth = cook({ ...recipe, width, height });
          const some = indexed([height, width]);
          // Pixels that the colour camera did not see have alpha 0.
          for (let i = 3; i < some.data.length; i += 12) some.data[i] = 0;
          for (const color of [indexed([height, width]), some, undefined]) {
            const frame = () => ({ depth, color, points: undefined, picture: undefined });
            expectSame(words(fast, frame()), words(compactTwin(shape, parameters), frame()), JSON.stringify(recipe));
          }
        }
      },
    ),
    { seed: SEED, numRuns: 300 },
  );
});

test("compact in WebAssembly gives the twin's grey for every depth, in any range", () => {
  const depth = cook({ width: 256, height: 256, levels: 1, holeShare: 0, seed: 1 });
  depth.data.forEach((_, i) => {
    depth.data[i] = i;
  });
  const span = fc.double({ min: 0, max: 66, noNaN: true });
  fc.assert(
    fc.property(span, span, (nearM, farM) => {
      const shape = camera([256, 256]);
      const frame = () => ({ depth, color: undefined, points: undefined, picture: undefined });
      const [got, expected] = [compactSimd, compactTwin].map((make) => words(make(shape, { nearM, farM }), frame()));
      expectSame(got, expected, `from ${nearM} to ${farM} m`);
    }),
    { seed: SEED, numRuns: 100 },
  );
});

testOnFrames("compact in WebAssembly equals the twin on a full frame of %s", (name) => {
  const depth = firstFrame(name);
  const shape = camera(depth.shape);
  const frame = () => ({ depth, color: undefined, points: undefined, picture: undefined });
  expectSame(words(compactSimd(shape, DEFAULTS), frame()), words(compactTwin(shape, DEFAULTS), frame()), name);
});

test("compact works where a page's policy forbids WebAssembly", async () => {
  vi.resetModules();
  vi.stubGlobal("WebAssembly", undefined);
  try {
    const { compact } = await import("../../stages/compact/index.ts");
    const frame: CpuFrame = { depth: image([0, 4, 0, 2], 2), color: undefined, points: undefined, picture: undefined };
    compact()
      .twin(camera([2, 2]))
      .run(frame, AGAIN);
    expect(frame.points?.count).toBe(2);
  } finally {
    vi.unstubAllGlobals();
    // Modules remember that vectors are missing; other test files of this process must not get these modules.
    vi.resetModules();
  }
});

test("compact has no form in WebAssembly for images beyond its memory", () => {
  expect(compactSimd(camera([65535, 65535]), DEFAULTS)).toBeUndefined();
});
