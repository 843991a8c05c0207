import { decode } from "fast-png";
import { unzipSync } from "fflate";
import ndarray from "ndarray";
import { Subject } from "rxjs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createPipeline, type Pipeline, type ProcessedFrame } from "../../pipeline/index.ts";
import { Governor } from "../../pipeline/time/governor.ts";
import { type DepthFrame, openRecording, type Recording } from "../../sources/index.ts";
import { readContents } from "../../sources/recorded/formats/mkv/contents.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { compact, dofSplat, paint, split } from "../../stages/index.ts";
import { McapRecording } from "../../viewer/live/out/mcapRecording.ts";
import { Saver } from "../../viewer/live/out/saver.ts";
import { FullQuality } from "../../viewer/live/show/fullQuality.ts";
import { StageController } from "../../viewer/live/show/stageController.ts";
import { Player } from "../../viewer/live/source/player.ts";
import { createStore } from "../../viewer/live/state/settings.ts";
import { Focus } from "../../viewer/live/view/camera/focus.ts";
import { Rig } from "../../viewer/live/view/camera/rig.ts";
import { camera } from "../compact/cloud.ts";
import { FakeVideoEncoder, FakeVideoFrame } from "./fakeEncoder.ts";
import { recordingOf } from "./recording.ts";

// A saved file holds what its name in the menu promises, whatever the viewer shows at that moment.

const [WIDTH, HEIGHT] = [8, 6];
const ORANGE = [230, 156, 40] as const;

let files: { readonly name: string; readonly content: Blob }[] = [];
let pipeline: Pipeline;

beforeEach(() => {
  files = [];
  let given = new Blob();
  vi.stubGlobal("document", {
    createElement: () => {
      const link = { download: "", append() {}, click: () => files.push({ name: link.download, content: given }) };
      return link;
    },
  });
  vi.spyOn(URL, "createObjectURL").mockImplementation((content) => {
    given = content as Blob;
    return "blob:test";
  });
});
afterEach(async () => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  await pipeline.destroy();
});

/** A wall 1 m away. The camera saw orange there, but for the first pixel, for which it has no colour. */
function wall(index: number, coloured: boolean): DepthFrame {
  const rgba = Uint8Array.from({ length: WIDTH * HEIGHT * 4 }, (_, i) => (i < 4 ? 0 : ([...ORANGE, 255][i % 4] ?? 0)));
  const depth = ndarray(new Uint16Array(WIDTH * HEIGHT).fill(1000), [HEIGHT, WIDTH]);
  const color = coloured && { color: ndarray(rgba, [HEIGHT, WIDTH, 4]) };
  return { ...camera([HEIGHT, WIDTH]), depth, timestamp: index * 33, index, ...color };
}

/** What sets the pipeline's stages as the page's default settings say. */
function controllerOf(): StageController {
  const rig = new Rig();
  return new StageController({ pipeline } as never, createStore("cpu"), rig, new Focus(rig));
}

/** A saver of a pipeline through which one frame has gone, and a canvas that shows the last picture. */
async function saving(coloured: boolean) {
  const shown$ = new Subject<ProcessedFrame>();
  const player = new Player();
  const shown = { width: 0, height: 0, index: -1 };
  const show = (frame: ProcessedFrame | null) => {
    if (!frame) return;
    const { width, height } = frame.cpu?.picture ?? {};
    Object.assign(shown, { width, height, index: frame.index });
    shown$.next(frame);
  };
  // As the presenter does: an outdated picture is drawn again soon, unless the test has ended.
  const invalidate = () => void pipeline.redraw().then(show, () => {});
  const errors: string[] = [];
  const messages = { show: (_: string, __: string, text: string) => errors.push(text) };
  const canvas = () => shown as unknown as HTMLCanvasElement;
  const unused = { settingsFile: () => ({}), link: () => "" };
  const quality = new FullQuality(pipeline.governor);
  const controller = controllerOf();
  const asMeasured = (work: (off: boolean) => Promise<unknown>) => controller.asMeasured(work).finally(invalidate);
  const parts = { pipeline, player, quality, shown$, invalidate, asMeasured, canvas, draw() {}, ...unused };
  const saver = new Saver({ ...parts, messages } as unknown as ConstructorParameters<typeof Saver>[0]);
  const frame = wall(0, coloured);
  const run = async (next: DepthFrame) => show(await pipeline.run(next));
  await run(frame);
  return { saver, player, errors, shown, run };
}

