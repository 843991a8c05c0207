import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { colourOf } from "../../../sources/camera/media/find.ts";
import { whenBack } from "../../../sources/camera/media/replug.ts";
import type { Listener } from "../../../sources/camera/process/child.ts";
import type { Request } from "../../../sources/camera/process/wire.ts";
import { openHere } from "../../../sources/camera/source.ts";
import type { CameraRequest, CameraState } from "../../../sources/live/driver.ts";

// Two equal cameras at one computer: neither takes the other one's colour, nor its place.

afterEach(() => void vi.unstubAllGlobals());

const LABELS = { depth: "Intel(R) RealSense(TM) Depth Camera 435 Depth (8086:0b07)", color: "RealSense 435 RGB" };
/** These devices as a page sees them: "depth A" and "color A" of camera A. */
const devicesOf = (ids: readonly string[], groupOf: (id: string) => string) =>
  ids.map((deviceId) => {
    const label = deviceId.startsWith("depth") ? LABELS.depth : LABELS.color;
    return { kind: "videoinput", deviceId, groupId: groupOf(deviceId), label } as MediaDeviceInfo;
  });

const byCamera = (id: string) => `group ${id.at(-1)}`;
const none = () => "";
const itsOwn = (id: string) => id;
const [A, B] = [{ "depth A": "color A" }, { "depth B": "color B" }];

test.each([
  ["as plugged in", ["depth A", "color A", "depth B", "color B"], byCamera, { ...A, ...B }],
  ["listed after the other one's colour", ["color B", "depth A", "color A", "depth B"], byCamera, { ...A, ...B }],
  ["whose own colour is in use", ["depth A", "depth B", "color B"], byCamera, { "depth A": undefined, ...B }],
  ["that the browser does not group", ["depth A", "color A", "depth B", "color B"], none, { ...A, ...B }],
  ["each device of which has a group of its own", ["depth A", "color A"], itsOwn, A],
  ["of whose colours nobody can tell which is whose", ["depth A", "depth B", "color B"], none, undefined],
])("a page gives a depth camera its own colour or none: one %s", (_, ids, groupOf, colours) => {
  const devices = devicesOf(ids, groupOf);
  const [depth, color] = ["depth", "color"].map((kind) => devices.filter(({ deviceId }) => deviceId.startsWith(kind)));
  const found = [...colourOf(depth ?? [], color ?? [])].map(([one, other]) => [one.deviceId, other?.deviceId]);
  expect(Object.fromEntries(found)).toEqual(colours ?? { "depth A": undefined, "depth B": undefined });
});

describe("in a page, a camera that was unplugged", () => {
  const pluggedIn = (...ids: string[]) => {
    const enumerateDevices = async () => devicesOf(ids, byCamera);
    vi.stubGlobal("navigator", { mediaDevices: Object.assign(new EventTarget(), { enumerateDevices }) });
  };
  const camera = { id: "depth A", name: "D435", label: LABELS.depth, colorId: "color A" };
  const back = (known?: ReadonlyMap<string, string>) => {
    const ends = new AbortController();
    const timer = setTimeout(() => ends.abort(), 1200);
    onTestFinished(() => clearTimeout(timer));
    const start = async ({ id, colorId }: typeof camera) => [id, colorId];
    return whenBack(camera, (found) => start(found as typeof camera), ends.signal, known).catch(() => "still waiting");
  };

  test("is not the other one, that was there when it was unplugged or when it was opened", async () => {
    pluggedIn("depth B", "color B");
    expect(await back()).toBe("still waiting");
    pluggedIn();
    const late = back(new Map([["depth B", LABELS.depth]]));
    await Promise.resolve();
    pluggedIn("depth B", "color B");
    expect(await late).toBe("still waiting");
  });

  test("is the one that comes in another socket, with its colour there", async () => {
    pluggedIn("depth B", "color B");
    const late = back(new Map([["color A", LABELS.color]]));
    await Promise.resolve();
    pluggedIn("depth B", "color B", "depth C", "color C");
    expect(await late).toEqual(["depth C", "color C"]);
  });
});

const lens = { fx: 2, fy: 2, cx: 1, cy: 1, width: 3, height: 2 };
const stateOf = (id: string, others?: readonly string[]): CameraState => ({
  info: { driver: "realsense", name: "RealSense D435", id, notes: [] },
  ...{ fps: 30, metresPerUnit: 0.001, intrinsics: lens, clock: "its own", library: "none" },
  ...{ notes: [], modes: [], controls: [], ...(others && { others }) },
});

test.each([
  ["by its serial number", undefined, { which: "111", others: undefined }],
  ["as none of the others, where it has none", ["222"], { which: undefined, others: ["222"] }],
])("a camera that was lost is asked for again %s", async (_, others, again) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const listeners: Listener[] = [];
  const asked: Partial<CameraRequest>[] = [];
  const start = (listener: Listener) => {
    listeners.push(listener);
    return {
      send(request: Request) {
        if (request.kind !== "open") return;
        asked.push({ which: request.request.which, others: request.request.others });
        queueMicrotask(() => listener.answered({ kind: "opened", state: stateOf("111", others) }));
      },
      end: async () => {},
    };
  };
  const source = await openHere("camera:realsense", { driver: "realsense", which: undefined }, {}, start as never);
  listeners[0]?.answered({ kind: "lost", why: "it was unplugged" });
  await vi.advanceTimersByTimeAsync(1500);
  await source.close();
  expect(asked).toEqual([{ which: undefined, others: undefined }, again]);
});
