import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { EMPTY, firstValueFrom, of as of$, Subject, take, toArray } from "rxjs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { extrasReader } from "../../core/extras.ts";
import { image } from "../../core/frame.ts";
import { createPipeline } from "../../pipeline/index.ts";
import { filter, filteredSource, filtersOf } from "../../run/filter/filter.ts";
import { RawSink } from "../../run/filter/sink.ts";
import { type PublishOptions, publish } from "../../run/publish/index.ts";
import { RosMessages } from "../../run/publish/messages.ts";
import type { FrameResults } from "../../run/replay/output.ts";
import { chooseStages } from "../../run/replay/settings.ts";
import { type DepthFrame, framesOf, openLive, openRecording, SourceError, syntheticRoom } from "../../sources/index.ts";
import { median } from "../../stages/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { depthloom } from "../cli/command.ts";
import { useFolder } from "../sources/fixtures.ts";
import { serve } from "../sources/live/liveServer.ts";
import { depthOf } from "./camera.ts";
import { bridgeFor, filteredDepth, of, u16 } from "./ends.ts";

// Tests that filter and publish hand on frames: to a bridge, as a stream, to standard output, to a file.

const disk = useFolder();

describe("publish", () => {
  test("sends what pipeline.process hands out to a bridge, and ends with it", async () => {
    const bridge = await bridgeFor();
    const pipeline = await createPipeline({ stages: [median()], backend: "cpu" });
    onTestFinished(() => pipeline.destroy());
    const read = async (index: number) => depthOf(index);
    const frames$ = framesOf({ length: 6, read }).pipe(pipeline.process("lossless"));
    const { ended } = await publish(frames$, { url: bridge.address, namespace: "/clean" });
    await ended;
    await expect.poll(() => of(bridge.heard, "/clean/image_raw").map(u16)).toEqual(await filteredDepth(6));
  });

  test("serves frames on a port", async () => {
    const frames$ = new Subject<DepthFrame>();
    const publication = await publish(frames$, { port: 0 });
    const { addresses, close } = publication;
    onTestFinished(close);
    frames$.next(depthOf(0));
    const source = await openLive((await addresses)[0] ?? "");
    onTestFinished(() => source.close());
    const got: DepthFrame[] = [];
    source.frames$.subscribe((frame) => got.push(frame));
    for (let index = 1; got.length === 0 && index < 1000; index++) {
      frames$.next(depthOf(index));
      await pause(10);
    }
    const [first] = got;
    expect(first?.depth.data).toEqual(depthOf((first?.depth.data[1] ?? 0) - 1001).depth.data);
    expect(publication.report).toMatchObject({ sent: expect.toSatisfy((sent: number) => sent > 0) });
  });

  test("keeps the times of capture, and tells no rate", async () => {
    const frames$ = new Subject<DepthFrame>();
    const { addresses, close } = await publish(frames$, { port: 0 });
    onTestFinished(close);
    const from = Date.now() - 5000;
    const next = (index: number) => frames$.next({ ...depthOf(index), timestamp: from + index });
    next(0);
    const source = await openLive((await addresses)[0] ?? "");
    onTestFinished(() => source.close());
    const got: DepthFrame[] = [];
    source.frames$.subscribe((frame) => got.push(frame));
    for (let index = 1; got.length < 3 && index < 1000; index++) {
      next(index);
      await pause(10);
    }
    for (const { timestamp, index } of got) expect(timestamp - got[0].timestamp).toBe(index - got[0].index);
    expect(got[0].timestamp - from).toBeLessThan(1000);
    expect(source.facts.find(({ what }) => what === "fps")?.from).toBe("assumed");
  });

  test("tells who waits for the addresses of a stream that never opens", async () => {
    const none = await publish(EMPTY, { port: 0 });
    await expect(none.addresses).rejects.toThrow(/the frames ended before the first one/);
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    await expect((await publish(of$(depthOf(0)), { port })).addresses).rejects.toThrow(/EADDRINUSE/);
    const stopped = await publish(new Subject<DepthFrame>(), { port: 0 });
    await Promise.all([stopped.close(), expect(stopped.addresses).rejects.toThrow(SourceError)]);
  });

  test.each<[PublishOptions, RegExp]>([
    [{}, /either a url or a port/],
    [{ url: "ws://127.0.0.1:1", port: 1 }, /either a url or a port/],
    [{ url: "ws://127.0.0.1:1" }, /127\.0\.0\.1:1/],
    [{ port: 0, forms: ["points"] }, /forms is for a bridge \(url\) alone: leave it out/],
    [{ port: 0, namespace: "/a" }, /namespace is for a bridge/],
    [{ url: "ws://127.0.0.1:1", host: "0.0.0.0" }, /host is for a stream \(port\) alone/],
  ])("refuses %j", async (options, why) => {
    const refused = publish(new Subject<DepthFrame>(), options);
    await expect(refused).rejects.toThrow(SourceError);
    await expect(refused).rejects.toThrow(why);
  });
});

