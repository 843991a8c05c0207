import ndarray from "ndarray";
import { of } from "rxjs";
import { describe, expect, test } from "vitest";
import type { DepthFrame } from "../../core/frame.ts";
import { createPipeline, openGpu, type Pipeline } from "../../pipeline/index.ts";
import type { Policy, ProcessOptions } from "../../pipeline/process.ts";
import { framesOf, openRecording, playOf, syntheticRoom } from "../../sources/index.ts";
import { median } from "../../stages/index.ts";
import { registry, setParameter } from "../../stages/registry.ts";
import { adder, flatFrame } from "../pipeline/fakes.ts";

// Every field of a frame and every public option, with each kind of wrong value: one named, short error that states the field,
// the allowed values and the given value. No GPU is called before the check.

const circle: Record<string, unknown> = {};
circle.self = circle;
/** Values that no field accepts. */
const NEVER: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["a bigint", 10n ** 5000n],
  ["a symbol", Symbol("x")],
  ["text", "x".repeat(1e5)],
  ["a circle", circle],
  ["__proto__", "__proto__"],
  ["a long list", Array.from({ length: 1e5 }, () => "long")],
];
const NO_NUMBER = [...NEVER, ["NaN", Number.NaN], ["-∞", -Infinity], ["true", true], ["a list", [1]]] as const;
const NO_LENGTH = [...NO_NUMBER, ["0", 0], ["-1", -1], ["1e300", 1e300], ["∞", Infinity]] as const;
const NO_COUNT = [...NO_LENGTH, ["0.5", 0.5]] as const;
const NO_PLACE = [...NO_NUMBER, ["∞", Infinity], ["1e300", 1e300]] as const;
const NO_INDEX = [...NO_PLACE, ["-1", -1], ["0.5", 0.5]] as const;
const NO_FLAG = [...NEVER, ["0", 0], ["NaN", Number.NaN]] as const;
const NO_OBJECT = [...NEVER.filter(([name]) => name !== "a circle" && name !== "a long list"), ["5", 5]] as const;
type Values = readonly (readonly [string, unknown])[];

/** Expects `work` to fail with a short error of this name that names the field. */
async function expectRefusal(name: string, field: string, work: () => unknown): Promise<void> {
  const error = await (async () => work())().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error(`${field} passed`);
  expect(error.name, error.stack).toBe(name);
  expect(error.message).toContain(field);
  expect(error.message.length).toBeLessThan(400);
}

const each = (fields: Readonly<Record<string, Values>>) =>
  Object.entries(fields).flatMap(([field, values]) => values.map(([name, value]) => ({ field, name, value })));

describe("a pipeline refuses a frame", () => {
  const lens = flatFrame(0).intrinsics;
  const fields: Record<string, Values> = {
    index: NO_INDEX,
    timestamp: NO_PLACE,
    metresPerUnit: NO_LENGTH,
    depth: [...NEVER, ["floats", ndarray(new Float32Array(15), [3, 5])], ["bare", new Uint16Array(15)]],
    color: [...NEVER, ["words", ndarray(new Uint32Array(15), [3, 5])]],
    intrinsics: NO_OBJECT,
    "intrinsics.width": NO_COUNT,
    "intrinsics.height": NO_COUNT,
    "intrinsics.fx": NO_LENGTH,
    "intrinsics.fy": NO_LENGTH,
    "intrinsics.cx": NO_PLACE,
    "intrinsics.cy": NO_PLACE,
    "intrinsics.distortion": [...NEVER, ["NaN", [Number.NaN]]],
    jump: NO_FLAG,
    waitUntil: NO_FLAG,
    fault: NO_FLAG,
  };
  const spoilt = (field: string, value: unknown) => {
    const [name = "", inner] = field.split(".");
    return { ...flatFrame(0), [name]: inner ? { ...lens, [inner]: value } : value } as DepthFrame;
  };

  let asked = 0;
  /** A pipeline on a fake device that only counts the calls of its members. */
  const counting = async () => {
    const lost = new Promise<never>(() => {});
    const device = new Proxy({ lost }, { get: (own, key) => (key in own ? own.lost : asked++) });
    const gpu = { device: device as unknown as GPUDevice, vendor: "", description: "", software: true };
    const whole = { ...gpu, timestamps: false, clockResolutionUs: 1, destroy: async () => {} };
    return createPipeline({ stages: [median()], gpu: whole, tuned: false });
  };

  test.each(each(fields))("whose $field is $name", async ({ field, value }) => {
    const pipeline = await counting();
    asked = 0;
    const frame = spoilt(field, value);
    await expectRefusal("FrameError", field, () => pipeline.run(frame));
    await expectRefusal("FrameError", field, () => passed(pipeline, frame));
    expect(asked).toBe(0);
  });

  test.each([
    ["no pixels", { width: 0, height: 0 }, [0, 0], "intrinsics.width"],
    ["another size than its intrinsics state", { width: 5, height: 4 }, [3, 5], "depth"],
  ])("with %s", async (_, size, shape, field) => {
    const depth = ndarray(new Uint16Array((shape[0] ?? 0) * (shape[1] ?? 0)), shape);
    const pipeline = await counting();
    const frame = { ...flatFrame(0), depth, intrinsics: { ...lens, ...size } };
    await expectRefusal("FrameError", field, () => pipeline.run(frame));
  });

  test("that is no object", async () => {
    const pipeline = await counting();
    for (const [, value] of NO_OBJECT) {
      await expectRefusal("FrameError", "frame", () => passed(pipeline, value as DepthFrame));
    }
  });
});

/** The outcome of a stream of one frame. */
const passed = (pipeline: Pipeline, frame: DepthFrame) =>
  new Promise((resolve, reject) => {
    of(frame).pipe(pipeline.process("lossless")).subscribe({ next: resolve, error: reject });
  });

