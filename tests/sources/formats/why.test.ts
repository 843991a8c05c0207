import { expect, test } from "vitest";
import { whyNothing } from "../../../sources/messages/log.ts";
import { type Entry, mcapOf, readAll } from "../logs/files.ts";
import * as made from "../logs/frames.ts";
import * as write from "../logs/messages.ts";

// The error for a file without readable depth names the fault, and advises a new copy only where a new copy could help.

const image = write.ros2Depth(0);
const depth: Entry[] = Array.from({ length: 3 }, (_, i) => ({ topic: "/depth/image", time: i, message: image }));
const why = (bytes: Uint8Array<ArrayBuffer>, name: string): Promise<string> =>
  readAll(bytes, name).then(
    () => "it was read",
    (error: Error) => `${error.name}: ${error.message}`,
  );

/** An MCAP file as a killed recorder leaves it: without summary and end. */
async function unfinished(entries: readonly Entry[]): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await mcapOf(entries, { lists: false, summary: false });
  // Data end (13), footer (29) and magic (8).
  return bytes.slice(0, -50);
}

test("an unfinished MCAP file with a wrong checksum is refused for the checksum", async () => {
  const bytes = await unfinished(depth);
  // In the pixels of the first message.
  bytes[Buffer.from(bytes).indexOf("16UC1") + 30] ^= 1;
  expect(await why(bytes, "a.mcap")).toMatch(
    /^SourceError: a\.mcap, chunk at byte \d+: its checksum is wrong; copy or download/,
  );
});

test("an unfinished MCAP file with an unreadable schema is refused for the schema", async () => {
  const definition = new TextEncoder().encode("this is no definition: {{{");
  const entries = depth.map((entry) => ({ ...entry, message: { ...image, definition } }));
  const told = await why(await unfinished(entries), "a.mcap");
  expect(told).toMatch(
    /^SourceError: a\.mcap, \/depth\/image, message 0: it cannot be read: .*\(this topic is left out\)$/,
  );
  expect(told).not.toMatch(/not finished|again/);
});

test("an MCAP file with an unreadable depth topic is refused with its colour topic and the fault", async () => {
  const color = write.ros2Image({ encoding: "rgb8", data: made.colorValues(0), frameId: "c" });
  const definition = new TextEncoder().encode("{{{");
  const entries = [
    ...depth.map((entry) => ({
      ...entry,
      message: { ...image, schema: "sensor_msgs/msg/CompressedImage", definition },
    })),
    { topic: "/color/image", time: 0, message: color },
  ];
  expect(await why(await mcapOf(entries), "a.mcap")).toMatch(
    /it has no depth topic .*; it holds \/color\/image \(sensor_msgs\/Image\); a\.mcap, \/depth\/image, message 0: .*left out\)$/,
  );
});

test("whyNothing prefers the warning of an unreadable chunk to that of a cut-off file", () => {
  const unread = "a.bag, chunk at byte 9: its checksum is wrong (it is left out)";
  const cut = "a.bag: it is cut off or damaged at byte 7 of 9; what comes before plays";
  expect(whyNothing([cut, unread])).toBe(unread);
  expect(whyNothing([cut, "the lens is taken to have none"], "/tf")).toMatch(/before that; copy or download it again$/);
  expect(whyNothing(["the lens is taken to have none"], "/tf")).toBeUndefined();
});