/** The bytes of the file that was saved. */
async function savedBytes(): Promise<Buffer> {
  const [file] = files;
  if (!file) throw new Error("nothing was saved");
  return Buffer.from(await file.content.arrayBuffer());
}

/** The header of a PLY, and the colours of its points. */
function pointsIn(bytes: Buffer): { header: string; colours: number[][] } {
  const end = bytes.indexOf("end_header\n") + 11;
  const colours: number[][] = [];
  for (let at = end; at < bytes.length; at += 15) colours.push([...bytes.subarray(at + 12, at + 15)]);
  return { header: bytes.subarray(0, end).toString(), colours };
}

test("saved points have the camera's colours while the view is lit, and the view stays lit", async () => {
  pipeline = await createPipeline({ stages: [split({ at: 0.5 }), paint({ by: "lit" }), compact()], backend: "cpu" });
  const { saver, errors } = await saving(true);
  await saver.points();
  expect(errors).toEqual([]);
  const { header, colours } = pointsIn(await savedBytes());
  expect(header).toContain("comment colours: the camera's, grey by distance where it saw none\n");
  expect(colours).toHaveLength(WIDTH * HEIGHT);
  expect(new Set(colours[0]).size).toBe(1);
  for (const colour of colours.slice(1)) expect(colour).toEqual([...ORANGE]);
  expect(["split", "paint"].map((name) => pipeline.isEnabled(name))).toEqual([true, true]);
});

/** Pretends a canvas: the copied picture is a text with its size and the number of its frame. `encoded` ends the encoding. */
function copying(
  shown: { readonly width: number; readonly height: number; readonly index: number },
  encoded?: Promise<void>,
) {
  class Copy {
    #index = -1;
    constructor(
      readonly width: number,
      readonly height: number,
    ) {}
    getContext() {
      const drawImage = () => {
        this.#index = shown.index;
      };
      return { drawImage };
    }
    async convertToBlob() {
      await encoded;
      return new Blob([`${this.width} × ${this.height}, frame ${this.#index}`]);
    }
  }
  vi.stubGlobal("OffscreenCanvas", Copy);
  vi.stubGlobal("devicePixelRatio", 2);
}

test("a picture is saved at the size that was set while the governor has it drawn smaller", async () => {
  pipeline = await createPipeline({
    stages: [compact(), dofSplat({ width: 64, height: 48 })],
    backend: "cpu",
    budgetMs: 300,
    governor: true,
  });
  const { saver, errors, shown } = await saving(true);
  const { governor } = pipeline;
  if (!(governor instanceof Governor)) throw new Error("a pipeline's governor is told times");
  for (let nowMs = 0; governor.snapshot().level < 2; nowMs += 500) governor.frame(500, nowMs);
  await pipeline.redraw();
  copying(shown);
  Object.assign(shown, { width: 45, height: 34 });
  await saver.picture();
  expect(errors).toEqual([]);
  expect(await files[0]?.content.text()).toBe("64 × 48, frame 0");
  await vi.waitFor(() => expect(shown.width).toBe(45), 20_000);
});

test("a picture of fewer pixels than the screen has is saved at the screen's size", async () => {
  pipeline = await createPipeline({ stages: [compact(), dofSplat({ width: 64, height: 48 })], backend: "cpu" });
  const { saver, errors, shown } = await saving(true);
  copying(Object.assign(shown, { clientWidth: 128, clientHeight: 96 }));
  await saver.picture();
  expect([errors, await files[0]?.content.text()]).toEqual([[], "256 × 192, frame 0"]);
});

test("a picture that is saved while frames play carries the number of the frame that is in it", async () => {
  pipeline = await createPipeline({ stages: [compact(), dofSplat({ width: 64, height: 48 })], backend: "cpu" });
  const { saver, player, errors, shown, run } = await saving(true);
  vi.spyOn(player, "playing", "get").mockReturnValue(true);
  let end = () => {};
  copying(
    shown,
    new Promise<void>((resolve) => {
      end = resolve;
    }),
  );
  const saved = saver.picture();
  // The player is ahead of the screen, and other frames are shown before the picture is encoded.
  vi.spyOn(player, "index", "get").mockReturnValue(9);
  for (const index of [3, 4, 5]) await run(wall(index, true));
  end();
  await saved;
  expect(errors).toEqual([]);
  expect([files[0]?.name, await files[0]?.content.text()]).toEqual(["recording-000003-view.png", "64 × 48, frame 3"]);
});

