import { expect, test } from "vitest";
import { openRecording } from "../../../sources/index.ts";
import { tgzOf, tumContents, useFolder } from "../fixtures.ts";

const disk = useFolder();

test("a tgz in TUM's layout has the poses that stand before its images, not those behind its images", async () => {
  const { "groundtruth.txt": poses = "", ...rest } = tumContents(2);
  const poseIn = async (contents: ReturnType<typeof tumContents>) => {
    await using recording = await openRecording(disk.file("a.tgz", tgzOf(contents)));
    const { pose } = await recording.read(0);
    return pose;
  };
  expect((await poseIn(tumContents(2)))?.slice(0, 4)).toEqual([1, 0, 0, 1]);
  expect(await poseIn({ ...rest, "groundtruth.txt": poses })).toBeUndefined();
});
