import { existsSync, readdirSync, readFileSync } from "node:fs";
import { decode } from "fast-png";
import { describe, expect, test } from "vitest";
import { countValid } from "../../../core/frame.ts";
import { decodeDepth } from "../../../sources/decode/png.ts";
import { openRecording } from "../../../sources/index.ts";
import { depthHash } from "../fixtures.ts";

/** The real recordings are not in the repository; without them these tests are skipped. */
const data = "../shared/data";
/** Name, format, length, rows and columns, and unit; and of the first image, as published: valid share, least, most, and hash. */
const recordings = [
  ["tum_fr1_xyz", "tum", 40, [480, 640], 1 / 5000, 0.7483, 4513, 18587, "8cbd088929afa873"],
  ["gotpd_kinect2_overhead", "png", 30, [424, 512], 0.001, 0.9037, 621, 4469, "705ea155344e6579"],
  ["redwood_noisy", "png", 15, [480, 640], 0.001, 0.9176, 917, 2723, "1572b550e47208d5"],
  ["redwood_clean", "png", 15, [480, 640], 0.001, 0.9776, 918, 2722, "ed581fadb597715b"],
  ["aims_realsense", "png", 6, [480, 640], 0.001, 0.9034, 479, 65535, "e1f17e31f3cccc0d"],
  ["xtion_icsl_square", "png", 8, [480, 640], 0.001, 0.843, 1748, 9870, "e85f767e4f27282b"],
  ["sr305_hand", "png", 19, [480, 640], 0.000125, 0.2312, 4138, 7580, "6547f17b40b38fa3"],
] as const;

const sha = (data: Uint16Array) => depthHash(data).slice(0, 16);

const same = (a: Uint16Array, b: Uint16Array) =>
  Buffer.compare(new Uint8Array(a.buffer), new Uint8Array(b.buffer)) === 0;

describe.skipIf(!existsSync(data))("real recordings in ../shared/data:", () => {
  test.each(recordings)(
    "%s opens as %s with %i frames, and its first frame is the published one",
    async (...[name, format, length, size, unit, valid, least, most, hash]) => {
      const folder = `${data}/${name}`;
      await using recording = await openRecording(folder);
      const frame = await recording.read(0);
      expect([recording.format, recording.length]).toEqual([format, length]);
      expect([frame.metresPerUnit, frame.depth.shape]).toEqual([unit, size]);
      const [first] = readdirSync(`${folder}/depth`).sort();
      const raw = await decodeDepth(new Uint8Array(readFileSync(`${folder}/depth/${first}`)), first);
      expect(sha(raw.data)).toBe(hash);
      // In one recording 65535 means "no measurement"; its published figures still count 65535 as depth.
      const mapped = raw.data.map((value) => (value === 65535 ? 0 : value));
      expect(same(frame.depth.data, mapped)).toBe(true);
      const far = raw.data.filter((value) => value === 65535).length;
      expect((countValid(frame.depth) + far) / raw.data.length).toBeCloseTo(valid, 4);
      const values = raw.data.filter((value) => value !== 0);
      const ends = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
      expect(ends).toEqual([least, most]);
    },
  );

  test("decodeDepth decodes every image to the values that fast-png gives", async () => {
    let count = 0;
    for (const [name] of recordings) {
      for (const file of readdirSync(`${data}/${name}/depth`)) {
        const bytes = new Uint8Array(readFileSync(`${data}/${name}/depth/${file}`));
        const { data: expected } = decode(bytes, { checkCrc: true });
        expect(same((await decodeDepth(bytes, file)).data, expected as Uint16Array), `${name}/${file}`).toBe(true);
        count++;
      }
    }
    expect(count).toBe(133);
  });

  test("tum_fr1_xyz has the colours, times and poses that TUM's associate.py gives", async () => {
    await using recording = await openRecording(`${data}/tum_fr1_xyz`);
    expect(recording.warnings).toEqual([expect.stringContaining("no intrinsics are given")]);
    const withColor = [];
    for (let i = 0; i < recording.length; i++) if ((await recording.read(i)).color) withColor.push(i);
    // Of five images associate.py pairs four with depth 0, 2, 3 and 4; depth 1 and 5 are within 0.02 s of a paired one.
    expect(withColor).toEqual([0, 1, 2, 3, 4, 5]);
    const frame = await recording.read(0);
    expect(frame.timestamp).toBeCloseTo(1305031102160.407, 2);
    const png = decode(new Uint8Array(readFileSync(`${data}/tum_fr1_xyz/rgb/1305031102.175304.png`)));
    const rgba = frame.color?.data ?? new Uint8Array();
    expect(rgba.length).toBe(640 * 480 * 4);
    expect([...rgba.subarray(0, 8)]).toEqual([...png.data.subarray(0, 3), 255, ...png.data.subarray(3, 6), 255]);
    // The nearest line of groundtruth.txt: the next one, 1305031102.1658, is 0.8 ms farther off.
    const truth = readFileSync(`${data}/tum_fr1_xyz/groundtruth.txt`, "utf8");
    const [, ...near] = /^1305031102\.1558 (\S+) (\S+) (\S+)/m.exec(truth) ?? [];
    const pose = (await recording.pose(0)) ?? [];
    expect([pose[3], pose[7], pose[11]]).toEqual(near.map(Number));
  });
});
