import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compose, invert, rigid, turnOf } from "../../core/pose.ts";
import { scan } from "../../scan/index.ts";
import { turnAbout } from "../../scan/turntable/axis.ts";
import { turntableOf } from "../../scan/turntable/turntable.ts";
import { writeTum } from "../../write/index.ts";
import { depthloom } from "../cli/command.ts";
import { slowTest } from "../mode.ts";
import { useFolder } from "../sources/fixtures.ts";
import { AXIS, byHand, PLATE, type Turntable, turntable } from "./turning.ts";

// A thing turns before a camera that stands: the axis and the angles against the truth, and what is refused.

const disk = useFolder();
const found = (scene: Turntable, stop = new AbortController().signal) =>
  turntableOf(turntable(scene), { frames: undefined, farM: undefined }, { progress() {}, stop });
const DEGREES = 180 / Math.PI;

describe("a turntable", () => {
  test("that somebody turns by hand on a table, to the right by a round: axis and angles; what stands is cut away", async () => {
    const angles = byHand(24, -6.7);
    const { recording, turned } = await found({ angles });
    expect(turned.hasTable).toBe(true);
    expect(turned.loops).toBeGreaterThan(0);
    expect(Math.abs(turned.degrees - DEGREES * (angles[0] - angles[23]))).toBeLessThan(0.5);
    for (const [i, angle] of angles.entries()) {
      const { pose = [], depth, color } = await recording.read(i);
      const truth = turnAbout(AXIS, angles[0] - angle);
      const off = compose(rigid(), invert(rigid(), truth), Float64Array.from(pose.slice(0, 12)));
      expect(DEGREES * Math.hypot(...turnOf(off))).toBeLessThan(0.5);
      // The corner shows the wall, and the middle below shows the plate, 2 cm above the table.
      expect([depth.get(5, 5), color?.get(5, 5, 0)]).toEqual([0, 0]);
      expect(depth.get(PLATE.row, PLATE.column)).toBeGreaterThan(0);
      expect(depth.get(PLATE.row + 15, PLATE.column)).toBe(0);
    }
  });

  slowTest("that jumps by one to three steps from frame to frame", async () => {
    const angles = Array.from({ length: 40 }, (_, i) => 0.07 * (i + [0, 0, 1, 3, 4, 4][i % 6] + 5 * Math.floor(i / 6)));
    const { recording } = await found({ angles, hasTable: false });
    for (const [i, angle] of angles.entries()) {
      const { pose = [] } = await recording.read(i);
      const off = compose(rigid(), turnAbout(AXIS, angle), Float64Array.from(pose.slice(0, 12)));
      expect(DEGREES * Math.hypot(...turnOf(off))).toBeLessThan(0.5);
    }
  });

  const even = (frames: number, step: number) => Array.from({ length: frames }, (_, i) => step * i);
  test.each([
    ["a thing that stands", { angles: even(12, 0) }, "nothing is seen to turn"],
    ["a plate without a thing", { angles: even(12, 0.2), balls: [] }, "nothing is seen to turn"],
    ["a camera that moves", { angles: even(12, 0), nearerM: 0.02 }, "so the camera moves"],
    ["a thing that goes to and fro", { angles: even(12, 0), thingM: 0.04 }, "does not turn about one axis"],
    ["few frames", { angles: even(6, 0.2) }, "10 frames at least"],
  ] satisfies [string, Turntable, string][])("%s is refused", async (_, scene, why) => {
    await expect(found(scene)).rejects.toThrow(why);
  });

  test("an aborted search ends", async () => {
    await expect(found({ angles: even(12, 0.2) }, AbortSignal.abort())).rejects.toThrow("interrupted");
  });

  slowTest("becomes a mesh by the library, without a table", async () => {
    const recording = turntable({ angles: even(12, 0.15), hasTable: false });
    const { mesh, turned, poses, seenShare } = await scan(recording, { turntable: true, voxelM: 0.01, backend: "cpu" });
    expect([poses.length, turned?.loops, turned?.hasTable]).toEqual([12, 0, false]);
    expect(Math.abs((turned?.degrees ?? 0) - DEGREES * 11 * 0.15)).toBeLessThan(1);
    expect(seenShare).toBeGreaterThan(0.5);
    expect(seenShare).toBeLessThan(0.95);
    for (let i = 0; i < mesh.positions.length; i += 3)
      expect(Math.hypot(mesh.positions[i], mesh.positions[i + 2] - AXIS.point[2])).toBeLessThan(0.25);
  });

  test("becomes a mesh by the command, which tells how it turned", async () => {
    const folder = join(disk.root, "plate");
    await writeTum(turntable({ angles: even(12, 0.15) }), folder, { truth: false });
    const views = join(disk.root, "views");
    const options = ["--turntable", "--voxel", "1cm", "--backend", "cpu", "--out", join(disk.root, "plate.ply")];
    const { status, stderr, stdout } = await depthloom(
      "scan",
      folder,
      ...options,
      "--json",
      "--to",
      "nerfstudio",
      views,
    );
    expect(stderr).toMatch(/quality: the thing's angle is known in 12 of 12 frames; it turned by 9[45]\.\d°, not all/);
    expect(status).toBe(0);
    expect(JSON.parse(stdout).turned.hasTable).toBe(true);
    expect(JSON.parse(await readFile(join(views, "transforms.json"), "utf8")).frames).toHaveLength(12);
    const refused = await depthloom("scan", folder, ...options, "--force", "--poses", "some.txt");
    expect(refused.stderr).toContain("leave --poses out");
  });

  test("a stream, which cannot be read twice, is refused", async () => {
    const { name, format, fps, frames$ } = turntable({ angles: even(12, 0.2) });
    const stream = { name, format, fps, frames$, async close() {} };
    await expect(scan(stream, { turntable: true, backend: "cpu" })).rejects.toThrow("from a recording");
  });
});
