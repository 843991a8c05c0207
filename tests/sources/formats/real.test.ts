import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { decode } from "fast-png";
import { describe, expect, test } from "vitest";
import { countValid } from "../../../core/frame.ts";
import { decodeDepth } from "../../../sources/decode/png.ts";
import { openRecording } from "../../../sources/index.ts";

/** The real recordings are not in the repository; without them these tests are skipped. */
const data = "../shared/data";
const recordings = [
  {
    name: "tum_fr1_xyz",
    format: "tum",
    length: 40,
    size: [480, 640],
    unit: 1 / 5000,
    valid: 0.7483,
    least: 4513,
    most: 18587,
    hash: "8cbd088929afa873",
  },
  {
    name: "gotpd_kinect2_overhead",
    format: "png",
    length: 30,
    size: [424, 512],
    unit: 0.001,
    valid: 0.9037,
    least: 621,
    most: 4469,
    hash: "705ea155344e6579",
  },
  {
    name: "redwood_noisy",
    format: "png",
    length: 15,
    size: [480, 640],
    unit: 0.001,
    valid: 0.9176,
    least: 917,
    most: 2723,
    hash: "1572b550e47208d5",
  },
  {
    name: "redwood_clean",
    format: "png",
    length: 15,
    size: [480, 640],
    unit: 0.001,
    valid: 0.9776,
    least: 918,
    most: 2722,
    hash: "ed581fadb597715b",
  },
  {
    name: "aims_realsense",
    format: "png",
    length: 6,
    size: [480, 640],
    unit: 0.001,
    valid: 0.9034,
    least: 479,
    most: 65535,
    hash: "e1f17e31f3cccc0d",
  },
  {
    name: "xtion_icsl_square",
    format: "png",
    length: 8,
    size: [480, 640],
    unit: 0.001,
    valid: 0.843,
    least: 1748,
    most: 9870,
    hash: "e85f767e4f27282b",
  },
  {
    name: "sr305_hand",
    format: "png",
    length: 19,
    size: [480, 640],
    unit: 0.000125,
    valid: 0.2312,
    least: 4138,
    most: 7580,
    hash: "6547f17b40b38fa3",
  },
] as const;

const sha = (data: Uint16Array) => createHash("sha256").update(new Uint8Array(data.buffer)).digest("hex").slice(0, 16);

const same = (a: Uint16Array, b: Uint16Array) =>
  Buffer.compare(new Uint8Array(a.buffer), new Uint8Array(b.buffer)) === 0;

describe.skipIf(!existsSync(data))("real recordings in ../shared/data:", () => {
  test.each(recordings)(
    "$name opens as $format with $length frames, and its first frame is the published one",
    async (expected) => {
      const folder = `${data}/${expected.name}`;
      await using recording = await openRecording(folder);
      const { format, length } = recording;
      const frame = await recording.read(0);
      expect({ format, length, unit: frame.metresPerUnit, size: frame.depth.shape }).toEqual({
        format: expected.format,
        length: expected.length,
        unit: expected.unit,
        size: expected.size,
      });

      const [first] = readdirSync(`${folder}/depth`).sort();
      const raw = await decodeDepth(new Uint8Array(readFileSync(`${folder}/depth/${first}`)), first);
      expect(sha(raw.data)).toBe(expected.hash);

      // In one recording 65535 means "no measurement"; its published figures still count 65535 as depth.
      const mapped = raw.data.map((value) => (value === 65535 ? 0 : value));
      expect(same(frame.depth.data, mapped)).toBe(true);
      const far = raw.data.filter((value) => value === 65535).length;
      expect((countValid(frame.depth) + far) / raw.data.length).toBeCloseTo(expected.valid, 4);
      const values = raw.data.filter((value) => value !== 0);
      expect([values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))]).toEqual([
        expected.least,
        expected.most,
      ]);
    },
  );

  test("decodeDepth decodes every image to the values that fast-png gives", async () => {
    let count = 0;
    for (const { name } of recordings) {
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
    // The line of groundtruth.txt nearest to 1305031102.160407 begins with 1305031102.1658 1.3410.
    const line = readFileSync(`${data}/tum_fr1_xyz/groundtruth.txt`, "utf8")
      .split("\n")
      .filter((l) => /^1305031102\.1[56]/.test(l));
    const near = line
      .map((l) => l.split(" ").map(Number))
      .sort((a, b) => Math.abs(a[0] - 1305031102.160407) - Math.abs(b[0] - 1305031102.160407))[0];
    const pose = (await recording.pose(0)) ?? [];
    expect([pose[3], pose[7], pose[11]]).toEqual(near.slice(1, 4));
  });
});
