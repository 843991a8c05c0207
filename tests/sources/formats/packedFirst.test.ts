import { expect, test } from "vitest";
import { image } from "../../../core/frame.ts";
import { openRecording } from "../../../sources/index.ts";
import { depthV2Encoder } from "../../../write/depthV2.ts";
import { depthPng, depthValues } from "../fixtures.ts";
import { mcapOf } from "../logs/files.ts";
import { depthUnits } from "../logs/frames.ts";
import { ros2Compressed, ros2Depth } from "../logs/messages.ts";
import { openBytes } from "../opening.ts";

test.each([0, 1])(
  "of packed depth whose message %i is damaged the others are read, and the damage is named",
  async (bad) => {
    const pack = await depthV2Encoder();
    const sound = pack(
      image(
        Uint16Array.from({ length: 12 }, (_, i) => 900 + i),
        [3, 4],
      ),
    );
    const entries = [0, 1, 2].map((i) => ({
      topic: "/depth",
      time: 10 * i,
      message: ros2Compressed("16UC1; depthloom.depth.v2", i === bad ? sound.slice(0, 9) : sound),
    }));
    await using recording = await openRecording(new File([await mcapOf(entries)], "packed.mcap"));
    expect(recording.length).toBe(3);
    for (let i = 0; i < 3; i++) {
      const read = recording.read(i);
      if (i === bad)
        await expect(read).rejects.toThrow(
          /^packed\.mcap, \/depth, message \d: this packed depth is damaged: .*copy or record/,
        );
      else expect((await read).depth.data[11]).toBe(911);
    }
  },
);

test("an image that was recorded as it is and packed is one topic; the packed one is opened by its name", async () => {
  const entries = [0, 1, 2, 3].flatMap((i) => [
    { topic: "/depth/image_raw", time: 40 * i, message: ros2Depth(i) },
    {
      topic: "/depth/image_raw/compressed",
      time: 40 * i,
      message: ros2Compressed("png", depthPng(depthValues(9 + i))),
    },
  ]);
  const bytes = await mcapOf(entries);
  const first = async (topic?: string) =>
    (await (await openBytes("a.mcap", bytes, topic === undefined ? {} : { topic })).read(0)).depth.data[9];
  const fewer = await mcapOf(entries.filter(({ topic, time }) => topic.endsWith("compressed") || time === 0));
  await expect(openBytes("a.mcap", fewer)).rejects.toThrow("2 depth topics");
  expect([await first(), await first("/depth/image_raw/compressed")]).toEqual([depthUnits(0)[9], depthValues(9)[9]]);
});
