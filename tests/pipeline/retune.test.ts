import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { saveProfile } from "../../pipeline/tune/profile.ts";
import { defineStage } from "../../stages/core/define.ts";
import { useGpu } from "../gpu.ts";
import { adder, flatFrame } from "./fakes.ts";

// After retune() a running pipeline uses what tuning has found, from the next frame on.

const gpu = useGpu();
const folder = mkdtempSync(join(tmpdir(), "depthloom-retune-"));
const before = process.env.XDG_CACHE_HOME;
beforeAll(() => {
  process.env.XDG_CACHE_HOME = folder;
});
afterAll(() => {
  if (before === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = before;
  rmSync(folder, { recursive: true });
});

test("retune() has a running pipeline rebuild its stages once with the tuned variants", async () => {
  const built: unknown[] = [];
  const inner = adder("tunable")();
  const stage = defineStage({
    name: "tunable",
    summary: "says with what it was built",
    schema: {},
    tuning: { knobs: { add: { LANES: { values: [64, 128], initial: 64, summary: "invocations" } } } },
    build({ device, shape, input, overrides }) {
      built.push(overrides);
      return inner.build({ device, shape, input });
    },
    twin: (shape) => inner.twin(shape),
  });
  await using pipeline = await createPipeline({ stages: [stage()], backend: "webgpu", gpu: gpu.gpu });
  await pipeline.run(flatFrame(0));
  await pipeline.run(flatFrame(1));
  const entry = { overrides: { add: { LANES: 128 } }, medianUs: 1, defaultUs: 2, date: "2026-11-21" };
  await saveProfile(gpu.gpu, "tunable", entry);
  await pipeline.run(flatFrame(2));
  expect(built).toEqual([{ add: { LANES: 64 } }]);
  await pipeline.retune();
  expect(pipeline.profiles.get("tunable")).toEqual(entry);
  const frame = await pipeline.run(flatFrame(3));
  expect((await frame.readDepth()).get(1, 1)).toBe(1004);
  await pipeline.run(flatFrame(4));
  expect(built).toEqual([{ add: { LANES: 64 } }, { add: { LANES: 128 } }]);
});