/** The functions that are called with their options as they are. */
const WHOLE = ["openRecording", "framesOf", "playOf", "syntheticRoom"];

describe("wrong arguments:", () => {
  const stages = [adder("one")()];
  const room = syntheticRoom({ width: 8, height: 6, frames: 2 });
  const functions: readonly {
    readonly of: string;
    readonly call: (options: never) => unknown;
    readonly fields: Readonly<Record<string, Values>>;
  }[] = [
    {
      of: "createPipeline",
      call: (options: object) => createPipeline({ stages, backend: "cpu", ...options }),
      fields: {
        stages: [...NEVER, ["names", ["median"]], ["a hole", new Array(1)]],
        backend: [...NEVER, ["0", 0]],
        adapter: [...NEVER, ["0", 0]],
        gpu: NO_FLAG,
        budgetMs: NO_LENGTH,
        timesKept: NO_COUNT,
        timeEvery: NO_COUNT,
        tuned: NO_FLAG,
      },
    },
    {
      of: "process",
      call: async ({ policy = "latest", ...options }: { policy?: Policy } & ProcessOptions) =>
        (await createPipeline({ stages, backend: "cpu" })).process(policy, options),
      fields: { policy: [...NEVER, ["0", 0]], before: NO_FLAG, inFlight: NO_COUNT },
    },
    {
      of: "configure",
      call: async (options: object) => (await createPipeline({ stages, backend: "cpu" })).configure("one", options),
      fields: { enabled: NO_FLAG, onCpu: NO_FLAG },
    },
    {
      of: "openGpu",
      call: ({ adapter }: { adapter: "auto" }) => openGpu(adapter),
      fields: { adapter: [...NEVER, ["0", 0]] },
    },
    {
      of: "openRecording",
      call: (options: object) => openRecording("nowhere", options),
      fields: {
        format: NO_FLAG,
        metresPerUnit: NO_LENGTH,
        fps: NO_LENGTH,
        intrinsics: [...NEVER, ["flat", { fx: 0, fy: 1, cx: 0, cy: 0 }]],
        color: NO_FLAG,
        maxMegapixels: NO_LENGTH,
        maxSeconds: NO_LENGTH,
        maxMegabytes: NO_LENGTH,
        worker: NO_FLAG,
        signal: NO_FLAG,
      },
    },
    {
      of: "framesOf",
      call: (options: object) => framesOf(room, options),
      fields: { start: NO_INDEX, count: NO_NUMBER, loop: NO_NUMBER },
    },
    {
      of: "playOf",
      call: (options: object) => playOf(room, options),
      fields: { start: NO_INDEX, rate: NO_LENGTH, loop: NO_FLAG },
    },
    {
      of: "syntheticRoom",
      call: (options: object) => syntheticRoom(options),
      fields: {
        width: NO_COUNT,
        height: NO_COUNT,
        fps: NO_LENGTH,
        frames: NO_COUNT,
        seed: NO_PLACE,
        metresPerUnit: NO_LENGTH,
        cameraMotion: [...NEVER, ["0", 0]],
        color: NO_FLAG,
        noise: [...NEVER, ["a number", { shadow: 1 }]],
        intrinsics: [...NEVER, ["some", { fx: 1 }]],
      },
    },
  ];

  test.each(functions)("$of refuses each wrong option by name", async ({ of, call, fields }) => {
    for (const { field, value } of each(fields)) {
      // Any text may be the name of a format.
      if (field === "format" && typeof value === "string") continue;
      await expectRefusal("OptionError", field, () => call({ [field]: value } as never));
    }
    for (const [, value] of NO_OBJECT.filter(() => WHOLE.includes(of))) {
      await expectRefusal("OptionError", "options must be an object", () => call(value as never));
    }
  });

  test("a misspelt option is refused with a list of the known options", async () => {
    const pipeline = await createPipeline({ stages, backend: "cpu" });
    const misspelt = (work: (options: never) => unknown) => () => work({ bakend: "cpu" } as never);
    const says = /: there is no option bakend; there are \w+, /;
    await expect(misspelt((options: object) => createPipeline({ stages, ...options }))()).rejects.toThrow(says);
    expect(misspelt((options) => pipeline.configure("one", options))).toThrow(says);
    expect(misspelt((options) => pipeline.process("latest", options))).toThrow(says);
    expect(misspelt((options) => playOf(room, options))).toThrow(says);
    expect(misspelt(syntheticRoom)).toThrow(says);
    await expect(misspelt((options) => openRecording("nowhere", options))()).rejects.toThrow("no option bakend");
    expect(() => pipeline.isEnabled("medain")).toThrow('no stage "medain"');
    expect(() => pipeline.process(undefined as never)).toThrow("a policy is needed, latest or lossless");
  });
});

test.each([...registry])("setting a parameter of %s refuses wrong values and unknown names", async (_, factory) => {
  const stage = factory();
  for (const [field, { kind }] of Object.entries(stage.schema)) {
    const values =
      kind === "number" ? NO_PLACE : kind === "vector" ? [...NEVER, ["holes", new Array(3)] as const] : NEVER;
    for (const [, value] of values) {
      await expectRefusal("ParameterError", `${factory.stageName}.${field}`, () => setParameter(stage, field, value));
    }
  }
  for (const key of ["constructor", "__proto__", "toString", "hasOwnProperty", "x".repeat(1e6)]) {
    const changes = Object.defineProperty({}, key, { value: 1, enumerable: true });
    await expectRefusal("ParameterError", "has no parameter", () => stage.set(changes));
  }
  for (const [, value] of NO_OBJECT) {
    await expectRefusal("ParameterError", "must be an object", () => stage.set(value as never));
  }
  expect(stage.revision).toBe(0);
});
