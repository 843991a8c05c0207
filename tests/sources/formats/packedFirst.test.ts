import { expect, test } from "vitest";
import { image } from "../../../core/frame.ts";
import { openRecording } from "../../../sources/index.ts";
import { depthV2Encoder } from "../../../write/depthV2.ts";
import { mcapOf } from "../logs/files.ts";
import { ros2Compressed } from "../logs/messages.ts";

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
