import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type DepthFrame, image, webxrSource, type XrSession } from "../../../sources/index.ts";
import { Intake } from "../../../sources/live/intake.ts";
import { Lateness, reportText } from "../../../sources/live/report.ts";

// A live source in virtual time: gaps, stalls, latency, and the waits before reconnecting.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const decoded = (value: number) => ({
  depth: image(Uint16Array.of(value), [1, 1]),
  metresPerUnit: 0.001,
  intrinsics: { fx: 1, fy: 1, cx: 0, cy: 0, width: 1, height: 1 },
});

function watched() {
  const intake = new Intake();
  const frames: DepthFrame[] = [];
  const subscription = intake.frames(() => {}).subscribe((frame) => frames.push(frame));
  return { intake, frames, subscription };
}
/** The frames' indices, each with "jump" and with its fault where it has them. */
const shown = (frames: readonly DepthFrame[]) =>
  frames.map(({ index, jump, fault }) => `${index}${jump ? " jump" : ""}${fault ? ` ${fault.message}` : ""}`);
const settle = () => vi.advanceTimersByTimeAsync(0);
/** Gives frames one after the other. */
async function take(intake: Intake, each: readonly { readonly number?: number; readonly stampMs?: number }[]) {
  for (const one of each) {
    intake.take({ ...one, decode: () => decoded(1) });
    await settle();
  }
}

describe("frames from Intake", () => {
  test("have a gap in the index for numbers that are missing, and a jump where the sender's count starts over", async () => {
    const { intake, frames } = watched();
    const numbered = [5, 6, 9, 0, 1].map((number) => ({ number, stampMs: 1000 }));
    await take(intake, numbered);
    expect(shown(frames)).toEqual(["0 jump", "1", "4", "5 jump", "6"]);
  });

  test("are left out if a newer frame overtook them; a stamp more than a second back is a new start", async () => {
    const { intake, frames } = watched();
    const stamped = [5000, 5033, 5010, 5066, 100, 133].map((stampMs) => ({ stampMs }));
    await take(intake, stamped);
    expect(frames.map(({ timestamp }) => timestamp)).toEqual([5000, 5033, 5066, 100, 133]);
    expect(shown(frames)).toEqual(["0 jump", "1", "3", "4 jump", "5"]);
    expect(intake.report).toMatchObject({ received: 6, passed: 1, overtaken: 1 });
    expect(reportText(intake.report)).toMatch(/, 1 left out, whose times ran back$/);
  });

  test("whose numbers leap farther than frames can have been lost count none, and say that they jump", async () => {
    const { intake, frames } = watched();
    const numbered = [7, 8, 11, 4_000_000_000, 4_000_000_001].map((number) => ({ number }));
    await take(intake, numbered);
    expect(shown(frames)).toEqual(["0 jump", "1", "4", "5 jump", "6"]);
  });

  test("that come while one is decoded are skipped, but for the newest", async () => {
    const { intake, frames } = watched();
    const decode = (value: number) => async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return decoded(value);
    };
    for (let i = 0; i < 6; i++) intake.take({ decode: decode(i) });
    await vi.advanceTimersByTimeAsync(1000);
    expect(frames.map(({ index, depth }) => `${index}: ${depth.data[0]}`)).toEqual(["0: 0", "5: 5"]);
    expect(intake.report).toMatchObject({ received: 6, passed: 4 });
  });

  test("that cannot be decoded are given with their fault, and counted", async () => {
    const { intake, frames } = watched();
    intake.take({
      decode: () => {
        throw new Error("cut short");
      },
    });
    await settle();
    await take(intake, [{}]);
    expect(shown(frames)).toEqual(["0 jump cut short", "1"]);
    expect(intake.report).toMatchObject({ received: 2, malformed: 1, problem: "cut short" });
  });

  test("that come while nobody subscribes are dropped; the next one has a jump and no gap", async () => {
    const { intake, frames, subscription } = watched();
    await take(intake, [{ number: 0 }]);
    subscription.unsubscribe();
    for (const number of [1, 2, 3]) intake.take({ number, decode: () => decoded(1) });
    intake.frames(() => {}).subscribe((frame) => frames.push(frame));
    await take(intake, [{ number: 4 }]);
    expect(shown(frames)).toEqual(["0 jump", "1 jump"]);
  });
});

