import { describe, expect, test } from "vitest";
import { openRecording } from "../../../sources/index.ts";
import { useFolder } from "../fixtures.ts";
import { db3Of } from "../logs/db3.ts";
import { colorValues, depthUnits, LENS, rows16 } from "../logs/frames.ts";
import { type Entry, mcapOf } from "../logs/mcap.ts";
import { ros2Image, ros2Lens, ros2Transform } from "../logs/messages.ts";

// rosbag2 splits a recording into files. What is sent once (lenses, fixed transforms) is in the first only.

const { folder } = useFolder();
const START = 1_650_000_000_000;
const at = (topic: string, i: number, message: Entry["message"]): Entry => ({ topic, time: START + 40 * i, message });
const parts = [0, 1, 2].map((part): Entry[] => [
  ...(part === 0
    ? [
        at("/depth/camera_info", 0, ros2Lens({ frameId: "d" })),
        at("/color/camera_info", 0, ros2Lens({ frameId: "c" })),
        at("/tf_static", 0, ros2Transform("d", "c", [0, 0, 0], [0, 0, 0, 1])),
      ]
    : []),
  ...[0, 1, 2].flatMap((i) => [
    at(
      "/depth/image",
      3 * part + i,
      ros2Image({ encoding: "16UC1", data: rows16(depthUnits(3 * part + i)), frameId: "d" }),
    ),
    at("/color/image", 3 * part + i, ros2Image({ encoding: "rgb8", data: colorValues(3 * part + i), frameId: "c" })),
  ]),
]);

describe.each([
  ["mcap", mcapOf],
  ["db3", db3Of],
] as const)("a recording that was split into files of %s", (kind, write) => {
  const made = async () => {
    const files = await Promise.all(parts.map((entries) => write(entries)));
    const named = Object.fromEntries(files.map((bytes, i) => [`rec_${i}.${kind}`, bytes]));
    return { files, path: folder({ ...named, "metadata.yaml": "rosbag2_bagfile_information:\n" }) };
  };

  test("opens as one", async () => {
    const recording = await openRecording((await made()).path);
    expect(recording).toMatchObject({ format: "rosbag2", length: 9, fps: 25, warnings: [] });
    for (let i = 0; i < 9; i++) {
      const { depth, color, intrinsics, timestamp } = await recording.read(i);
      expect(timestamp).toBe(START + 40 * i);
      expect([...depth.data]).toEqual([...depthUnits(i)]);
      expect(color?.data.slice(4, 7)).toEqual(colorValues(i).slice(3, 6));
      expect(intrinsics).toMatchObject(LENS);
    }
    await recording.close();
  });

  test("has its lenses and transforms in a later part that is opened alone, with a warning", async () => {
    const recording = await openRecording(`${(await made()).path}/rec_2.${kind}`);
    expect(recording.length).toBe(3);
    const { depth, color, intrinsics } = await recording.read(1);
    expect([...depth.data]).toEqual([...depthUnits(7)]);
    expect(color).toBeDefined();
    expect(intrinsics).toMatchObject(LENS);
    expect(recording.warnings).toEqual([expect.stringMatching(/camera_info, .*tf_static of .*rec_0/)]);
    await recording.close();
  });

  test("opens from a page's files, and says where a part is damaged", async () => {
    const { files } = await made();
    const given = files.map((bytes, i) => new File([i === 1 ? bytes.slice(0, 40) : bytes], `rec_${i}.${kind}`));
    const opening = openRecording([...given, new File(["x"], "metadata.yaml")]).then(async (recording) => {
      const { warnings } = recording;
      await recording.close();
      throw new Error(warnings.join());
    });
    await expect(opening).rejects.toThrow(/rec_1/);
  });
});
