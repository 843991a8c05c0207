import { firstValueFrom, take, toArray } from "rxjs";
import { expect, onTestFinished, test } from "vitest";
import { NoThread } from "../../../core/thread.ts";
import { type DepthFrame, SeveralTopicsError } from "../../../sources/index.ts";
import { openRemote } from "../../../sources/live/index.ts";
import type { LiveMessage, LiveRequest } from "../../../sources/live/remote/messages.ts";
import { LiveServer } from "../../../sources/live/remote/server.ts";
import type { LiveThread } from "../../../sources/live/remote/thread.ts";
import { readingOf } from "../../../viewer/live/source/readings.ts";
import { controlledCamera } from "./controlled.ts";
import { pretend, serve, topicServer } from "./liveServer.ts";

// A stream that a page's worker receives is the stream that the page itself would receive. Here the worker's part runs on this thread; what
// the two send each other is copied as between threads.

/** A worker whose messages reach the page while `page.busy` is false, and wait meanwhile. */
function worker(ahead = 1) {
  const page = { busy: false };
  const waiting: LiveMessage[] = [];
  let heard = (_: LiveMessage) => {};
  let died = (_: Error) => {};
  let isOver = false;
  const deliver = () => {
    while (!page.busy && !isOver) {
      const message = waiting.shift();
      if (!message) return;
      heard(message);
    }
  };
  const timer = setInterval(deliver, 1);
  onTestFinished(() => clearInterval(timer));
  const server = new LiveServer((message, transfer) => waiting.push(structuredClone(message, { transfer })), ahead);
  const thread: LiveThread = {
    post: (request: LiveRequest) => void server.receive(structuredClone(request)),
    listen(hear, die) {
      [heard, died] = [hear, die];
    },
    end() {
      isOver = true;
    },
  };
  onTestFinished(() => server.receive({ kind: "close" }));
  return { thread, page, waiting, die: (why: string) => died(new Error(why)) };
}

async function serving(length: number) {
  const recording = pretend(length);
  return { recording, ...(await serve(recording)) };
}

test("two who watch a stream from its worker both get its frames", async () => {
  const { address } = await serving(30);
  const source = await openRemote(worker().thread, address, {});
  const first = firstValueFrom(source.frames$.pipe(take(8), toArray()));
  const second = firstValueFrom(source.frames$.pipe(take(4), toArray()));
  const [eight, four] = await Promise.all([first, second]);
  expect(four).toEqual(eight.slice(0, 4));
});

test("frames, facts and state of a stream come from its worker as they are, and closing ends them", async () => {
  const { recording, address } = await serving(30);
  const { thread } = worker();
  const source = await openRemote(thread, address, {});
  const frames = await firstValueFrom(source.frames$.pipe(take(8), toArray()));
  for (const { depth, color, intrinsics, jump } of frames) {
    const original = await recording.read(Math.floor(depth.data[1] / 1000));
    expect([depth.data, depth.shape]).toEqual([original.depth.data, original.depth.shape]);
    expect([color?.data, intrinsics]).toEqual([original.color?.data, original.intrinsics]);
    expect(jump ?? false).toBe(depth === frames[0]?.depth);
  }
  expect(source.facts.map(({ what }) => what)).toEqual(["format", "unit", "intrinsics", "fps"]);
  await expect.poll(() => source.report.received).toBeGreaterThanOrEqual(8);
  const ended = firstValueFrom(source.frames$.pipe(toArray()));
  await source.close();
  await ended;
  expect(source.report.state).toBe("closed");
});

