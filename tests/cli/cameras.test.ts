import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { usbHints } from "../../run/report/usb.ts";
import type { DriverReport } from "../../sources/camera/list.ts";
import { useFolder } from "../sources/fixtures.ts";
import { start, startForTest } from "./command.ts";

// `depthloom cameras`, and cameras and standard input where commands take them. Cameras are read by a process whose script the build makes,
// so the commands run built.

const disk = useFolder();

test("cameras names for each driver its library or what to install", async () => {
  const { status, stdout } = await start(["cameras", "--json"]).ended;
  expect(status).toBe(0);
  const { drivers } = JSON.parse(stdout) as { drivers: DriverReport[] };
  expect(drivers.map(({ driver }) => driver)).toEqual(["realsense", "freenect", "openni", "v4l2"]);
  for (const { library, missing } of drivers) expect([library, missing].filter(Boolean)).toHaveLength(1);
});

describe("usbHints, from USB ids, names plugged-in cameras", () => {
  const plug = (name: string, vendor: string, product: string, speed: string) => {
    const folder = join(disk.root, "usb", name);
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries({ idVendor: vendor, idProduct: product, speed }))
      writeFileSync(join(folder, file), `${text}\n`);
  };
  plug("1-1", "8086", "0b07", "480");
  plug("1-2", "045e", "02ae", "480");
  plug("1-3", "046d", "0825", "480");
  mkdirSync(join(disk.root, "usb", "usb1"));
  const none: DriverReport = {
    driver: "realsense",
    cameras: [],
    missing: "librealsense2 is not installed; install it",
  };
  const seen: DriverReport = { driver: "freenect", library: "libfreenect", cameras: [] };

  test("whose library, udev rule or USB 3 port is missing", () => {
    expect(usbHints([none, seen], join(disk.root, "usb"))).toEqual([
      expect.stringMatching(
        /a RealSense camera is plugged in \(USB 8086:0b07\), and realsense cannot be used: librealsense2 is not installed/,
      ),
      expect.stringMatching(/a RealSense camera is plugged in by USB 2 .* need USB 3/),
      expect.stringMatching(/a Kinect v1 is plugged in .* its driver does not see it: its udev rule is missing/),
    ]);
  });
});

/** Runs the command with all of `input` on its standard input. */
function given(input: Uint8Array, args: readonly string[]) {
  const { child, ended } = start(args, [], "pipe");
  child.stdin?.end(input);
  return ended;
}

test("replay takes every frame of standard input, since that can wait", async () => {
  const args = ["replay", "-", "--size", "64x48", "--stages", "bilateralGrid", "--backend", "cpu", "--json"];
  const input = Buffer.alloc(50 * 2 * 64 * 48, 7);
  const { status, stdout, stderr } = await given(input, args);
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { frames: 50, dropped: 0 }]);
  expect(stderr).toMatch(/no intrinsics are given: a 58° horizontal field of view/);
});

test("measure takes as many frames of standard input as it needs, and ends while more could come", async () => {
  const { child, ended } = startForTest(["measure", "-", "--size", "64x48", "--frames", "5"], [], "pipe");
  // The reader does not wait for what it did not ask for.
  child.stdin?.on("error", () => {}).write(Buffer.alloc(8 * 2 * 64 * 48, 7));
  const { status, stdout } = await ended;
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^mean of +5 frames/)]);
});

test("convert records all frames of standard input, in order, in their own unit", async () => {
  const frames = [1, 2, 3].map((k) => Uint16Array.from({ length: 12 }, (_, i) => 1000 * k + i));
  const out = join(disk.root, "raw.mcap");
  const args = ["convert", "-", out, "--size", "4x3", "--depth-scale", "0.0005"];
  const input = Buffer.concat(frames.map(({ buffer }) => new Uint8Array(buffer)));
  const { status, stderr } = await given(input, args);
  expect([status, stderr]).toEqual([0, expect.stringContaining("3 frames recorded")]);
  const recording = await disk.open(out);
  expect(recording.length).toBe(3);
  for (const [i, frame] of frames.entries()) {
    const { depth, metresPerUnit } = await recording.read(i);
    expect([[...depth.data], metresPerUnit]).toEqual([[...frame], 0.0005]);
  }
});

test.each([
  [["replay", "-"], 2, /the size of the frames on standard input is missing\n\(--size 640x480/],
  [["replay", "camera:nothing"], 1, /\(realsense, freenect, openni, v4l2\)/],
  [["replay", "a.bag", "--size", "4x3"], 2, /--size applies to cameras and to standard input/],
  [["serve", "a.bag", "--control", "laser=1"], 2, /--control applies to cameras/],
  [["replay", "camera:v4l2", "--control", "laser"], 2, /It must be a control's name and a number/],
  [["convert", "camera:v4l2", "out.zip"], 2, /recorded as \.mcap; convert the recording to zip afterwards/],
  [["serve", "camera:v4l2:/dev/none"], 1, /camera:v4l2:\/dev\/none: it does not open: error 2/],
] as const)("depthloom %j fails with a message that names the cause", async (args, wanted, said) => {
  const { status, stderr } = await start(args).ended;
  expect([status, stderr]).toEqual([wanted, expect.stringMatching(said)]);
});
