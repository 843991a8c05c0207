import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { built, root } from "../cli/command.ts";

// A process whose pipeline is destroyed at any moment of a stream ends by itself, with status 0.

const folder = mkdtempSync(join(tmpdir(), "depthloom-exit-"));
const script = join(folder, "destroy.mjs");
const library = (name: string) => JSON.stringify(pathToFileURL(join(root, "dist", `${name}.js`)).href);
beforeAll(async () => {
  // The script imports the built library.
  await built();
  writeFileSync(
    script,
    `import { createPipeline } from ${library("pipeline")};
     import { syntheticRoom } from ${library("sources")};
     import { compact, dofSplat, median } from ${library("stages")};
     const [backend, frames, afterMs, abrupt] = process.argv.slice(2);
     const stages = [median(), compact()];
     // On the CPU a picture has a thread of its own after some frames.
     if (backend === "cpu") stages.push(dofSplat({ width: 96, height: 72 }));
     const adapter = backend === "cpu" ? "auto" : "software";
     const pipeline = await createPipeline({ stages, backend, adapter, timeEvery: 1 });
     let seen = 0;
     const leave = () => {
       const { device } = pipeline.gpu;
       const { destroy } = device;
       device.destroy = () => {
         console.log("device destroyed");
         destroy.call(device);
       };
       process.exit(0);
     };
     const destroy = () => abrupt ? leave() : setTimeout(() => pipeline.destroy().then(() => console.log("destroyed")), Number(afterMs));
     if (frames === "0") destroy();
     syntheticRoom({ width: 96, height: 72, frames: 100 }).frames$.pipe(pipeline.process("lossless")).subscribe({
       next(frame) {
         frame.waitUntil(Promise.all([frame.readDepth(), frame.readPoints()]).catch(() => {}));
         if (++seen === Number(frames)) destroy();
       },
       error: ({ name }) => console.log(name),
       complete: () => console.log("complete"),
     });`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const moments = [
  ...[
    [0, 0],
    [2, 1],
    [20, 1],
  ].map(([frames, ms]) => ({ backend: "cpu", frames, ms })),
  ...[
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 4],
  ].map(([frames, ms]) => ({ backend: "webgpu", frames, ms })),
];

test.each(moments)(
  "a process ends when its pipeline on $backend is destroyed $ms ms after frame $frames",
  ({ backend, frames, ms }) => {
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, [script, backend, `${frames}`, `${ms}`], {
      encoding: "utf8",
      timeout: 40_000,
    });
    expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: "" });
    expect(stdout.trim().split("\n").sort()).toEqual(["PipelineDestroyedError", "destroyed"]);
  },
);

test("process.exit in the middle of a stream destroys the GPU's device first, and nothing crashes", () => {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [script, "webgpu", "3", "0", "abrupt"], {
    encoding: "utf8",
    timeout: 40_000,
  });
  expect({ status, signal, stdout, stderr }).toEqual({
    status: 0,
    signal: null,
    stdout: "device destroyed\n",
    stderr: "",
  });
});
