import { Observable, Subject, Subscription } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { describe, expect, test } from "vitest";
import type { DepthFrame } from "../../core/frame.ts";
import type { ProcessedFrame } from "../../pipeline/index.ts";
import { type Policy, type ProcessOptions, type Processor, processFrames } from "../../pipeline/process.ts";
import { Statistics } from "../../pipeline/time/statistics.ts";
import { flatFrame } from "./fakes.ts";

// Order, waiting and counting of processFrames, in virtual time: shown, dropped and unreadable frames add up to the camera's frames.

/** Virtual time, which only moves on to what is scheduled next. */
class World {
  readonly scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));

  after(ms: number): Promise<void> {
    return new Promise((resolve) => this.scheduler.schedule(() => resolve(), ms));
  }

  /** Runs everything that is scheduled until `ms`, and settles promises in between. */
  async runUntil(ms: number): Promise<void> {
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    for (await settle(); ; await settle()) {
      const [next] = [...this.scheduler.actions].sort((a, b) => a.delay - b.delay);
      if (!next || next.delay > ms) break;
      this.scheduler.maxFrames = next.delay;
      this.scheduler.flush();
    }
  }
}

/** A pipeline whose stages take `runMs`, whose device is done `doneMs` later, and which refuses frames from `refused` on. */
function processorIn(world: World, { runMs = 10, doneMs = 5, refused = Number.POSITIVE_INFINITY } = {}) {
  const ending = new AbortController();
  const statistics = new Statistics(33);
  const log = { running: 0, mostRunning: 0, ran: [] as number[], streams: 0 };
  const processor: Processor = {
    statistics,
    signal: ending.signal,
    begin: () => void log.streams++,
    end: () => void log.streams--,
    async take(frame, waitUntil) {
      log.mostRunning = Math.max(log.mostRunning, ++log.running);
      await world.after(runMs);
      log.running--;
      log.ran.push(frame.index);
      if (frame.index >= refused) throw new Error(`frame ${frame.index} is refused`);
      const { index, timestamp } = frame;
      return { index, timestamp, source: frame, waitUntil } as ProcessedFrame;
    },
    idle: () => world.after(doneMs),
  };
  return { processor, statistics, log, ending };
}

/** A camera that gives frames 0 to length − 1, one each `everyMs`, and waits for nobody. `change` may alter or skip a frame. */
function camera(world: World, length: number, everyMs: number, change: (frame: DepthFrame) => DepthFrame | undefined) {
  return new Observable<DepthFrame>((subscriber) => {
    const stop = new Subscription();
    for (let index = 0; index < length; index++) {
      const give = () => {
        const frame = change(flatFrame(index));
        if (frame) subscriber.next(frame);
        if (index === length - 1) subscriber.complete();
      };
      stop.add(world.scheduler.schedule(give, (index + 1) * everyMs));
    }
    return stop;
  });
}

interface Case {
  readonly name: string;
  readonly policy: Policy;
  readonly options?: ProcessOptions;
  readonly everyMs: number;
  readonly runMs?: number;
  /** Indices of frames that the camera skips silently, and of frames that it cannot read. */
  readonly skips?: readonly number[];
  readonly faults?: readonly number[];
  readonly dropped: number;
}

const HAD = 30;
const SLOW = { everyMs: 40 };
const FAST = { everyMs: 10, runMs: 35 };
const cases: readonly Case[] = [
  { ...SLOW, name: "a slow camera, no frame is dropped", policy: "latest", dropped: 0 },
  { ...SLOW, name: "a slow camera, no frame is dropped", policy: "lossless", dropped: 0 },
  { ...FAST, name: "a fast camera, the newest frame wins", policy: "latest", dropped: 20 },
  { ...FAST, name: "a fast camera and one frame in flight", policy: "latest", options: { inFlight: 1 }, dropped: 21 },
  { ...SLOW, name: "skipped frames, which count as dropped", policy: "latest", skips: [3, 4, 9], dropped: 3 },
  { ...SLOW, name: "skipped frames, which count as dropped", policy: "lossless", skips: [3, 4, 9], dropped: 3 },
  { ...FAST, name: "skips and unreadable frames", policy: "latest", skips: [5], faults: [0, 7, 8], dropped: 18 },
  { ...SLOW, name: "an unreadable first and last frame", policy: "lossless", faults: [0, 29], dropped: 0 },
];

