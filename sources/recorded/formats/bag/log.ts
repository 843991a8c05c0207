import { PARSE_COST, ParseBudget } from "../../../../core/parseBudget.ts";
import type { ByteFile } from "../../../files/files.ts";
import { type ChunkedFile, openChunked } from "../../../messages/chunkedLog.ts";
import { type MessageLog, onceEach, typeName } from "../../../messages/log.ts";
import { listOf, PlaceList } from "../../../messages/places.ts";
import { loadReader } from "../../../messages/readers.ts";
import { type BagLayout, eachEntry, indexOf, type List, scanFile } from "./layout.ts";
import { connectionOf, eachRecord, HEADER, number, OP, recordAt, timeOf } from "./records.ts";

/** The cost of each byte of a connection, which is held as long as the file is open. */
const NAMING_BYTE = 8;

/** Opens the messages of a ROS 1 bag by its index or, where it has none, by a scan from its start. */
export async function openBagLog(file: ByteFile): Promise<MessageLog> {
  const parsing = new ParseBudget(file.name, file.packedSize ?? file.size);
  const layout = (await indexOf(file)) ?? (await scanFile(file));
  return openChunked(file, formatOf(file, layout, parsing), parsing);
}

function formatOf(
  file: ByteFile,
  { connections, chunks: list, lists, warnings }: BagLayout,
  budget: ParseBudget,
): ChunkedFile<List> {
  return {
    chunks: list,
    warnings,
    lists: lists.map((one) => (one.size > 0 ? one : undefined)),
    crc32: () => 0,
    isDefined: (id) => connections.has(id),
    lookThrough(bytes, chunk, found) {
      eachRecord(bytes, (record, offset) => {
        budget.spend(PARSE_COST.entry);
        if (record.op === OP.connection) {
          budget.spend(PARSE_COST.naming + NAMING_BYTE * record.length);
          const start = offset + record.data;
          // A copy, since the chunk's own memory is given back.
          const connection = connectionOf(record, bytes.slice(start, start + record.length));
          if (connection) connections.set(...connection);
        }
        const time = timeOf(record);
        if (record.op !== OP.message || !found || time === undefined) return;
        const id = number(record.fields, "conn");
        listOf(found, id, () => new PlaceList(budget, `of connection ${id}`)).add(time, chunk, offset);
      });
    },
    *senders() {
      for (const [id, { topic: name, type }] of connections) yield { id, name, type: typeName(type) };
    },
    count: (_, own) => own.reduce((sum, { count }) => sum + count, 0),
    encodingOf: () => "ros1",
    readerOf: onceEach(async (id: number) => {
      const { type: name = "", definition = new Uint8Array() } = connections.get(id) ?? {};
      return loadReader({ type: typeName(name), name, encoding: "ros1", language: "ros1msg", definition }, budget);
    }),
    async readList({ bytes, at, count }, _, add) {
      eachEntry(bytes ?? (await file.read(at, count * 12)), (seconds, nanoseconds, offset) =>
        add(seconds * 1000 + nanoseconds / 1e6, offset),
      );
    },
    async use(chunks, chunk, offset, take, paid, most) {
      const messageIn = (bytes: Uint8Array) => {
        const record = recordAt(bytes);
        const isThere =
          record?.op === OP.message && (most !== undefined || record.data + record.length <= bytes.length);
        if (!isThere) return take(undefined);
        const data = bytes.subarray(record.data, record.data + record.length);
        return take({ sender: number(record.fields, "conn"), data });
      };
      const { start, compression, length } = list[chunk];
      // A stamp in a chunk that is not compressed can be read without the rest of the chunk.
      if (most === undefined || compression !== "")
        return chunks.use(chunk, (bytes) => messageIn(bytes.subarray(offset)), paid);
      return messageIn(await file.read(start + offset, Math.min(HEADER + most, length - offset)));
    },
  };
}
