import { describe, expect, onTestFinished, test } from "vitest";
import { openLive } from "../../sources/index.ts";
import { plainServer } from "../sources/live/liveServer.ts";
import { bagOf, db3Of, mcapOf } from "../sources/logs/files.ts";
import type { Written } from "../sources/logs/messages.ts";
import { openBytes } from "../sources/opening.ts";
import { emptyLists, endlessNesting, leftOut, nestedNothing } from "./crafted/messages.ts";

// The number of values in a message is bounded by the message's length, for any definition. A reader that did not count would take
// gigabytes in each of these tests.

const entries = (message: Written) => [{ topic: "/depth", time: 1, message }];
const refusal = async (name: string, bytes: Uint8Array) => {
  const { message } = await openBytes(name, bytes).then(
    () => new Error("it was opened"),
    (error: Error) => error,
  );
  return message;
};
const tooMany = (schema: string) =>
  new RegExp(`/depth, message 0: .*the \\d+ bytes unpack to more than \\d+ values by the definition of ${schema}`);

describe("a short message of millions of values", () => {
  test.each([
    ["CDR", nestedNothing("cdr"), "sensor_msgs/msg/Image"],
    ["protobuf", leftOut(), "foxglove.RawImage"],
    ["JSON", emptyLists(700_000), "foxglove.RawImage"],
  ])("in %s in MCAP is refused, and the error names topic and schema", async (_, message, schema) => {
    expect(await refusal("a.mcap", await mcapOf(entries(message)))).toMatch(tooMany(schema));
  });

  test("in a ROS 1 bag is refused, and the error names topic and schema", async () => {
    const bytes = bagOf(entries(nestedNothing("ros1")));
    expect(await refusal("a.bag", bytes)).toMatch(tooMany("sensor_msgs/Image"));
  });

  test("in a SQLite bag is refused, and the error names topic and schema", async () => {
    const bytes = await db3Of(entries(nestedNothing("cdr")), true);
    expect(await refusal("a.db3", bytes)).toMatch(tooMany("sensor_msgs/msg/Image"));
  });

  test.each(["cdr", "ros1"] as const)("in %s, of a type that contains itself, is refused", async (encoding) => {
    const message = endlessNesting(encoding);
    const bytes = encoding === "cdr" ? await mcapOf(entries(message)) : bagOf(entries(message));
    expect(await refusal("a", bytes)).toMatch(/message 0: .*its messages lie too deep in each other/);
  });

  test("in a live stream is counted as malformed, and the report names topic and schema", async () => {
    const { schema, definition, encoding, language, data } = nestedNothing("cdr");
    const channel = { id: 1, topic: "/depth", encoding, schemaName: schema, schemaEncoding: language };
    const frame = Buffer.concat([Buffer.from([1]), Buffer.from(Uint32Array.of(0).buffer), Buffer.alloc(8), data]);
    const server = await plainServer("foxglove.websocket.v1", (send) => {
      send(JSON.stringify({ op: "serverInfo", name: "x", capabilities: [] }));
      send(
        JSON.stringify({ op: "advertise", channels: [{ ...channel, schema: new TextDecoder().decode(definition) }] }),
      );
      const timer = setInterval(() => send(frame), 20);
      onTestFinished(() => clearInterval(timer));
    });
    await using source = await openLive(server.address);
    const subscription = source.frames$.subscribe({ error() {} });
    onTestFinished(() => subscription.unsubscribe());
    await expect.poll(() => source.report.malformed).toBeGreaterThan(0);
    expect(source.report.problem).toMatch(
      /^topic \/depth: .*more than \d+ values by the definition of sensor_msgs\/msg\/Image/,
    );
  });
});
