import protobuf from "protobufjs";
import type { Written } from "../../sources/logs/messages.ts";

// Messages of few bytes that unpack to millions of values.

const utf8 = (text: string) => new TextEncoder().encode(text);
const separator = "=".repeat(80);
const uint32 = (...values: number[]) => new Uint8Array(Uint32Array.from(values).buffer);

/** An image whose first field is a list of lists of a type without bytes: a message of 4 KB holds 4,000 × 4,000 of them. */
const NESTED = [
  "Outer[] lists",
  ...[separator, "MSG: sensor_msgs/Outer", "Inner[4000] parts"],
  ...[separator, "MSG: sensor_msgs/Inner", "uint8[0] nothing"],
].join("\n");

/** A ROS message of the type NESTED; CDR has 4 bytes in front. */
export function nestedNothing(encoding: "cdr" | "ros1"): Written {
  const lists = uint32(4000);
  const data = new Uint8Array(4100);
  data.set(encoding === "cdr" ? [0, 1, 0, 0, ...lists] : lists);
  return {
    schema: encoding === "cdr" ? "sensor_msgs/msg/Image" : "sensor_msgs/Image",
    language: encoding === "cdr" ? "ros2msg" : "ros1msg",
    definition: utf8(NESTED),
    encoding,
    data,
  };
}

/** A message of ROS whose type is a part of itself. */
export const endlessNesting = (encoding: "cdr" | "ros1"): Written => ({
  ...nestedNothing(encoding),
  definition: utf8(`Outer first\n${separator}\nMSG: sensor_msgs/Outer\nOuter again\n`),
});

/** A protobuf file descriptor set of these types, written field by field. */
function descriptors(types: Readonly<Record<string, readonly (readonly [name: string, type: number, of?: string])[]>>) {
  const file = protobuf.Writer.create().uint32(10).string("a.proto").uint32(18).string("foxglove");
  for (const [name, fields] of Object.entries(types)) {
    const message = protobuf.Writer.create().uint32(10).string(name);
    for (const [i, [field, type, of]] of fields.entries()) {
      const one = protobuf.Writer.create()
        .uint32(10)
        .string(field)
        .uint32(24)
        .int32(i + 1);
      one.uint32(32).int32(3).uint32(40).int32(type);
      if (of) one.uint32(50).string(of);
      message.uint32(18).bytes(one.finish());
    }
    file.uint32(34).bytes(message.finish());
  }
  return protobuf.Writer.create().uint32(10).bytes(file.finish()).finish();
}

/** An image of 2,000 parts of two bytes, each part with 60,000 lists left out. */
export function leftOut(): Written {
  const fields = Array.from({ length: 60_000 }, (_, i) => [`f${i}`, 5] as const);
  return {
    schema: "foxglove.RawImage",
    language: "protobuf",
    definition: descriptors({ RawImage: [["parts", 11, ".foxglove.Part"]], Part: fields }),
    encoding: "protobuf",
    data: new Uint8Array(4000).map((_, i) => (i % 2 === 0 ? 10 : 0)),
  };
}

/** An image in JSON whose data are `count` empty lists. */
export const emptyLists = (count: number): Written => ({
  schema: "foxglove.RawImage",
  language: "jsonschema",
  definition: utf8('{"type":"object"}'),
  encoding: "json",
  data: utf8(`{"data":[${"[],".repeat(count)}[]]}`),
});
