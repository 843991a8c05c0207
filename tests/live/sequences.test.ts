import { decode } from "fast-png";
import { unzipSync } from "fflate";
import { Subject } from "rxjs";
import { expect, test, vi } from "vitest";
import { image } from "../../core/array.ts";
import type { Pipeline, ProcessedFrame } from "../../pipeline/index.ts";
import { openRecording, type Recording } from "../../sources/index.ts";
import { readContents } from "../../sources/recorded/formats/mkv/contents.ts";
import type { Stage } from "../../stages/core/stage.ts";
import { compact, paint, split } from "../../stages/index.ts";
import { McapRecording } from "../../viewer/live/out/mcapRecording.ts";
import { Player } from "../../viewer/live/source/player.ts";
import { FakeVideoEncoder, FakeVideoFrame } from "./fakeEncoder.ts";
import { recordingOf } from "./recording.ts";
import {
  files,
  HEIGHT,
  make,
  ORANGE,
  pipeline,
  pointsIn,
  savedBytes,
  saveIntoMemory,
  saverOf,
  WIDTH,
  wall,
} from "./savedFiles.ts";

// Files of many frames.

saveIntoMemory();

/** A saver that a playing player feeds through the stages, as the page does; frame `torn` of the recording cannot be read. */
async function playing(length: number, torn?: number, stages: Stage[] = [compact()], coloured = false) {
  await make({ stages });
  const player = new Player();
  const shown$ = new Subject<ProcessedFrame>();
  const { saver, said, controller } = saverOf(player, shown$, { width: WIDTH, height: HEIGHT });
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

test("a ZIP of depth has the unit of its first frame in all images, where later frames have another one", async () => {
  await make({ stages: [compact()] });
  const player = new Player();
  const shown$ = new Subject<ProcessedFrame>();
  const { saver } = saverOf(player, shown$, { width: WIDTH, height: HEIGHT });
  player.frames$.pipe(pipeline.process("latest", { inFlight: 1 })).subscribe({
    next(frame) {
      player.shows(frame.source);
      shown$.next(frame);
      saver.processed(frame);
    },
    error() {},
  });
  const { recording } = recordingOf(4);
  const depth = image(new Uint16Array(WIDTH * HEIGHT).fill(4000), [HEIGHT, WIDTH]);
  const read = async (index: number) => {
    await recording.read(index);
    return index < 2 ? wall(index, false) : { ...wall(index, false), metresPerUnit: 0.00025, depth };
  };
  const walls: Recording = { ...recording, read };
  player.open(walls);
  await saver.everyFrame("depth");
  const entries = Object.entries(unzipSync(await savedBytes())).filter(([name]) => name.endsWith(".png"));
  expect(entries.map(([, png]) => decode(png).data[20])).toEqual([1000, 1000, 1000, 1000]);
  player.pause();
});

test("a recording of a camera counts the frames that the stages left out and those for which the disk was too slow", async () => {
  await make({ stages: [compact()] });
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