test("an output that hangs or fails holds up no other, and its frames are counted", async () => {
  const room = syntheticRoom({ width: 64, height: 48, frames: 12 });
  const chosen = filtersOf(chooseStages(["threshold"], undefined, []));
  const request = {
    ...({ recording: "room", chosen, backend: "cpu", adapter: "auto", noise: "off", frames: undefined } as const),
    ...{ paced: true, rate: 10, loop: true, backlog: 3 },
  };
  const stop = new AbortController();
  const listener = { warn() {}, note() {}, progress() {}, stop: stop.signal };
  const rest = { told: () => "", report: {}, close: async () => {} };
  const hung = new Promise<void>((resolve) => void stop.signal.addEventListener("abort", () => resolve()));
  let got = 0;
  const quick = async () => {
    if (++got === 12) stop.abort();
  };
  const sinks = [() => hung, quick].map((frame) => ({ ...rest, frame }));
  const { done, leftOut, error } = await filter(room, { ...request, sinks }, listener);
  expect([done, error, done >= 12]).toEqual([got, undefined, true]);
  // One was in work, and at most three waited.
  expect([leftOut[0] >= 8, ...leftOut.slice(1)]).toEqual([true, 0, 0]);
  const broken = async () => {
    throw new Error("the pipe is gone");
  };
  const again = { ...listener, stop: new AbortController().signal };
  const failed = await filter(room, { ...request, sinks: [{ ...rest, frame: broken }] }, again);
  expect(failed.error).toMatchObject({ message: "the pipe is gone" });
});

test("a looped recording is written once, and the file is whole after its first round", async () => {
  const room = syntheticRoom({ width: 32, height: 24, frames: 4, color: false });
  const chosen = filtersOf(chooseStages(["threshold"], undefined, []));
  const stop = new AbortController();
  const [sent, written]: number[][] = [[], []];
  const sink = {
    ...{ told: () => "", report: {}, close: async () => {} },
    frame: async ({ index }: DepthFrame) => void (sent.push(index) === 10 && stop.abort()),
  };
  const finish = vi.fn(async () => {});
  const file = {
    ...{ wantsPoints: false, wantsPicture: false, inOrder: true, begin: async () => {}, finish },
    write: async ({ frame }: FrameResults) => void written.push(frame.index),
  };
  const request = {
    recording: "room",
    chosen,
    backend: "cpu",
    adapter: "auto",
    noise: "off",
    frames: undefined,
  } as const;
  const taking = { paced: true, rate: 5, loop: true, backlog: 30, sinks: [sink], file: async () => file };
  const listener = { warn() {}, note() {}, progress() {}, stop: stop.signal };
  const { isWhole } = await filter(room, { ...request, ...taking }, listener);
  const round = sent.findIndex((index, i) => i > 0 && index <= sent[i - 1]);
  expect([written, isWhole]).toEqual([sent.slice(0, round), true]);
  expect(finish).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ isWhole: true }));
});