test("Intake reports silence and renews the connection after 10 s, then after twice as long each time", async () => {
  let begin = Date.now();
  const renewed: number[] = [];
  const intake = new Intake(() => {
    renewed.push((Date.now() - begin) / 1000);
    intake.set("reconnecting");
    intake.set("connected");
  });
  const subscription = intake.frames(() => {}).subscribe();
  // A sender that greets again shows something that stands still.
  for (let k = 0; k < 4; k++) {
    await vi.advanceTimersByTimeAsync(900);
    intake.alive();
  }
  expect([intake.report.stalls, intake.report.silentMs]).toEqual([0, 0]);
  begin = Date.now();
  await vi.advanceTimersByTimeAsync(4000);
  expect(intake.report.silentMs).toBe(4000);
  expect(reportText(intake.report)).toBe("connected, 0 frames, none for 4 s, 1 stalls");
  await vi.advanceTimersByTimeAsync(226_000);
  expect(renewed).toEqual([10, 30, 70, 150, 230]);
  expect(intake.report.stalls).toBe(1);
  intake.take({ decode: () => decoded(1) });
  expect(intake.report.silentMs).toBe(0);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([renewed.at(-1), intake.report.stalls]).toEqual([240, 2]);
  subscription.unsubscribe();
  await vi.advanceTimersByTimeAsync(200_000);
  expect([renewed.length, intake.report.silentMs]).toEqual([6, 0]);
});

describe("the latency that Lateness measures", () => {
  test("is the difference of the stamps if the clocks agree", () => {
    const lateness = new Lateness();
    for (const late of [4, 5, 40, 6]) lateness.arrived(1e12, 1e12 + late);
    expect([lateness.skewMs, lateness.summary]).toEqual([0, { p50: 5, p95: 40, max: 40 }]);
  });

  test.each([-3_600_000, -20, 90_000])(
    "is the delay beyond the quickest frame if the clocks are %i ms apart and drift",
    (skew) => {
      const lateness = new Lateness();
      for (let i = 0; i < 4000; i++) lateness.arrived(1e12 + i * 33, 1e12 + i * 33 + skew + i / 100 + (i % 10));
      expect(lateness.skewMs).toBeGreaterThan(skew);
      expect(lateness.skewMs).toBeLessThan(skew + 50);
      expect(lateness.summary?.max).toBeLessThan(40);
    },
  );

  test("is null without stamps", () => {
    expect(new Lateness().summary).toBeNull();
  });
});

test("webxrSource gives the depth and lens of a WebXR session, skips frames without depth, and ends with it", async () => {
  let look: Parameters<XrSession["requestAnimationFrame"]>[0] | undefined;
  let ended = () => {};
  let complete = false;
  const projectionMatrix = Float32Array.of(2, 0, 0, 0, 0, 3, 0, 0, 0.5, -0.25, -1, -1, 0, 0, -0.2, 0);
  let depth: { data: ArrayBuffer; width: number; height: number; rawValueToMeters: number } | undefined;
  const source = await webxrSource({
    requestReferenceSpace: async () => "space",
    requestAnimationFrame(callback) {
      look = callback;
      return 1;
    },
    cancelAnimationFrame: () => (look = undefined),
    // A session ends once, and then refuses.
    end: async () => {
      expect(complete).toBe(false);
      ended();
    },
    addEventListener: (_, listener) => (ended = listener),
  });
  const frames: DepthFrame[] = [];
  const subscription = source.frames$.subscribe({
    next: (frame) => frames.push(frame),
    complete: () => (complete = true),
  });
  const frame = { getViewerPose: () => ({ views: [{ projectionMatrix }] }), getDepthInformation: () => depth };
  look?.(10, frame);
  depth = { data: Uint16Array.of(0, 1, 2, 3, 4, 5, 6, 7).buffer, width: 4, height: 2, rawValueToMeters: 0.002 };
  look?.(43, frame);
  await settle();
  // Held upright: the view's top is at the buffer's right, and what the view has at its right is at the buffer's bottom.
  const upright = Float32Array.of(0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1);
  const turned = () => depth && { ...depth, normDepthBufferFromNormView: { matrix: upright } };
  look?.(60, { ...frame, getDepthInformation: turned });
  await settle();
  depth = { ...depth, data: new ArrayBuffer(32) };
  look?.(76, frame);
  await settle();
  expect(frames[0]).toMatchObject({ index: 0, metresPerUnit: 0.002, jump: true });
  expect(frames[0]?.intrinsics).toEqual({ fx: 4, fy: 3, cx: 0.5, cy: 0.25, width: 4, height: 2 });
  expect([...(frames[0]?.depth.data ?? [])]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect([...(frames[1]?.depth.data ?? [])]).toEqual([3, 7, 2, 6, 1, 5, 0, 4]);
  expect(frames[1]?.intrinsics).toEqual({ fx: 2, fy: 6, cx: 0, cy: 1, width: 2, height: 4 });
  expect(frames[2]?.fault?.message).toMatch(/32 bytes of depth for 4×2/);
  await source.close();
  expect(complete).toBe(true);
  await source.close();
  subscription.unsubscribe();
});
