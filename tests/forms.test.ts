import { afterAll, describe, expect, test } from "vitest";
import type { DepthArray } from "../core/frame.ts";
import type { ParameterValues } from "../stages/core/parameters.ts";
import type { CpuFrame, Stage, Twin } from "../stages/core/stage.ts";
import { defaultsFor, knobsOf, type Overrides, withValue } from "../stages/core/tuning.ts";
import { registry, stageNamed } from "../stages/registry.ts";
import { painted } from "./bilateralGrid/frames.ts";
import {
  contextOf,
  expectTwin,
  frames,
  givenTo,
  shapeFor,
  usePlainStages,
  valuesOf,
  withoutWebAssembly,
} from "./formFrames.ts";
import { eased, firstFrame, testOnFrames, unitOf } from "./fullFrames.ts";
import { expectImage, useGpu } from "./gpu.ts";
import { QUICK, sampled } from "./mode.ts";

// Every stage has up to three forms: the twin in TypeScript, the twin in WebAssembly and the kernels. All of them agree, for every stage of
// the registry and every value of its parameters that the schema names: a new stage is tested by being registered.

const gpu = useGpu();
const plainStages = usePlainStages();
const twins: Twin[] = [];
afterAll(() => {
  for (const twin of twins) twin.destroy?.();
});

const names = [...registry.keys()];
/** A picture is small, and its size is no matter of its own: tests/dofSplat.test.ts looks at that. */
const PICTURE = { width: 120, height: 90 };

/** The parameters at their defaults, and one after the other at its other values; in the quick run all at once at one of those. */
function waysOf({ schema, role }: Stage): ParameterValues[] {
  const size = role === "picture" ? PICTURE : {};
  const keys = Object.keys(schema).filter((key) => !(key in size));
  const others = keys.flatMap((key) => sampled(valuesOf(schema[key])).map((value) => ({ ...size, [key]: value })));
  return [size, ...(QUICK ? [Object.assign({}, ...others)] : others)];
}

function made(stage: Stage, way: ParameterValues): Stage {
  stage.set(way);
  return stage;
}

/** Throws unless a fast twin leaves what the plain twin leaves: every bit, but for the tolerance that the stage's depth has. */
function expectBits(found: CpuFrame, expected: CpuFrame, { depthTolerance }: Stage, name: string): void {
  const width = expected.depth.shape[1];
  const isValid = (values: Uint16Array) => values.map((value) => Number(value !== 0));
  expectImage(found.depth.data, expected.depth.data, { width, tolerance: depthTolerance, name: `depth, ${name}` });
  expectImage(isValid(found.depth.data), isValid(expected.depth.data), { width, name: `valid pixels, ${name}` });
  for (const key of ["raw", "shown"] as const)
    expectImage(found[key]?.data ?? [], expected[key]?.data ?? [], { width, name: `${key}, ${name}` });
  expectImage(found.color?.data ?? [], expected.color?.data ?? [], { width, channels: 4, name: `colour, ${name}` });
  const points = ({ points }: CpuFrame) => points?.words.subarray(0, 4 * points.count) ?? [];
  expectImage(points(found), points(expected), { width, channels: 4, name: `points, ${name}` });
  const [drawn, plain] = [found.picture, expected.picture];
  expectImage(drawn?.rgba ?? [], plain?.rgba ?? [], { width: PICTURE.width, channels: 4, name: `picture, ${name}` });
  expectImage(drawn?.depth ?? [], plain?.depth ?? [], { width: PICTURE.width, name: `distances, ${name}` });
  expect(found.pose, `pose, ${name}`).toEqual(expected.pose);
}

/** Whether the stage takes frames of this size: it refuses those of which it would leave no pixel. */
function leavesPixels(name: string, way: ParameterValues, width: number, height: number): boolean {
  const stage = made(stageNamed(name), way);
  try {
    stage.leaves(
      shapeFor(
        stage,
        painted(width, height, () => 1),
      ),
    );
    return true;
  } catch (error) {
    expect(String(error)).toMatch(/leaves no pixel of/);
    return false;
  }
}

/** Runs both twins over frames, which they have to leave as they are. Gives the fast one, for the next one to take over its memory. */
function compareTwins(name: string, way: ParameterValues, given: readonly DepthArray[], unit?: number, before?: Twin) {
  const stage = made(stageNamed(name), way);
  const shape = shapeFor(stage, given[0], unit);
  const fast = stage.twin(shape, before);
  const plain = withoutWebAssembly(() => made(plainStages.stageNamed(name), way).twin(shape));
  twins.push(fast);
  for (const [i, depth] of given.entries()) {
    const [found, expected] = [givenTo(stage, depth, shape, i), givenTo(stage, depth, shape, i)];
    const [untouched, context] = [depth.data.slice(), contextOf(i)];
    fast.run(found, context);
    plain.run(expected, context);
    expectBits(found, expected, stage, `frame ${i}, ${JSON.stringify(way)}`);
    expect(depth.data, "the frame that was given").toEqual(untouched);
  }
  return fast;
}

