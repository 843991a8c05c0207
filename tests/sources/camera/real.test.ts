import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { findLibrary } from "../../../sources/camera/ffi/find.ts";
import { here } from "../../../sources/camera/ffi/thisComputer.ts";
import { type DepthFrame, openRecording } from "../../../sources/index.ts";
import { root, start } from "../../cli/command.ts";
import { useFolder } from "../fixtures.ts";
import { oniOf } from "../makers/oni.ts";

// Each vendor's library plays a recording as a camera; the frames are compared with our reader's of the same file. CONTRIBUTING.md
// names the packages; tests of a library that is not installed are skipped.

const disk = useFolder();
const before = process.env.LD_LIBRARY_PATH;
const drivers = resolve(root, "../shared/drivers");
process.env.LD_LIBRARY_PATH = [drivers, before].filter(Boolean).join(":");
afterAll(() => {
  if (before === undefined) delete process.env.LD_LIBRARY_PATH;
  else process.env.LD_LIBRARY_PATH = before;
});

const has = (stem: string, folder?: string) =>
  process.platform === "linux" && findLibrary(here, stem, folder) !== undefined;

/**
 * The first `frames` frames of a camera, as `convert` records them (as built, since a camera's process is), and those of the file that the
 * vendor's library played.
 */
async function both(camera: string, file: string, frames: number) {
  const out = join(disk.root, `${frames} ${camera.slice(7, 14).replace(":", "")}.mcap`);
  const { status, stderr } = await start(["convert", camera, out, "--frames", String(frames)]).ended;
  expect([status, stderr]).toEqual([0, expect.stringContaining(`${frames} frames recorded`)]);
  const [ours, theirs] = [await framesIn(file), await framesIn(out)];
  expect(theirs).toHaveLength(frames);
  return { ours, theirs };
}

async function framesIn(path: string): Promise<DepthFrame[]> {
  await using recording = await openRecording(path);
  const frames: DepthFrame[] = [];
  for (let i = 0; i < recording.length; i++) frames.push(await recording.read(i));
  return frames;
}

/**
 * Compares each frame that a driver played with the file's frame of the same stamp, `firstMs + i * stepMs`. A library plays at its own
 * pace: on a busy machine a frame may be left out, or the file begin again.
 */
function expectPlayed(
  { ours, theirs }: Awaited<ReturnType<typeof both>>,
  { firstMs = 0, stepMs }: { readonly firstMs?: number; readonly stepMs: number },
  compare = expectSame,
): void {
  for (const frame of theirs) {
    const i = Math.round((frame.timestamp - firstMs) / stepMs);
    expect(ours[i], `the file has a frame at ${frame.timestamp} ms`).toBeDefined();
    expect(frame.timestamp).toBeCloseTo(firstMs + i * stepMs, 3);
    compare(frame, ours[i]);
  }
}

/** Compares a driver's frame with the same frame by our reader of the file: unit, lens, depth and colour. */
function expectSame(driver: DepthFrame, own: DepthFrame | undefined, digits = 10): void {
  expect(driver.metresPerUnit).toBe(own?.metresPerUnit);
  const { distortion = [], ...lens } = driver.intrinsics;
  const { distortion: bent = [], ...ownLens } = own?.intrinsics ?? driver.intrinsics;
  for (const name of ["fx", "fy", "cx", "cy"] as const) expect(lens[name]).toBeCloseTo(ownLens[name], digits);
  expect([lens.width, lens.height, distortion]).toEqual([ownLens.width, ownLens.height, bent]);
  expect(sameBytes(driver.depth.data, own?.depth.data)).toBe(true);
  // A driver has its transforms in 32 bits, so a few pixels at edges may get their neighbour's colour.
  const [seen, wanted] = [bytesOf(driver.color?.data), bytesOf(own?.color?.data)];
  expect([seen.length, seen.filter((value, i) => value !== wanted[i]).length <= 12]).toEqual([wanted.length, true]);
}

const bytesOf = (data: ArrayBufferView | undefined) =>
  data ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.alloc(0);
const sameBytes = (a: ArrayBufferView | undefined, b: ArrayBufferView | undefined) => bytesOf(a).equals(bytesOf(b));

const bag = resolve(root, "../shared/data/realsense_d435.bag");

// The library needs libusb, which not every machine has.
describe.skipIf(!has("realsense2") || !has("usb-1.0") || !existsSync(bag))("librealsense2 plays a .bag", () => {
  test("and the driver gives the frames, unit, lens and colour that our reader gives", async () => {
    // The stamps are the device's own, while the file's times are those of writing.
    const played = await both(`camera:realsense:${bag}`, bag, 2);
    expectPlayed(played, { firstMs: 360_815.089, stepMs: 166.676 });
  });
});

describe.skipIf(!has("OpenNI2"))("OpenNI2 plays an .oni", () => {
  test("by oniOf, and the driver gives the frames, unit, lens, colour and times that our reader gives", async () => {
    const [width, height] = [64, 48];
    const depth = Array.from({ length: 12 }, (_, k) =>
      Uint16Array.from({ length: width * height }, (_, i) => (i % 7 === 0 ? 0 : 500 * (k + 1) + i)),
    );
    const color = depth.map((_, k) =>
      Uint8Array.from({ length: 3 * width * height }, (_, i) => (i * 7 + 50 * k) & 255),
    );
    const path = join(disk.root, "small.oni");
    writeFileSync(path, oniOf({ width, height, depth, color, stepUs: 150_000 }));
    const played = await both(`camera:openni:${path}`, path, 3);
    expectPlayed(played, { stepMs: 150 }, (frame, file) => {
      // Colour is played after depth: on a busy machine a frame's colour may come too late, and the frame has none.
      const { color, ...colourless } = file ?? frame;
      // OpenNI has the field of view in 32 bits.
      expectSame(frame, frame.color ? { ...colourless, ...(color && { color }) } : colourless, 3);
    });
  });
});

describe.skipIf(!has("freenect", "fakenect"))("libfreenect's fakenect plays a dump", () => {
  test("and the driver gives the frames, unit, lens, colour and times that our reader gives", async () => {
    const folder = join(disk.root, "dump");
    mkdirSync(folder);
    const names: string[] = [];
    const write = (name: string, header: string, data: Uint8Array) => {
      names.push(name);
      writeFileSync(join(folder, name), Buffer.concat([Buffer.from(header), data]));
    };
    // Fakenect leaves out the last image of a list.
    for (let k = 0; k < 4; k++) {
      // The device's clock has 60 MHz.
      const [seconds, ticks] = [0.4 * k, 24_000_000 * k];
      const rgb = Uint8Array.from({ length: 3 * 640 * 480 }, (_, i) => (i * 5 + 40 * k) & 255);
      write(`r-${seconds.toFixed(6)}-${ticks}.ppm`, "P6 640 480 255\n", rgb);
      const disparity = Uint16Array.from({ length: 640 * 480 }, (_, i) =>
        i % 11 === 0 ? 2047 : 500 + 10 * k + (i % 400),
      );
      write(`d-${(seconds + 0.001).toFixed(6)}-${ticks}.pgm`, "P5 640 480 65535\n", new Uint8Array(disparity.buffer));
    }
    writeFileSync(join(folder, "INDEX.txt"), `${names.join("\n")}\n`);
    expectPlayed(await both(`camera:freenect:${folder}`, folder, 3), { stepMs: 400 });
  });
});
