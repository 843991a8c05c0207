import { McapWriter } from "@mcap/core";
import { expect, test } from "vitest";
import { McapChunks } from "../../../write/mcapChunks.ts";
import { McapRecorder } from "../../../write/recorder.ts";

// The own writer of MCAP writes the bytes of @mcap/core's, checksums, indexes and summary included.

const CHUNK = 300;

function sinkInMemory() {
  const parts: Buffer[] = [];
  const position = () => BigInt(parts.reduce((sum, { length }) => sum + length, 0));
  return {
    write: async (bytes: Uint8Array) => void parts.push(Buffer.from(bytes)),
    position,
    all: () => Buffer.concat(parts),
  };
}

const schemas = ["one", "two"].map((name) => ({
  name,
  encoding: "ros2msg",
  data: new TextEncoder().encode(`# ${name}`),
}));
const channels = [1, 2, 2].map((schemaId, i) => {
  const metadata = new Map(i === 1 ? [["metresPerUnit", "0.001"]] : []);
  return { schemaId, topic: `/${i}`, messageEncoding: "cdr", metadata };
});
/** Messages of all sizes, whose times run back; the last channel has none. */
const messages = Array.from({ length: 40 }, (_, i) => {
  const data = Uint8Array.from({ length: (i * 37) % 400 }, (_, k) => (k * i) & 255);
  const logTime = 10_000n + BigInt((i * 7919) % 1000);
  return { channelId: i % 3 === 0 ? 1 : 0, sequence: i, logTime, publishTime: logTime + 1n, data };
});
const reversed = (chunk: Uint8Array) => ({ compression: "zstd", compressedData: chunk.slice(3).reverse() });

test.each([
  ["packed", messages, true],
  ["not packed", messages, false],
  ["of one message", messages.slice(5, 6), true],
  ["without a message", [], false],
] as const)("a file with chunks %s is byte for byte that of @mcap/core's writer", async (_, sent, isPacked) => {
  const [own, theirs] = [sinkInMemory(), sinkInMemory()];
  const chunks = new McapChunks(own, CHUNK, isPacked ? (parts) => reversed(Buffer.concat(parts)) : undefined);
  const writer = new McapWriter({ writable: theirs, chunkSize: CHUNK, ...(isPacked && { compressChunk: reversed }) });
  await chunks.start("ros2", "it");
  await writer.start({ profile: "ros2", library: "it" });
  for (const schema of schemas) expect(chunks.schema(schema)).toBe(await writer.registerSchema(schema));
  for (const channel of channels) expect(chunks.channel(channel)).toBe(await writer.registerChannel(channel));
  for (const message of sent) {
    await chunks.message(message);
    await writer.addMessage(message);
    expect(own.position()).toBe(theirs.position());
  }
  await chunks.end();
  await writer.end();
  expect(own.all().equals(theirs.all())).toBe(true);
});

test("a message that is copied may change in the memory of its reader", async () => {
  const sink = sinkInMemory();
  const recorder = new McapRecorder(sink);
  const data = Uint8Array.of(65, 66, 67, 68, 69);
  await recorder.copy({ topic: "/it", schema: "std_msgs/msg/String" }, data, 1n, 0);
  data.fill(0);
  await recorder.end();
  expect(sink.all().includes("ABCDE")).toBe(true);
});
