import { lastValueFrom, tap } from "rxjs";
import { expect, test } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { bilateralGrid, despeckle, median, temporal, track } from "../../stages/index.ts";
import { expectImage, useGpu } from "../gpu.ts";
import { QUICK } from "../mode.ts";

// A difference of one unit in one pixel would move the poses that track finds, and then turn a hard decision of a later frame.

const FRAMES = QUICK ? 10 : 60;
const [WIDTH, HEIGHT] = [128, 96];
/** A software GPU takes seconds on a machine that other programs keep busy. */
const LONGEST_MS = 180_000;

const gpu = useGpu();

async function filtered(backend: "cpu" | "webgpu"): Promise<Uint16Array[]> {
  const source = syntheticRoom({
    ...{ width: WIDTH, height: HEIGHT, sensor: "kinect-v1", cameraMotion: "sway", color: false, frames: FRAMES },
  });
  const stages = [despeckle(), median(), bilateralGrid(), track({ recorded: false }), temporal()];
  const pipeline = await createPipeline(backend === "cpu" ? { stages, backend } : { stages, gpu: gpu.gpu });
  const depth: Uint16Array[] = [];
  await lastValueFrom(
    source.frames$.pipe(
      pipeline.process("lossless"),
      tap((frame) => frame.waitUntil(frame.readDepth().then(({ data }) => depth.push(Uint16Array.from(data))))),
    ),
  );
  await pipeline.destroy();
  return depth;
}

test("every filter that runs by default gives the same depth on a GPU and on the CPU, to the last bit, over a stream", {
  timeout: LONGEST_MS,
}, async () => {
  const [ours, twins] = [await filtered("webgpu"), await filtered("cpu")];
  expect([ours.length, twins.length]).toEqual([FRAMES, FRAMES]);
  for (const [i, depth] of ours.entries()) expectImage(depth, twins[i], { width: WIDTH, name: `frame ${i}` });
});