test("a page that is busy gets the newest frame afterwards, and no waiting is booked as the wire's", async () => {
  const { address } = await serving(400);
  const { thread, page } = worker();
  const source = await openRemote(thread, address, {});
  const frames: DepthFrame[] = [];
  const waits: number[] = [];
  const subscription = source.frames$.subscribe((frame) => {
    frames.push(frame);
    waits.push(readingOf(frame)?.readMs ?? 0);
  });
  onTestFinished(() => subscription.unsubscribe());
  await expect.poll(() => frames.length).toBeGreaterThan(2);
  page.busy = true;
  const had = frames.length;
  await new Promise((resolve) => setTimeout(resolve, 400));
  page.busy = false;
  await expect.poll(() => frames.length).toBeGreaterThan(had + 3);
  const indices = frames.map(({ index }) => index);
  const gaps = indices.slice(1).map((index, i) => index - indices[i]);
  // One frame was on its way, and one waited, the newest.
  expect(Math.max(...gaps)).toBeGreaterThan(5);
  expect(gaps.filter((gap) => gap > 5).length).toBeLessThanOrEqual(2);
  await expect.poll(() => source.report.wireMs?.p50).toBeLessThan(200);
  // The frame that was on its way has waited, and the table's row for reading says so.
  expect(Math.max(...waits)).toBeGreaterThan(300);
  await source.close();
});

test("while a program pauses as many decoded frames wait for it as may, and no more", async () => {
  const { address } = await serving(400);
  const { thread, page, waiting } = worker(4);
  const source = await openRemote(thread, address, {});
  const indices: number[] = [];
  const subscription = source.frames$.subscribe(({ index }) => indices.push(index));
  onTestFinished(() => subscription.unsubscribe());
  await expect.poll(() => indices.length).toBeGreaterThan(2);
  page.busy = true;
  const had = indices.length;
  const frames = () => waiting.filter(({ kind }) => kind === "frame").length;
  await expect.poll(frames, { timeout: 10_000 }).toBe(4);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(frames()).toBe(4);
  page.busy = false;
  await expect.poll(() => indices.length, { timeout: 10_000 }).toBeGreaterThan(had + 6);
  await source.close();
});

test("a worker refuses addresses with the same errors, and a worker that does not start has an error of its own", async () => {
  await expect(openRemote(worker().thread, "ws://127.0.0.1:9", {})).rejects.toThrow(
    /^ws:\/\/127.0.0.1:9\/?: no server answers/,
  );
  const server = await topicServer(["/a/depth/image", "/b/depth/image"]);
  const several = await openRemote(worker().thread, server.address, {}).catch((error) => error);
  expect(several).toBeInstanceOf(SeveralTopicsError);
  expect(several.topics).toHaveLength(2);
  const dead: LiveThread = { post() {}, listen: (_, died) => died(new NoThread("blocked")), end() {} };
  await expect(openRemote(dead, server.address, {})).rejects.toBeInstanceOf(NoThread);
  const stop = new AbortController();
  const stopped = openRemote({ ...dead, listen() {} }, server.address, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(stopped).rejects.toThrow("enough");
});

test.each([true, false])("a page changes a camera's controls where the server allows it: %s", async (controls) => {
  const { address } = await serve(controlledCamera(), { controls });
  const source = await openRemote(worker().thread, address, {});
  onTestFinished(() => source.close());
  source.frames$.subscribe();
  const value = (name: string) => source.controls?.list.find((one) => one.name === name)?.value;
  expect(source.controls?.list.map(({ name }) => name)).toEqual(
    controls ? ["exposure", "laser", "preset", "autoExposure"] : undefined,
  );
  source.set?.("laser", 90);
  await expect.poll(() => source.report.received).toBeGreaterThan(2);
  if (!controls) return expect(source.controls).toBeUndefined();
  await expect.poll(() => [value("laser"), source.controls?.refused]).toEqual([90, undefined]);
  source.set?.("laser", 400);
  await expect.poll(() => source.controls?.refused).toBe("camera:pretended: laser takes values from 0 to 360, not 400");
  source.set?.("exposure", 150_000);
  await expect.poll(() => source.controls?.refused).toBe("it is too bright");
  source.set?.("preset", 2);
  await expect.poll(() => [value("preset"), source.controls?.refused]).toEqual([2, undefined]);
});
