import { describe, expect, test } from "vitest";
import { untilAborted } from "../../../core/abort.ts";
import { createPipeline, openGpu } from "../../../pipeline/index.ts";
import { publish } from "../../../run/publish/index.ts";
import {
  findMediaCameras,
  framesOf,
  image,
  openCamera,
  openLive,
  openMediaCamera,
  openRecording,
  playOf,
  rawSource,
  syntheticRoom,
} from "../../../sources/index.ts";
import { median } from "../../../stages/index.ts";
import { createDepthPoints } from "../../../viewer/three/index.ts";
import { colorPng, McapRecorder, recordMcap, writePngFolder, writeTum } from "../../../write/index.ts";

const scene = () => syntheticRoom({ width: 32, height: 24, frames: 2 });
const camera = { id: "", name: "", label: "" };

/** A pipeline on the CPU, and the frame that came out of it. */
async function processed() {
  const pipeline = await createPipeline({ stages: [median()], backend: "cpu" });
  return { pipeline, frame: await pipeline.run(await scene().read(0)) };
}

type Call = (options: { readonly signal?: AbortSignal }) => Promise<unknown>;

/** Every function that takes its time. */
const ABORTABLE: Readonly<Record<string, Call>> = {
  createPipeline: (more) => createPipeline({ stages: [median()], backend: "cpu", ...more }),
  openGpu: (more) => openGpu("auto", more),
  openRecording: (more) => openRecording("none", more),
  openLive: (more) => openLive("ws://127.0.0.1:1", more),
  openCamera: (more) => openCamera("camera:realsense", more),
  openMediaCamera: (more) => openMediaCamera(camera, more),
  findMediaCameras,
  read: (more) => scene().read(0, more),
  pose: (more) => scene().pose(0, more),
  "Pipeline.run": async (more) => (await processed()).pipeline.run(await scene().read(0), more),
  readDepth: async (more) => (await processed()).frame.readDepth(more),
  createDepthPoints: (more) => createDepthPoints({} as never, { gpu: null }, more),
};

const OTHERS: Readonly<Record<string, (options: object) => Promise<unknown>>> = {
  syntheticRoom: async (more) => syntheticRoom(more),
  framesOf: async (more) => framesOf(scene(), more),
  playOf: async (more) => playOf(scene(), more),
  rawSource: async (more) => rawSource((async function* () {})(), "raw", { size: { width: 2, height: 2 }, ...more }),
  publish: (more) => publish(scene().frames$, { port: 0, ...more }),
  writeTum: (more) => writeTum(scene(), "none", more),
  writePngFolder: (more) => writePngFolder(scene(), "none", more),
  recordMcap: (more) => recordMcap("none", more),
  McapRecorder: async (more) => new McapRecorder({ write: async () => {}, position: () => 0n }, more),
  colorPng: async (more) => colorPng(image(new Uint8Array(4), [1, 1, 4]), more),
  process: async (more) => (await processed()).pipeline.process("latest", more),
};

test.each(Object.entries({ ...ABORTABLE, ...OTHERS }))(
  "%s refuses an option that it does not know",
  async (_, call) => {
    const refused = call({ sgnal: 1 } as object);
    await expect(refused).rejects.toMatchObject({
      name: "OptionError",
      message: /: there is no option sgnal; there (is|are)/,
    });
  },
);

test.each(Object.entries(ABORTABLE))(
  "%s rejects with the reason of a signal that is aborted before",
  async (_, call) => {
    await expect(call({ signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
  },
);

describe("untilAborted", () => {
  test("frees what is made after the signal was aborted", async () => {
    const ending = new AbortController();
    const freed: string[] = [];
    let finish = (_: string) => {};
    const made = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const call = untilAborted(
      ending.signal,
      () => made,
      (late) => freed.push(late),
    );
    ending.abort("enough");
    await expect(call).rejects.toBe("enough");
    finish("a device");
    await made;
    expect(freed).toEqual(["a device"]);
  });

  test("ignores a signal that is aborted later", async () => {
    const ending = new AbortController();
    const freed: string[] = [];
    expect(
      await untilAborted(
        ending.signal,
        async () => "made",
        (late) => freed.push(late),
      ),
    ).toBe("made");
    ending.abort();
    await Promise.resolve();
    expect(freed).toEqual([]);
  });
});

test("a recording, the synthetic scene, a stream and a pipeline end with `await using`", async () => {
  const { pipeline } = await processed();
  for (const one of [scene(), pipeline, rawSource((async function* () {})(), "raw", { size: { width: 2, height: 2 } })])
    await one[Symbol.asyncDispose]();
  expect(pipeline.signal.aborted).toBe(true);
});