/** A saver that a playing player feeds through the stages, as the page does; frame `torn` of the recording cannot be read. */
async function playing(length: number, torn?: number, stages: Stage[] = [compact()], coloured = false) {
  pipeline = await createPipeline({ stages, backend: "cpu" });
  const controller = controllerOf();
  const player = new Player();
  const said: string[] = [];
  const messages = { show: (_: string, __: string, text: string) => said.push(text) };
  const shown$ = new Subject<ProcessedFrame>();
  const quality = new FullQuality(pipeline.governor);
  const parts = { pipeline, player, quality, messages, shown$, invalidate() {}, settingsFile: () => ({}) };
  const canvas = { width: WIDTH, height: HEIGHT };
  const asMeasured = (work: (off: boolean) => Promise<unknown>) => controller.asMeasured(work);
  Object.assign(parts, { canvas: () => canvas, draw() {}, asMeasured });
  const saver = new Saver(parts as unknown as ConstructorParameters<typeof Saver>[0]);
  const next = (frame: ProcessedFrame) => {
    player.shows(frame.source);
    shown$.next(frame);
    saver.processed(frame);
  };
  // The stream ends with an error when the test frees the pipeline.
  player.frames$.pipe(pipeline.process("latest", { inFlight: 1 })).subscribe({ next, error() {} });
  const { recording } = recordingOf(length, 0, torn);
  const read = async (index: number) => {
    await recording.read(index);
    return wall(index, coloured);
  };
  const walls: Recording = { ...recording, name: "walls.mcap", read };
  player.open(walls);
  return { player, saver, said, controller };
}

test("all point clouds have the camera's colours, also where the view is set anew while they are saved", async () => {
  const stages = [split({ at: 0.5 }), paint({ by: "lit" }), compact()];
  const { player, saver, said, controller } = await playing(6, undefined, stages, true);
  controller.apply();
  // As a click on the picture does, and a change of what the colours stand for.
  player.frames$.subscribe(() => controller.apply());
  await saver.everyFrame("points");
  const entries = Object.values(unzipSync(await savedBytes()));
  expect(entries).toHaveLength(6);
  for (const entry of entries) expect(pointsIn(Buffer.from(entry)).colours.slice(1)).toContainEqual([...ORANGE]);
  for (const entry of entries) expect(new Set(pointsIn(Buffer.from(entry)).colours.slice(1).map(String)).size).toBe(1);
  expect([said.slice(1), ["split", "paint"].map((name) => pipeline.isEnabled(name))]).toEqual([[], [true, true]]);
  player.pause();
});

test("of a recording every frame from In to Out is saved, whatever the time that each takes, and then it plays on", async () => {
  const { player, saver, said } = await playing(40, 7);
  player.set({ inPoint: 5, outPoint: 24 });
  const given: [index: number, jump: boolean][] = [];
  const progress = new Set<string | undefined>();
  player.frames$.subscribe(({ index, jump = false }) => {
    given.push([index, jump]);
    progress.add(saver.sequences.running?.says());
  });
  await saver.everyFrame("depth");
  expect([...progress]).toContainEqual(expect.stringMatching(/^Depth [1-9]\d* of 20 frames, 0\.0 MB$/));
  const numbers = Array.from({ length: 20 }, (_, i) => i + 5).filter((index) => index !== 7);
  const names = numbers.map((index) => `walls-${String(index).padStart(6, "0")}-depth.png`);
  const [file] = files;
  const entries = unzipSync(new Uint8Array((await file?.content.arrayBuffer()) ?? []));
  expect([file?.name, Object.keys(entries)]).toEqual(["walls-depth.zip", [...names, "recording.json", "times.csv"]]);
  // What is saved opens again with its unit, lens, rate and times.
  const again = await openRecording(new File([file?.content ?? ""], "walls-depth.zip"));
  const [first, second] = [await again.read(0), await again.read(1)];
  const { intrinsics, metresPerUnit } = wall(5, false);
  expect([first.metresPerUnit, first.intrinsics, again.fps]).toEqual([metresPerUnit, intrinsics, player.source?.fps]);
  expect([again.length, second.timestamp - first.timestamp, first.depth.data[0]]).toEqual([19, 33, 1000]);
  await again.close();
  const { width, height, data } = decode(entries[names[0] ?? ""] ?? new Uint8Array());
  expect([width, height, new Set(data)]).toEqual([WIDTH, HEIGHT, new Set([1000])]);
  // Filters with a memory see one run of frames.
  const end = given.findLastIndex(([index]) => index === 24) + 1;
  expect(given.slice(end - 20, end)).toEqual(Array.from({ length: 20 }, (_, i) => [i + 5, i === 0]));
  expect(said.at(-1)).toBe("1 of 20 frames could not be read and are missing.");
  expect([player.playing, saver.sequences.running]).toEqual([true, undefined]);
  player.pause();
});