describe.each(names)("%s's twin in WebAssembly equals the plain twin", (name) => {
  const ways = waysOf(stageNamed(name));

  const sizes = [
    [1, 1],
    [9, 3],
    [67, 41],
  ] as const;
  const fitting = sizes.map(([w, h]) => [w, h, ways.filter((way) => leavesPixels(name, way, w, h))] as const);
  test.each(fitting.filter(([, , fits]) => fits.length > 0))(
    "at %i × %i, in the memory of a twin with other parameters",
    (width, height, fits) => {
      let before: Twin | undefined;
      for (const way of fits) {
        // With the defaults all frames are run; with other values the first room and the frame with all depths.
        const given = frames(width, height).filter((_, k) => way === ways[0] || k === 0 || k === 2);
        before = compareTwins(name, way, given, 0.001, before);
      }
    },
  );

  test("for all 65,536 depths", () => {
    compareTwins(name, ways[0], [painted(256, 256, (x, y) => y * 256 + x)], 0.0002);
  });
});

async function compareKernels(
  name: string,
  way: ParameterValues,
  given: readonly DepthArray[],
  {
    unit,
    overrides,
    colours = [true, false],
  }: { unit?: number; overrides?: Overrides; colours?: readonly boolean[] } = {},
): Promise<void> {
  const stage = made(stageNamed(name), way);
  const shape = shapeFor(stage, given[0], unit);
  for (const isColoured of colours) {
    const frames = given.map((one) => givenTo(stage, one, shape, isColoured ? 0 : 1));
    await expectTwin(gpu.device, stage, shape, frames, JSON.stringify({ way, overrides }), overrides);
  }
}

/** The third of the frames has any depth beside any other: in a picture, such points swap where two distances are nearly equal. */
const roomsFor = ({ role }: Stage, width: number, height: number) =>
  frames(width, height).filter((_, i) => role !== "picture" || i !== 2);

describe.each(names)("%s's kernels give what the twin gives", (name) => {
  const stage = stageNamed(name);
  const ways = waysOf(stage);

  // The quick run leaves out 8 × 8: full frames, too, have sides of many workgroups.
  const sizes: [number, number, boolean[]][] = [
    [33, 17, [true, false]],
    [257, 9, [true]],
    [8, 8, [true]],
  ];
  test.each(sampled(sizes, 2))("at %i × %i, with colours: %j", (width, height, colours) =>
    compareKernels(name, ways[0], roomsFor(stage, width, height), { colours }),
  );

  testOnFrames(
    "on a full frame of %s",
    (frame) => compareKernels(name, ways[0], [eased(firstFrame(frame))], { unit: unitOf(frame), colours: [true] }),
    1,
  );

  const { tuning } = stage;
  // The size of a test above, for which the other kernels of a stage are compiled already.
  const given = frames(33, 17).slice(0, 2);

  test("with every parameter at its ends", { timeout: 300_000 }, async () => {
    for (const way of ways.slice(1)) await compareKernels(name, way, given, { colours: [true] });
  });

  // For a picture see tests/dofSplat/variants.test.ts.
  if (!tuning || stage.role === "picture") return;
  test("with every value that the tuner may choose", async () => {
    // The image is so large that its work takes more than one workgroup, whatever the value.
    const large = frames(323, 67).slice(0, 2);
    const changed = (base: Overrides) =>
      knobsOf(tuning).flatMap(({ kernel, name, knob }) =>
        sampled(knob.values).map((value) => withValue(base, kernel, name, value)),
      );
    const defaults = defaultsFor(tuning, gpu.device);
    const fits = (overrides: Overrides) => tuning.fits?.(overrides, gpu.device.limits) !== false;
    // Some values fit only beside another knob's value that is not its default.
    const bases = [defaults, ...changed(defaults).filter(fits)];
    const tuned = changed(defaults).map((_, i) => bases.map((base) => changed(base)[i]).find(fits));
    for (const overrides of tuned.filter((one) => one !== undefined))
      for (const way of tuning.workloads ?? [{}])
        await compareKernels(name, way, large, { overrides, colours: [false] });
  });
});