describe("a recording", () => {
  test("is filtered to standard output and a file without a loss, as replay does", async () => {
    const folder = join(disk.root, "room");
    await writePngFolder(syntheticRoom({ width: 64, height: 48, frames: 9, cameraMotion: "sway" }), folder);
    const stages = ["--backend", "cpu", "--stages", "median,bilateralGrid"];
    const file = join(disk.root, "whole.mcap");
    const again = join(disk.root, "replayed.mcap");
    const { status, stderr } = await depthloom("filter", folder, "--to", file, ...stages);
    expect([status, stderr]).toEqual([0, expect.stringContaining("9 frames filtered")]);
    expect((await depthloom("replay", folder, "--out", again, ...stages)).status).toBe(0);
    const [mine, theirs] = await Promise.all([file, again].map((path) => openRecording(path)));
    if (!mine || !theirs) throw new Error("not opened");
    for (let index = 0; index < 9; index++)
      expect((await mine.read(index)).depth.data).toEqual((await theirs.read(index)).depth.data);
    await Promise.all([mine.close(), theirs.close()]);
    const frames: Buffer[] = [];
    const stream = new PassThrough().on("data", (data) => frames.push(data));
    const sink = new RawSink(stream, () => {});
    await sink.frame(depthOf(3));
    expect(new Uint16Array(new Uint8Array(frames[0] ?? []).buffer)).toEqual(depthOf(3).depth.data);
  });

  test("that reaches farther than the raw stream's unit says so at once, and at the end how many pixels are lost", async () => {
    const warned: string[] = [];
    const stream = new PassThrough().resume();
    const warn = (line: string) => warned.push(line);
    const sink = new RawSink(stream, () => {}, undefined, warn);
    const near = depthOf(3);
    const { data, shape } = near.depth;
    await sink.frame({ ...near, metresPerUnit: 0.0002 });
    expect([warned, sink.told()]).toEqual([[], "standard output: 1 frame written"]);
    const far = { ...near, metresPerUnit: 0.001, depth: image(new Uint16Array(data.length).fill(20_000), shape) };
    for (let i = 0; i < 2; i++) await sink.frame(far);
    expect(warned).toEqual([
      expect.stringMatching(/keeps the unit of its first frame: .* up to 13\.1 m here, the farthest is 20\.0 m/),
    ]);
    expect(sink.told()).toContain(`3 frames written; ${2 * data.length} pixels of 2 frames are too far`);
  });

  test("counts a pixel that is too far once, in however many forms it is published", async () => {
    const messages = new RosMessages("/depth", ["image", "compressedDepth"]);
    const frame = depthOf(3);
    const far = image(new Uint16Array(frame.depth.data.length).fill(60_000), frame.depth.shape);
    const [, whole, packed] = await messages.of({ ...frame, metresPerUnit: 0.002, depth: far });
    expect([whole?.topic.topic, packed?.topic.topic]).toEqual(["/depth/image_raw", "/depth/image_raw/compressedDepth"]);
    expect(messages.losses.lines.join()).toContain(`${far.data.length} pixels of 1 frame are too far`);
  });

  test("is served filtered, with its infrared and notes, while somebody listens, where serve is given stages", async () => {
    const grey = { width: 2, height: 1, data: Uint8Array.of(7, 8), from: "IR" };
    const metadata = async (index: number) => [["Gain Level", `${index}`]] as const;
    const extras = extrasReader({ metadata, infrared: async () => grey, motion: undefined });
    const room = { ...syntheticRoom({ width: 64, height: 48, frames: 4 }), extras };
    const request = { recording: "room", backend: "cpu", adapter: "auto", noise: "off", frames: undefined } as const;
    const taking = { paced: true, rate: 10, loop: true, backlog: 4 };
    const choose = () => filtersOf(chooseStages(["threshold"], undefined, ["threshold.maxM=2"]));
    const source = filteredSource(room, { ...request, ...taking }, choose, () => {});
    const { address } = await serve(source, { infrared: true });
    const live = await openLive(address, { infrared: true });
    onTestFinished(() => live.close());
    const frames = await firstValueFrom(live.frames$.pipe(take(6), toArray()));
    const farthest = ({ depth, metresPerUnit }: DepthFrame) => metresPerUnit * Math.max(...depth.data);
    expect(farthest(await room.read(0))).toBeGreaterThan(2.5);
    expect(frames.map(farthest).every((m) => m > 0.5 && m <= 2.001)).toBe(true);
    expect(frames[0].infrared).toEqual(grey);
    const notes = frames.map(({ index }) => [["Gain Level", `${index % 4}`]]);
    expect(frames.map(({ metadata }) => metadata)).toEqual(notes);
  });

  test("is served without its pair of images, which is told, where a filter changes the size", async () => {
    const grey = image(new Uint8Array(64 * 48), [48, 64]);
    const plain = syntheticRoom({ width: 64, height: 48, frames: 4 });
    const read = async (i: number) => ({
      ...(await plain.read(i)),
      pair: { left: grey, right: grey, baselineM: 0.05 },
    });
    const room = { ...plain, read };
    const request = { recording: "room", backend: "cpu", adapter: "auto", noise: "off", frames: undefined } as const;
    const taking = { paced: true, rate: 10, loop: true, backlog: 4 };
    const framesBy = async (stage: string, pair: true | "asked" = "asked") => {
      const choose = () => filtersOf(chooseStages([stage], undefined, []));
      const source = filteredSource(room, { ...request, ...taking }, choose, () => {});
      const { address, lines } = await serve(source, { pair });
      const live = await openLive(address, {});
      onTestFinished(() => live.close());
      const [frame] = await firstValueFrom(live.frames$.pipe(take(2), toArray()));
      return { frame, lines, malformed: live.report.malformed };
    };
    const small = await framesBy("decimate");
    expect(small).toMatchObject({
      frame: { intrinsics: { width: 32 } },
      lines: [expect.stringContaining("sent without a pair")],
      malformed: 0,
    });
    expect(small.frame.pair).toBeUndefined();
    expect((await framesBy("decimate", true)).lines).toEqual([]);
    const whole = await framesBy("threshold");
    expect(whole).toMatchObject({ frame: { pair: { baselineM: 0.05 } }, lines: [], malformed: 0 });
  });
});
