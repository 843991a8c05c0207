import { describe, expect, test } from "vitest";
import { openRecording, SourceError } from "../../../sources/index.ts";
import { useFolder } from "../fixtures.ts";
import { db3Of, type Entry, mcapOf } from "../logs/files.ts";
import { colorValues, depthUnits, LENS } from "../logs/frames.ts";
import { ros2Depth, ros2Image, ros2Lens, ros2Transform } from "../logs/messages.ts";

// rosbag2 splits a recording into files. Messages that are sent once (lenses, fixed transforms) are in the first only.

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
    at("/depth/image", 3 * part + i, ros2Depth(3 * part + i, "d")),
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
    await using recording = await openRecording((await made()).path);
    expect(recording).toMatchObject({ format: "rosbag2", length: 9, fps: 25, warnings: [] });
    for (let i = 0; i < 9; i++) {
      const { depth, color, intrinsics, timestamp } = await recording.read(i);
      expect(timestamp).toBe(START + 40 * i);
      expect([...depth.data]).toEqual([...depthUnits(i)]);
      expect(color?.data.slice(4, 7)).toEqual(colorValues(i).slice(3, 6));
      expect(intrinsics).toMatchObject(LENS);
    }
  });

  test("has its lenses and transforms in a later part that is opened alone, with a warning", async () => {
    await using recording = await openRecording(`${(await made()).path}/rec_2.${kind}`);
    expect(recording.length).toBe(3);
    const { depth, color, intrinsics } = await recording.read(1);
    expect([...depth.data]).toEqual([...depthUnits(7)]);
    expect(color).toBeDefined();
    expect(intrinsics).toMatchObject(LENS);
    expect(recording.warnings).toEqual([expect.stringMatching(/camera_info, .*tf_static of .*rec_0/)]);
  });

  test("plays the parts that are there, and names those that are missing or damaged", async () => {
    const { files } = await made();
    const names = [0, 1, 2].map((i) => `rec_${i}.${kind}`);
    // A list that is searched from every empty line anew would take for ever.
    const metadata = `${"\n".repeat(2 ** 20)}rosbag2_bagfile_information:\n  relative_file_paths:\n${names.map((name) => `    - ${name}\n`).join("")}`;
    for (const [there, frames, warning] of [
      [{ [names[0]]: files[0], [names[2]]: files[2] }, 6, /metadata\.yaml names rec_1\.\w+ is missing/],
      [
        { [names[0]]: files[0], [names[1]]: files[1].slice(0, 40), [names[2]]: files[2] },
        6,
        /rec_1.*\(this part is left out\)|rec_1.*cut off/,
      ],
      [{ [names[0]]: files[0] }, 3, /names rec_1\.\w+, rec_2\.\w+ are missing/],
    ] as const) {
      await using recording = await openRecording(folder({ ...there, "metadata.yaml": metadata }));
      expect(recording.length).toBe(frames);
      expect(recording.warnings.join()).toMatch(warning);
      expect((await recording.read(frames - 1)).intrinsics).toMatchObject(LENS);
    }
    const alone = await openRecording(`${folder({ [names[2]]: files[2] })}/${names[2]}`);
    expect(alone.warnings.join()).toMatch(/whose first part, rec_0\.\w+, is missing beside it/);
    await alone.close();
    const bare = folder({ [names[1]]: files[1], [names[0]]: files[0], [names[2]]: files[2] });
    const numbered = await openRecording(bare);
    expect([numbered.length, numbered.warnings]).toEqual([
      9,
      [expect.stringMatching(/metadata\.yaml is missing.*rec_0/)],
    ]);
    expect((await numbered.read(8)).depth.data).toEqual(depthUnits(8));
    await numbered.close();
    const takes = folder({ [names[1]]: files[1], [names[2]]: files[2] });
    await expect(openRecording(takes)).rejects.toThrow();
    const page = files.map((bytes, i) => new File([bytes], names[i]));
    await using given = await openRecording([...page, new File([metadata], "metadata.yaml")]);
    expect(given.length).toBe(9);
  });
});

test("hundreds of parts that are none are refused, whatever metadata.yaml names", async () => {
  const parts = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`rec_${i}.mcap`, Uint8Array.of(0x89, i & 255)]));
  const metadata = Array.from({ length: 40_000 }, (_, i) => `    - ${"../".repeat(i % 9)}rec_${i}.mcap\n`).join("");
  await expect(openRecording(folder({ ...parts(501), "metadata.yaml": metadata }))).rejects.toThrow(/at most 500/);
  await expect(openRecording(folder({ ...parts(60), "metadata.yaml": metadata }))).rejects.toThrow(SourceError);
});
