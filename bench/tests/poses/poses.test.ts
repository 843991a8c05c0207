import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { compose, type Rigid, rigid, turned } from "../../../core/pose.ts";
import { syntheticRoom } from "../../../sources/synthetic/index.ts";
import { apart } from "../../../tests/track/poses.ts";
import { writePngFolder, writeTum } from "../../../write/index.ts";
import type { PosesReport } from "../../poses/report.ts";
import { runPoses } from "../../poses/run.ts";
import { trajectoryError } from "../../poses/trajectory.ts";

// The figures of `bench poses` on trajectories with known errors and on a recording with known poses.

const at = (x: number, y: number, z: number, turn = 0) => turned([0.3 * turn, turn, 0], [x, y, z]);
/** A walk that is neither straight nor flat. */
const walk = Array.from({ length: 12 }, (_, i) => at(0.1 * i, 0.05 * Math.sin(i), 0.02 * i * i, 0.03 * i));
const pairsOf = (found: readonly Rigid[], truth: readonly Rigid[] = walk) =>
  found.map((pose, index) => ({ index, found: pose, truth: truth[index] }));

describe("a trajectory's error", () => {
  test("is zero when the whole trajectory is turned and moved", () => {
    const world = turned([0.5, -2, 1], [3, -4, 5]);
    const error = trajectoryError(pairsOf(walk.map((pose) => compose(rigid(), world, pose))));
    expect(error?.ateMm).toBeCloseTo(0, 6);
    expect(error?.rpeMm).toBeCloseTo(0, 6);
    expect(error?.rpeDeg).toBeCloseTo(0, 4);
    const way = walk.slice(1).reduce((sum, pose, i) => sum + apart(walk[i], pose).mm / 1000, 0);
    expect(error?.lengthM).toBeCloseTo(way, 6);
  });

  test("of one wrong frame is the known one", () => {
    // A square of 2 m with one corner found 40 mm too high: the best fit tilts the square and leaves 10 mm at each corner.
    const square = [at(0, 0, 0), at(2, 0, 0), at(2, 0, 2), at(0, 0, 2)];
    const error = trajectoryError(pairsOf([at(0, 0.04, 0), ...square.slice(1)], square));
    expect(error?.ateMm).toBeCloseTo(10, 1);
    expect(error?.farthestMm).toBeCloseTo(10, 1);
    expect(error?.rpeMm).toBeCloseTo(40 / Math.sqrt(3), 6);
    expect(error?.rpeDeg).toBe(0);
  });

  test("has no step across a gap, and is undefined without frames", () => {
    const [a, b] = pairsOf(walk);
    expect(trajectoryError([a, { ...b, index: 5 }])?.rpeMm).toBeNull();
    expect(trajectoryError([])).toBeUndefined();
    expect(trajectoryError([a])).toMatchObject({ ateMm: 0, rpeMm: null, lengthM: 0 });
  });
});

describe("`bench poses`", () => {
  const folder = mkdtempSync(join(tmpdir(), "depthloom-poses-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const [known, bare] = [join(folder, "known"), join(folder, "bare")];
  const room = () =>
    syntheticRoom({ width: 320, height: 240, frames: 8, cameraMotion: "sway", color: false, noise: false });
  beforeAll(async () => {
    await writeTum(room(), known, { truth: false });
    await writePngFolder(room(), bare, { truth: false, count: 2 });
  });

  async function run(options: Partial<Parameters<typeof runPoses>[0]>): Promise<string> {
    const texts: string[] = [];
    const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => texts.push(String(text)) > 0);
    try {
      expect(await runPoses({ recordings: [known], set: [], stages: "track", ...options }, () => {})).toBe(0);
    } finally {
      write.mockRestore();
    }
    return texts.join("");
  }

  test("scores the poses that `track` finds without the recording's own", async () => {
    const out = join(folder, "out.json");
    const report = JSON.parse(await run({ json: true, out })) as PosesReport;
    expect(JSON.parse(readFileSync(out, "utf8")).recordings).toEqual(report.recordings);
    const [row] = report.recordings;
    expect(row).toMatchObject({ recording: known, frames: 8, scored: 8, lost: 0 });
    expect(row.still + row.moved).toBe(8);
    // An error of zero would mean that `track` had seen the recording's own poses.
    expect(row.error?.ateMm).toBeGreaterThan(0.01);
    expect(row.error?.ateMm).toBeLessThan(3);
    expect(row.error?.lengthM).toBeGreaterThan(0.02);
    expect(await run({ frames: 3 })).toMatch(/ATE mm[\s\S]*known +3 /);
  });

  test("shifts the recording's poses in time by --shift", async () => {
    // A shift of one frame, 1/30 s: the last frame's pose is unknown, all others are a step off, which ATE hardly shows on a steady walk.
    const report = JSON.parse(await run({ json: true, shift: 0.0333 })) as PosesReport;
    expect(report).toMatchObject({ shiftS: 0.0333, recordings: [{ frames: 8, scored: 7 }] });
  });
});
