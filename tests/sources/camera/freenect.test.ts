import { expect, onTestFinished, test } from "vitest";
import { freenect } from "../../../sources/camera/drivers/freenect/index.ts";
import type { CameraRequest } from "../../../sources/live/driver.ts";
import { linuxWith, type Pretended, PretendedLibrary } from "./pretended/library.ts";

// The driver of Kinect v1 against a fake libfreenect in place of the C functions.

const PATH = "/usr/lib/x86_64-linux-gnu/libfreenect.so.0.5";
const FAKE = "/usr/lib/x86_64-linux-gnu/fakenect/libfreenect.so.0.5";
const PIXELS = 640 * 480;
const request: CameraRequest = { driver: "freenect", color: true, controls: {} };
const place = linuxWith(PATH, FAKE, "/dump/INDEX.txt");

/** A fake libfreenect with one Kinect, whose images the test supplies. */
class PretendedFreenect extends PretendedLibrary {
  count = 1;
  tilt = 0;
  subdevices = 0;
  /** The mode of depth that was set: freenect_depth_format. */
  format = -1;
  failing: string | undefined;
  readonly coming: { readonly kind: "depth" | "video"; readonly data: Uint8Array; readonly ticks: number }[] = [];
  readonly #listeners = { depth: 0n, video: 0n };