test("a video of a recording has every frame from In to Out at its own time, however slow the encoder is", async () => {
  const { player, saver, said } = await playing(120, 50);
  player.set({ inPoint: 5, outPoint: 114 });
  await saver.everyFrameAsFilm();
  expect(said.pop()).toMatch("this browser has no video encoder (WebCodecs)");
  vi.stubGlobal("VideoFrame", FakeVideoFrame);
  vi.stubGlobal("VideoEncoder", FakeVideoEncoder);
  await saver.everyFrameAsFilm();
  const [film] = files;
  const bytes = new Uint8Array((await film?.content.arrayBuffer()) ?? []);
  const read = async (offset: number, length: number) => bytes.slice(offset, offset + length);
  const { blocks, brokenAt, tracks } = await readContents({
    ...{ name: "walls.webm", size: bytes.length, read, close: async () => {} },
  });
  const times = Array.from({ length: 110 }, (_, i) => 33 * i).filter((_, i) => i !== 45);
  expect([film?.name, brokenAt, tracks.length]).toEqual(["walls.webm", undefined, 1]);
  expect(blocks.get(1)?.map(({ time }) => time)).toEqual(times);
  expect(said.at(-1)).toBe("1 of 110 frames could not be read and are missing.");
  player.pause();
});

test("what is being saved of a recording can be stopped, and what is there by then is saved", async () => {
  const { player, saver, said } = await playing(5000);
  const saved = saver.everyFrame("depth");
  await vi.waitFor(() => expect(saver.sequences.running?.says()).toMatch(/^Depth [1-9]\d* of 5000 frames/), 20_000);
  saver.sequences.running?.stop();
  await saved;
  const entries = unzipSync(new Uint8Array((await files[0]?.content.arrayBuffer()) ?? []));
  const kept = Object.keys(entries).filter((name) => name.endsWith(".png")).length;
  expect(kept).toBeGreaterThan(0);
  expect(said.at(-1)).toBe(`${kept} of 5000 frames were saved.`);
  expect(player.playing).toBe(false);
});

test("a ZIP of depth has the rate of the recording that it was made of, also where another one was opened meanwhile", async () => {
  const { player, saver } = await playing(5000);
  const saved = saver.everyFrame("depth");
  await vi.waitFor(() => expect(saver.sequences.running?.says()).toMatch(/^Depth [1-9]/), 20_000);
  player.open({ ...recordingOf(3).recording, fps: 77 });
  await saved;
  expect(JSON.parse(Buffer.from(unzipSync(await savedBytes())["recording.json"] ?? []).toString())).toMatchObject({
    fps: 10,
  });
  player.pause();
});

test("where a paused camera has no frame yet, its recording ends and closes the file", async () => {
  const orders: object[] = [];
  vi.stubGlobal(
    "Worker",
    class extends EventTarget {
      postMessage(order: object) {
        orders.push(order);
      }
    },
  );
  pipeline = await createPipeline({ stages: [compact()], backend: "cpu" });
  const { saver, player, errors } = await saving(false);
  player.open({ name: "camera", format: "camera", fps: 30, frames$: new Subject(), close: async () => {} } as never);
  player.pause();
  vi.spyOn(pipeline, "redraw").mockResolvedValue(null);
  await saver.record(true);
  expect([errors.length, orders.at(-1)]).toEqual([2, { end: true }]);
});

test("a recording of a camera counts the frames that the stages left out and those for which the disk was too slow", async () => {
  pipeline = await createPipeline({ stages: [compact()], backend: "cpu" });
  vi.stubGlobal(
    "Worker",
    class extends EventTarget {
      postMessage() {}
    },
  );
  const statistics = { dropped: 3, unreadable: 1 } as Pipeline["statistics"];
  const { stages } = pipeline;
  const recording = new McapRecording({
    ...{ file: undefined, raw: true, settings: {}, fps: 30 },
    pipeline: { stages, isEnabled: () => true, statistics, signal: pipeline.signal },
  });
  // The worker never answers, and three messages may wait: the first begins the recording.
  for (let index = 0; index < 6; index++) await recording.add(await pipeline.run(wall(index, false)));
  expect(recording.dropped).toBe(4);
  Object.assign(statistics, { dropped: 12, unreadable: 2 });
  expect(recording.dropped).toBe(14);
});
