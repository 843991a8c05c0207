import { expect, test, vi } from "vitest";
import type { Listener, ReadingProcess } from "../../../sources/camera/process/child.ts";
import { CameraLink } from "../../../sources/camera/process/link.ts";
import { headOf, type Request } from "../../../sources/camera/process/wire.ts";
import type { CameraState } from "../../../sources/live/driver.ts";

// Processes that lie about their camera, and links that are closed while their camera is away.

const lens = { fx: 2, fy: 2, cx: 1, cy: 1, width: 3, height: 2 };
const header = { stampMs: 12.5, number: 7, readMs: 99, metresPerUnit: 0.001, intrinsics: lens };
const info = { driver: "realsense", name: "pretended", id: "1", notes: [] } as const;
const state: CameraState = {
  ...{ info, fps: 30, metresPerUnit: 0.001, intrinsics: lens, clock: "its own", notes: [], modes: [], controls: [] },
  library: "none",
};
const opened = { kind: "opened", state };

/** Starts pretended processes, which do as `act` says when they are asked to open or list. */
function pretending(act: (listener: Listener, started: number, request: Request) => void) {
  const count = { started: 0, ended: 0 };
  const start = (listener: Listener): ReadingProcess => {
    const which = count.started++;
    return {
      send: (request) => void (request.kind !== "watch" && queueMicrotask(() => act(listener, which, request))),
      end: async () => void count.ended++,
    };
  };
  return { count, start };
}

function linkTo(act: Parameters<typeof pretending>[0]) {
  const { count, start } = pretending(act);
  const told: string[] = [];
  const listener = {
    frame: () => void told.push("frame"),
    lost: (why: string) => void told.push(why),
    back: () => void told.push("back"),
    state: ({ controls }: CameraState) => void (controls.length > 0 && told.push(`gain ${controls[0].value}`)),
    refused: (why: string) => void told.push(`refused: ${why}`),
    end: (error: Error) => void told.push(`end: ${error.message}`),
  };
  const request = { driver: "realsense", color: true, controls: {} } as const;
  return { count, told, link: new CameraLink("camera:realsense", request, Infinity, listener, start) };
}

test.each([
  null,
  undefined,
  5,
  [],
  {},
  { kind: "opened" },
  { kind: "opened", state: null },
  { kind: "opened", state: { ...state, intrinsics: { ...lens, fx: null } } },
  { kind: "opened", state: { ...state, controls: [{}] } },
  { kind: "failed" },
  { kind: "__proto__" },
])("a process that answers %j opens no camera, and is ended", async (answer) => {
  const { link, count } = linkTo(({ answered }) => answered(answer));
  await expect(link.open()).rejects.toThrow(
    "camera:realsense: the process that reads the camera sent what is no answer",
  );
  expect(count).toEqual({ started: 1, ended: 1 });
});

test.each([
  ["whose images do not fit it", header, 10, 0],
  ["whose colour does not fit it", header, 12, 12],
  ["without a lens", { ...header, intrinsics: undefined }, 12, 0],
  ["with a unit of 0", { ...header, metresPerUnit: 0 }, 12, 0],
  ["with a time that is none", { ...header, stampMs: null }, 12, 0],
  ["that is null", null, 12, 0],
])("a process that sends a header %s is given up after three times", async (_, wrong, depth, color) => {
  vi.useFakeTimers();
  try {
    const { link, told, count } = linkTo(({ answered, piece }) => {
      answered(opened);
      piece(Buffer.concat([headOf(wrong as never, depth, color), new Uint8Array(depth + color)]));
    });
    await link.open();
    await vi.advanceTimersByTimeAsync(60_000);
    const nonsense = "the process that reads the camera sent what is no frame";
    expect(told.filter((line) => line === "frame")).toEqual([]);
    expect(told.at(-1)).toBe(`end: camera:realsense: ${nonsense}, 3 times without a frame in between`);
    expect(count).toEqual({ started: 3, ended: 3 });
  } finally {
    vi.useRealTimers();
  }
});

test("close() while the camera is opened again leaves no timer, and ends at once", async () => {
  vi.useFakeTimers();
  try {
    const { link, told, count } = linkTo(({ answered }, which) => {
      if (which > 0) return;
      answered(opened);
      answered({ kind: "lost", why: "it was unplugged" });
    });
    await link.open();
    await vi.advanceTimersByTimeAsync(1500);
    expect(count.started).toBe(2);
    await link.close();
    expect([vi.getTimerCount(), told]).toEqual([0, ["it was unplugged"]]);
  } finally {
    vi.useRealTimers();
  }
});

test("a control's value that the camera has taken is set again when the camera is opened again, a refused one is not", async () => {
  vi.useFakeTimers();
  const asked: unknown[] = [];
  const { link, told } = linkTo((listener, _, request) => {
    if (request.kind === "open") asked.push(request.request.controls);
    const value = request.kind === "set" ? request.value : 1;
    if (value > 9) listener.answered({ kind: "failed", why: "too much" });
    else
      listener.answered({
        kind: "opened",
        state: { ...state, controls: [{ name: "gain", value, least: 0, most: 9 }] },
      });
    if (value === 3) listener.answered({ kind: "lost", why: "unplugged" });
  });
  await link.open();
  for (const value of [5, 20, 3]) {
    link.set("gain", value);
    await vi.advanceTimersByTimeAsync(50);
  }
  await vi.advanceTimersByTimeAsync(1500);
  expect(told).toEqual(["gain 1", "gain 5", "refused: too much", "gain 3", "unplugged", "gain 1", "back"]);
  expect(asked).toEqual([{}, { gain: 3 }]);
  await link.close();
  vi.useRealTimers();
});

test("of thousands of changes of a control in a second the camera gets some thirty, and the last one", async () => {
  vi.useFakeTimers();
  const set: number[] = [];
  const { link } = linkTo((listener, _, request) => {
    if (request.kind === "set") set.push(request.value);
    if (request.kind === "open") listener.answered({ kind: "opened", state });
  });
  await link.open();
  for (let value = 1; value <= 3000; value++) {
    link.set("gain", value);
    if (value % 3 === 0) await vi.advanceTimersByTimeAsync(1);
  }
  await vi.advanceTimersByTimeAsync(100);
  expect(set.length).toBeLessThanOrEqual(33);
  expect([set[0], set.at(-1)]).toEqual([1, 3000]);
  await link.close();
  vi.useRealTimers();
});