  constructor(path = PATH) {
    super({}, path);
    const done = () => 0;
    const set: Pretended = (_, out) => {
      (out as BigUint64Array)[0] = 5n;
      return 0;
    };
    const all: Record<string, Pretended> = {
      freenect_init: (context) => set(null, context),
      ...{ freenect_shutdown: done, freenect_set_log_level: done },
      freenect_select_subdevices: (_, which) => {
        this.subdevices = which as number;
      },
      freenect_num_devices: () => this.count,
      ...{ freenect_open_device: set, freenect_open_device_by_camera_serial: set, freenect_close_device: done },
      freenect_find_depth_mode: (_, format) => ({ format, is_valid: 1 }),
      freenect_find_video_mode: (_, format) => ({ format, is_valid: 1 }),
      freenect_set_depth_mode: (_, mode) => {
        this.format = (mode as { format: number }).format;
        return 0;
      },
      freenect_set_video_mode: done,
      freenect_set_depth_callback: (_, callback) => {
        this.#listeners.depth = callback as bigint;
      },
      freenect_set_video_callback: (_, callback) => {
        this.#listeners.video = callback as bigint;
      },
      ...{
        freenect_start_depth: done,
        freenect_start_video: done,
        freenect_stop_depth: done,
        freenect_stop_video: done,
      },
      freenect_process_events_timeout: () => {
        for (const { kind, data, ticks } of this.coming.splice(0)) {
          this.callbacks.get(this.#listeners[kind])?.(5n, this.memory.put(data), ticks);
        }
        return 0;
      },
      freenect_set_tilt_degs: (_, degrees) => {
        // As libfreenect does, where the motor is not open.
        if ((this.subdevices & 1) !== 0) this.tilt = degrees as number;
        return 0;
      },
    };
    const failed = Object.entries(all).map(([name, run]): [string, Pretended] => [
      name,
      (...args) => (this.failing === name ? -4 : run(...args)),
    ]);
    Object.assign(this.functions, Object.fromEntries(failed));
  }
}

async function opened(library = new PretendedFreenect(), more: Partial<CameraRequest> = {}) {
  const camera = await freenect(library.ffi, place).open({ ...request, ...more });
  onTestFinished(() => camera.close());
  return { library, camera };
}

const depthOf = (value: number) => new Uint8Array(new Uint16Array(PIXELS).fill(value).buffer);

test("freenect gives registered millimetres, with stamps that go on when the device's clock wraps", async () => {
  const { library, camera } = await opened();
  expect(library.format).toBe(4);
  expect(camera.state).toMatchObject({ metresPerUnit: 0.001, intrinsics: { fx: 525, width: 640, height: 480 } });
  library.coming.push({ kind: "video", data: new Uint8Array(3 * PIXELS).fill(9), ticks: 0 });
  library.coming.push({ kind: "depth", data: depthOf(1234), ticks: 2 ** 32 - 60_000 });
  const first = await camera.next();
  expect(first?.stampMs).toBeCloseTo(2 ** 32 / 60_000 - 1, 6);
  expect(Buffer.from(first?.depth ?? []).equals(depthOf(1234))).toBe(true);
  expect(first?.color?.slice(0, 4)).toEqual(Uint8Array.of(9, 9, 9, 255));
  first?.release();
  library.coming.push({ kind: "depth", data: depthOf(5), ticks: 60_000 });
  const second = await camera.next();
  expect((second?.stampMs ?? 0) - (first?.stampMs ?? 0)).toBeCloseTo(2, 6);
  expect(second?.number).toBe(1);
  expect([library.subdevices, camera.state.controls]).toEqual([2, []]);
});

test("freenect opens the motor where a tilt is asked for, and tilts", async () => {
  const { library, camera } = await opened(new PretendedFreenect(), { controls: { tilt: -5 } });
  expect(library.tilt).toBe(-5);
  camera.set("tilt", 12);
  expect(library.tilt).toBe(12);
  expect(() => camera.set("tilt", 90)).toThrow("tilt takes values from -30 to 30, not 90");
});

test("freenect gives infrared in place of colour, and depth in its own view", async () => {
  const { library, camera } = await opened(new PretendedFreenect(), { infrared: true });
  expect([library.format, camera.state.infrared]).toEqual([5, true]);
  library.coming.push({ kind: "video", data: new Uint8Array(640 * 488).fill(9), ticks: 0 });
  library.coming.push({ kind: "depth", data: depthOf(1234), ticks: 60_000 });
  const shot = await camera.next();
  expect(shot?.color).toBeUndefined();
  expect(shot?.infrared).toMatchObject({ width: 640, height: 488, bits: 8 });
  expect(shot?.infrared?.bytes.every((value) => value === 9)).toBe(true);
});

test("freenect gives depth no colour of another time, across a turn of the clock", async () => {
  const { library, camera } = await opened(new PretendedFreenect());
  const TURN = 2 ** 32;
  const hasColor = async (ticks: number) => {
    library.coming.push({ kind: "depth", data: depthOf(1234), ticks });
    return (await camera.next())?.color !== undefined;
  };
  library.coming.push({ kind: "video", data: new Uint8Array(3 * PIXELS).fill(9), ticks: TURN - 1_000_000 });
  expect(await hasColor(TURN - 500_000)).toBe(true);
  expect(await hasColor(500_000)).toBe(true);
  expect(await hasColor(60_000_000)).toBe(false);
});

test("freenect refuses a missing or old library, a missing Kinect and a folder without INDEX.txt", async () => {
  const none = new PretendedFreenect();
  expect(() => freenect(none.ffi, linuxWith())).toThrow("libfreenect is not installed; apt install libfreenect-bin");
  await expect(opened(Object.assign(new PretendedFreenect(), { count: 0 }))).rejects.toThrow("no Kinect is plugged in");
  await expect(opened(new PretendedFreenect(), { which: "/nowhere" })).rejects.toThrow("there is no INDEX.txt in it");
  const old = new PretendedFreenect();
  delete (old.functions as Record<string, unknown>).freenect_find_depth_mode;
  await expect(opened(old)).rejects.toThrow("is too old: it has no function freenect_find_depth_mode");
});

test.each([
  ["freenect_init", /libfreenect does not start \(status -4\)/],
  ["freenect_open_device", /Kinect 0 does not open \(status -4\), of 1; .* the udev rule is missing/],
  ["freenect_set_depth_mode", /setting depth's mode failed with status -4/],
  ["freenect_set_video_mode", /setting colour's mode failed with status -4/],
  ["freenect_start_depth", /starting depth failed with status -4/],
  ["freenect_start_video", /starting colour failed with status -4/],
  ["freenect_process_events_timeout", /reading failed with status -4/],
])("freenect names the step and the status if %s fails", async (failing, said) => {
  const run = async () => (await opened(Object.assign(new PretendedFreenect(), { failing }))).camera.next();
  await expect(run()).rejects.toThrow(said);
});

test("freenect opens the only Kinect again by its number, and of several none", async () => {
  const library = new PretendedFreenect();
  const open = async (more: Partial<CameraRequest> = {}) => (await opened(library, more)).camera.state;
  const { others: none } = await open();
  expect([none, (await open({ others: none })).info.id]).toEqual([[], "0"]);
  library.count = 2;
  const { others } = await open();
  expect([others, (await open({ which: "A00362" })).others]).toEqual([["1"], undefined]);
  await expect(open({ others: none })).rejects.toThrow("Open it by its serial number");
  library.count = 1;
  await expect(open({ others })).rejects.toThrow("Open it by its serial number");
});
