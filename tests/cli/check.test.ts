import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cameraAt, floor, framesOf } from "../measure/world.ts";
import { sampled } from "../mode.ts";
import { depthPng, useFolder } from "../sources/fixtures.ts";
import { depthloom, root } from "./command.ts";

const disk = useFolder();
const wall = () => {
  const frames = framesOf([floor], cameraAt([0, 0, 0], 1, 0.1, 0), { sensor: "realsense", count: 2 });
  const intrinsics = { fx: 525, fy: 525, cx: 319.5, cy: 239.5 };
  const files = frames.map(({ depth }, k) => [`depth/${k}.png`, depthPng(depth.data, 640, 480)] as const);
  return disk.folder({ ...Object.fromEntries(files), "recording.json": JSON.stringify({ intrinsics, fps: 30 }) });
};

test("depthloom check tells the metrics of a wall, and with a fault ends with status 1", async () => {
  const path = wall();
  const healthy = await depthloom("check", path, "--model", "d435", "--baseline", "50", "--truth", "1000");
  expect(healthy.stdout).toMatch(
    /^fill rate +\d.*\nplane fit rms +.*usually 3.0\d mm.*\n.*\nsub-pixel rms +0\.\d+ px\nZ accuracy +-?\d.*\n/m,
  );
  expect(healthy.status).toBe(0);
  // The same noise is far too much for a time-of-flight camera.
  const faulty = await depthloom("check", path, "--model", "azure-kinect", "--json");
  expect([faulty.status, JSON.parse(faulty.stdout)]).toEqual([
    1,
    expect.objectContaining({ faults: [expect.objectContaining({ name: "laser" })] }),
  ]);
  const page = join(disk.folder({}), "report.html");
  await depthloom("check", path, "--model", "azure-kinect", "--html", page);
  const html = readFileSync(page, "utf8");
  expect(html).toMatch(
    /<li>the rms of [\d.]+ mm is [\d.]+ times what the model azure-kinect has[\s\S]*plane fit rms[\s\S]*<polyline points="0/,
  );
  // Nothing is loaded from elsewhere.
  expect(html).not.toMatch(/(src|href)=|url\(|@import/);
  const outside = await depthloom("check", path, "--region", "600,0,80,80");
  expect([outside.status, outside.stderr]).toEqual([
    2,
    expect.stringContaining("--region lies outside of the image, which is 640x480"),
  ]);
});

const data = join(root, "../shared/data");
const HEALTHY = [
  "gotpd_kinect2_overhead",
  "redwood_noisy",
  "realsense_d435.bag",
  "azure_kinect.mkv",
  "tum_fr1_xyz",
  "xtion_icsl_square",
];
test.skipIf(!existsSync(data)).each(sampled(HEALTHY, 2))(
  "depthloom check finds no fault in the healthy recording %s",
  async (name) => {
    const { stdout } = await depthloom("check", join(data, name), "--frames", "12", "--json");
    expect((JSON.parse(stdout) as { faults: unknown[] }).faults).toEqual([]);
  },
);
