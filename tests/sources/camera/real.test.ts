import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { findLibrary } from "../../../sources/camera/ffi/find.ts";
import { here } from "../../../sources/camera/ffi/here.ts";
import { type DepthFrame, openRecording } from "../../../sources/index.ts";
import { depthloom, root } from "../../cli/command.ts";
import { useFolder } from "../fixtures.ts";
import { oniOf } from "../makers/oni.ts";

// The vendors' own libraries, each with its own playback of a recording as a camera, against our reader of the same file. CONTRIBUTING.md
// names their packages; a library that is not installed is skipped.

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

/** The first `frames` frames of a camera, as `convert` records them, and those of the file that the vendor's library played. */
async function both(camera: string, file: string, frames: number) {
  const out = join(disk.root, `${frames} ${camera.slice(7, 14).replace(":", "")}.mcap`);
  const { status, stderr } = await depthloom("convert", camera, out, "--frames", String(frames));
  expect([status, stderr]).toEqual([0, expect.stringContaining(`${frames} frames recorded`)]);
  const [ours, theirs] = [await framesIn(file), await framesIn(out)];
  expect(theirs).toHaveLength(frames);
  return { ours, theirs };
}

async function framesIn(path: string): Promise<DepthFrame[]> {
  const recording = await openRecording(path);
  const frames: DepthFrame[] = [];
  for (let i = 0; i < recording.length; i++) frames.push(await recording.read(i));
  await recording.close();
  return frames;
}

/** Compares a driver's frame with the same frame by our reader of the file: unit, lens, depth and colour. */
function expectSame(driver: DepthFrame, own: DepthFrame | undefined, digits = 10): void {
  expect(driver.metresPerUnit).toBe(own?.metresPerUnit);
  const { distortion = [], ...lens } = driver.intrinsics;
  const { distortion: bent = [], ...ownLens } = own?.intrinsics ?? driver.intrinsics;
  for (const name of ["fx", "fy", "cx", "cy"] as const) expect(lens[name]).toBeCloseTo(ownLens[name], digits);
  expect([lens.width, lens.height, distortion]).toEqual([ownLens.width, ownLens.height, bent]);
  expect(sameBytes(driver.depth.data, own?.depth.data)).toBe(true);
  // A driver has its transforms in 32 bits: a handful of pixels at edges may get their neighbour's colour.
  const [seen, wanted] = [bytesOf(driver.color?.data), bytesOf(own?.color?.data)];
  expect([seen.length, seen.filter((value, i) => value !== wanted[i]).length <= 12]).toEqual([wanted.length, true]);
}

const bytesOf = (data: ArrayBufferView | undefined) =>
  data ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.alloc(0);
const sameBytes = (a: ArrayBufferView | undefined, b: ArrayBufferView | undefined) => bytesOf(a).equals(bytesOf(b));

const bag = resolve(root, "../shared/data/realsense_d435.bag");

describe.skipIf(!has("realsense2") || !existsSync(bag))("librealsense2 plays a .bag", () => {
  test("and gives the frames, unit, lens and colour that our reader gives", async () => {
    const { ours, theirs } = await both(`camera:realsense:${bag}`, bag, 2);
    for (const [i, frame] of theirs.entries()) expectSame(frame, ours[i]);
    // The stamps are the device's, 166.676 ms apart; the file's own times say when each frame was written.
    expect(theirs[0]?.timestamp).toBeCloseTo(360_815.089, 3);
    expect((theirs[1]?.timestamp ?? 0) - (theirs[0]?.timestamp ?? 0)).toBeCloseTo(166.676, 3);
  });
});

describe.skipIf(!has("OpenNI2"))("OpenNI2 plays an .oni", () => {
  test("that our maker wrote, and gives the frames, unit, lens, colour and times that our reader gives", async () => {
    const [width, height] = [64, 48];
    const depth = [1, 2, 3].map((k) =>
      Uint16Array.from({ length: width * height }, (_, i) => (i % 7 === 0 ? 0 : 500 * k + i)),
    );
    const color = depth.map((_, k) =>
      Uint8Array.from({ length: 3 * width * height }, (_, i) => (i * 7 + 50 * k) & 255),
    );
    const path = join(disk.root, "small.oni");
    writeFileSync(path, oniOf({ width, height, depth, color, stepUs: 150_000 }));
    const { ours, theirs } = await both(`camera:openni:${path}`, path, 3);
    // OpenNI has the field of view in 32 bits.
    // Colour is played after depth: on a busy machine it may come too late for its frame, which then has none.
    for (const [i, frame] of theirs.entries()) {
      const { color: _, ...own } = ours[i] ?? frame;
      expectSame(frame, frame.color ? ours[i] : own, 3);
    }
    expect(theirs.map(({ timestamp }) => timestamp)).toEqual(ours.map(({ timestamp }) => timestamp));
  });
});

describe.skipIf(!has("freenect", "fakenect"))("libfreenect's fakenect plays a dump", () => {
  test("and gives the frames, unit, lens, colour and times that our reader gives", async () => {
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
    const { ours, theirs } = await both(`camera:freenect:${folder}`, folder, 3);
    for (const [i, frame] of theirs.entries()) expectSame(frame, ours[i]);
    expect(theirs.map(({ timestamp }) => timestamp)).toEqual([0, 400, 800]);
  });
});
