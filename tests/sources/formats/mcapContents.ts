import { readFileSync } from "node:fs";
import { parse } from "@foxglove/rosmsg";
import { MessageReader } from "@foxglove/rosmsg2-serialization";
import zstd from "@foxglove/wasm-zstd";
import { McapStreamReader, type McapTypes } from "@mcap/core";

/** A message of an MCAP file, read by the format's own library and ROS's definitions. */
export interface Told {
  readonly topic: string;
  readonly schema: string;
  readonly time: bigint;
  readonly sequence: number;
  readonly metadata: ReadonlyMap<string, string>;
  readonly message: Record<string, unknown>;
}

/** Everything in a file, to its end or to where it was cut. */
export async function contents(path: string): Promise<{ readonly header: string; readonly told: Told[] }> {
  await zstd.isLoaded;
  const reader = new McapStreamReader({
    decompressHandlers: { zstd: (data, size) => new Uint8Array(zstd.decompress(data, Number(size))) },
  });
  reader.append(readFileSync(path));
  const channels = new Map<number, McapTypes.Channel>();
  const readers = new Map<number, [string, MessageReader]>();
  const told: Told[] = [];
  let header = "";
  for (let record = reader.nextRecord(); record; record = reader.nextRecord()) {
    if (record.type === "Header") header = `${record.profile}, ${record.library}`;
    if (record.type === "Channel") channels.set(record.id, record);
    if (record.type === "Schema") {
      const definition = parse(new TextDecoder().decode(record.data), { ros2: true });
      readers.set(record.id, [`${record.name} ${record.encoding}`, new MessageReader(definition)]);
    }
    if (record.type !== "Message") continue;
    const { topic, schemaId, metadata } = channels.get(record.channelId) as McapTypes.Channel;
    const [schema, read] = readers.get(schemaId) as [string, MessageReader];
    const message = read.readMessage<Record<string, unknown>>(record.data);
    told.push({ topic, schema, time: record.logTime, sequence: record.sequence, metadata, message });
  }
  return { header, told };
}

export const of = (told: readonly Told[], topic: string) => told.filter((one) => one.topic === topic);