test("statistics.restart() begins counts anew and counts none of the old source's waiting or running frames", async () => {
  const world = new World();
  const { processor, statistics } = processorIn(world, { runMs: 100 });
  const frames$ = new Subject<DepthFrame>();
  const shown: number[] = [];
  frames$.pipe(processFrames(processor, "latest", { inFlight: 1 })).subscribe(({ index }) => shown.push(index));
  // The first is taken, the second waits and is replaced by the third, which waits in its place.
  for (const index of [50, 51, 52]) frames$.next(flatFrame(index));
  expect(statistics.dropped).toBe(1);
  statistics.restart();
  expect(statistics).toMatchObject({ frames: 0, dropped: 0, unreadable: 0 });
  // The third frame, of the old source, makes way for frame 0; frame 1 replaces frame 0.
  frames$.next({ ...flatFrame(0), jump: true });
  frames$.next(flatFrame(1));
  await world.runUntil(1000);
  expect(shown).toEqual([50, 1]);
  expect(statistics).toMatchObject({ frames: 1, dropped: 1, unreadable: 0 });
});

describe.each(cases)(
  "with policy $policy and $name:",
  ({ policy, options, everyMs, runMs, skips = [], faults = [], dropped }) => {
    test("shown, dropped and unreadable frames add up to all frames, in order", async () => {
      const world = new World();
      const { processor, statistics, log } = processorIn(world, runMs === undefined ? {} : { runMs });
      const frames$ = camera(world, HAD, everyMs, (frame) => {
        if (skips.includes(frame.index)) return undefined;
        return faults.includes(frame.index) ? { ...frame, fault: new Error("torn") } : frame;
      });
      const shown: number[] = [];
      let completed = false;
      frames$.pipe(processFrames(processor, policy, options)).subscribe({
        next: ({ index }) => shown.push(index),
        complete: () => (completed = true),
      });
      await world.runUntil(10_000);
      expect(completed).toBe(true);
      expect(statistics).toMatchObject({ frames: shown.length, dropped, unreadable: faults.length });
      expect(shown.length + dropped + faults.length).toBe(HAD);
      expect(shown).toEqual([...shown].sort((a, b) => a - b));
      expect(shown.filter((index) => skips.includes(index) || faults.includes(index))).toEqual([]);
      expect(log).toMatchObject({ mostRunning: 1, streams: 0 });
      if (faults.length > 0) expect(statistics.lastFault).toBe(`frame ${faults.at(-1)}: torn`);
    });
  },
);

test("a frame that the stages refuse ends the stream; that frame and those that waited count as dropped", async () => {
  const world = new World();
  const { processor, statistics, log } = processorIn(world, { runMs: 35, refused: 4 });
  const errors: unknown[] = [];
  let given = 0;
  const frames$ = camera(world, HAD, 10, (frame) => {
    given++;
    return frame;
  });
  frames$.pipe(processFrames(processor, "latest")).subscribe({ error: (error) => errors.push(error) });
  await world.runUntil(1000);
  expect(errors.map(String)).toEqual([expect.stringContaining("is refused")]);
  expect(statistics.frames + statistics.dropped).toBe(given);
  expect([log.streams, given < HAD]).toEqual([0, true]);
});

test("unsubscribing counts frames on their way as dropped, and runs no further frame", async () => {
  const world = new World();
  const { processor, statistics, log } = processorIn(world, { runMs: 35 });
  let given = 0;
  const frames$ = camera(world, HAD, 10, (frame) => {
    given++;
    return frame;
  });
  const subscription = frames$.pipe(processFrames(processor, "latest")).subscribe();
  await world.runUntil(105);
  subscription.unsubscribe();
  const ran = log.ran.length;
  await world.runUntil(1000);
  expect(statistics.frames + statistics.dropped).toBe(given);
  expect(log.ran.length).toBeLessThanOrEqual(ran + 1);
  expect(log.streams).toBe(0);
});

test("a pipeline that has ended ends the stream with its reason, before any later frame", async () => {
  const world = new World();
  const { processor, statistics, ending } = processorIn(world, { runMs: 35 });
  const seen: unknown[] = [];
  camera(world, HAD, 10, (frame) => frame)
    .pipe(processFrames(processor, "lossless"))
    .subscribe({
      next: ({ index }) => seen.push(index),
      error: (error) => seen.push(error),
      complete: () => seen.push("done"),
    });
  await world.runUntil(60);
  const gone = new Error("gone");
  ending.abort(gone);
  await world.runUntil(2000);
  expect(seen).toEqual([0, gone]);
  expect(statistics.frames).toBe(1);
});
