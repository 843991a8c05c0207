import { expect, onTestFinished, test } from "vitest";
import { openni } from "../../../sources/camera/drivers/openni/index.ts";
import type { CameraRequest } from "../../../sources/live/driver.ts";
import { linuxWith } from "./pretended/library.ts";
import { PATH, PretendedOpenni } from "./pretended/openni.ts";

// The driver of OpenNI cameras against a fake OpenNI2 in place of the C functions.

const request: CameraRequest = { driver: "openni", color: true, controls: {} };
const place = linuxWith(PATH);
const depthOf = (first: number) => new Uint8Array(Uint16Array.from({ length: 12 }, (_, i) => first + i).buffer);
const colorOf = (value: number) => new Uint8Array(36).fill(value);

async function opened(more: Partial<CameraRequest> = {}, library = new PretendedOpenni()) {
  const camera = await openni(library.ffi, place).open({ ...request, ...more });
  onTestFinished(() => camera.close());
  return { library, camera };
}

test("openni gives unit, mode and lens, registers depth to colour and switches mirroring off", async () => {
  const { library, camera } = await opened();
  expect(camera.state).toMatchObject({
    info: { name: "PrimeSense Xtion", id: "1d27/0601@2/5" },
    fps: 30,
    metresPerUnit: 0.001,
    intrinsics: { cx: 1.5, cy: 1, width: 4, height: 3 },
    notes: ["registered by the camera"],
    modes: [{ width: 4, height: 3, fps: 30 }],
    controls: [{ name: "gain", value: 100 }],
    library: `OpenNI 2.2.0, ${PATH}`,
  });
  expect(camera.state.intrinsics.fx).toBeCloseTo(2 / Math.tan(0.5), 6);
  expect(camera.state.intrinsics.fy).toBeCloseTo(1.5 / Math.tan(0.375), 6);
  expect([library.registered, library.mirrored]).toEqual([1, 0]);
  camera.set("gain", 7);
  expect(library.gain).toBe(7);
  expect(() => camera.set("laser", 1)).toThrow('it has no control "laser"; it has gain');
});

test("openni gives depth in the library's memory with the colour of its time, and releases frames", async () => {
  const { library, camera } = await opened();
  library.color.push({ us: 900_000, index: 1, data: colorOf(10) }, { us: 1_001_000, index: 2, data: colorOf(20) });
  library.depth.push({ us: 1_000_000, index: 7, data: depthOf(500) });
  const shot = await camera.next();
  expect(shot).toMatchObject({ stampMs: 1000, number: 7, depth: depthOf(500) });
  expect(shot?.color?.slice(0, 4)).toEqual(Uint8Array.of(20, 20, 20, 255));
  expect(library.held).toBe(1);
  shot?.release();
  expect(library.held).toBe(0);
  library.depth.push({ us: 2_000_000, index: 8, data: depthOf(600) });
  expect((await camera.next())?.color).toBeUndefined();
});

test("openni gives infrared in place of colour, by which depth is not registered then", async () => {
  const { library, camera } = await opened({ infrared: true });
  const grey = Uint16Array.from({ length: 12 }, (_, i) => 60 * i);
  library.infrared.push({ us: 1_001_000, index: 2, data: new Uint8Array(grey.buffer) });
  library.depth.push({ us: 1_000_000, index: 7, data: depthOf(500) });
  const shot = await camera.next();
  expect([camera.state.infrared, library.registered, shot?.color]).toEqual([true, 0, undefined]);
  expect(shot?.infrared).toMatchObject({ width: 4, height: 3, bits: 16, bytes: new Uint8Array(grey.buffer) });
});

test("openni refuses a missing or old library, a missing camera and an unknown mode", async () => {
  expect(() => openni(new PretendedOpenni().ffi, linuxWith())).toThrow(
    "OpenNI2 is not installed; apt install libopenni2-0",
  );
  const old = Object.assign(new PretendedOpenni(), { version: { major: 2, minor: 1, maintenance: 0 } });
  expect(() => openni(old.ffi, place)).toThrow("is OpenNI 2.1.0; OpenNI 2.2 or newer is needed");
  await expect(opened({}, Object.assign(new PretendedOpenni(), { plugged: false }))).rejects.toThrow(
    "no camera is plugged in",
  );
  await expect(opened({ fps: 60 })).rejects.toThrow("it does not measure 640x480 at 60; it does 4x3 at 30");
});

test("openni opens no camera that was there beside the one that was lost, which may have another address now", async () => {
  await expect(opened({ others: ["1d27/0601@2/5"] })).rejects.toThrow("no camera is plugged in");
  const { camera } = await opened({ others: ["1d27/0601@2/9"] });
  expect([camera.state.info.id, camera.state.others]).toEqual(["1d27/0601@2/5", []]);
});
