import { isPartial } from "../../core/parseBudget.ts";
import { SourceError } from "../../core/source.ts";
import type { ByteFile } from "../files/files.ts";
import { ros2Extensions } from "../format/extensions.ts";
import type { MessageLog, Topic, Use } from "./log.ts";

/** A topic of several logs: the part and the part's own topic, with the number of messages before it. */
interface Piece {
  readonly log: MessageLog;
  readonly topic: Topic;
}

interface JoinedTopic extends Topic {
  readonly pieces: readonly Piece[];
}

/** The messages of several files as those of one: a recording that was split, part after part. */
export function joinedLogs(name: string, logs: readonly MessageLog[]): MessageLog {
  const topics = new Map<string, JoinedTopic & { count: number; pieces: Piece[] }>();
  for (const log of logs)
    for (const topic of log.topics) {
      const known = topics.get(topic.name) ?? { ...topic, count: 0, pieces: [] };
      if (known.type !== topic.type) continue;
      known.count += topic.count;
      known.pieces.push({ log, topic });
      topics.set(topic.name, known);
    }
  const piecesOf = ({ name: wanted }: Topic) => topics.get(wanted)?.pieces ?? [];
  const all = async (topic: Topic, of: (piece: Piece) => Promise<Float64Array | undefined>) => {
    const parts = [];
    for (const piece of piecesOf(topic)) parts.push(await of(piece));
    return parts.every((part) => part !== undefined)
      ? Float64Array.from(parts.flatMap((part) => Array.from(part)))
      : undefined;
  };
  const pick = async (topic: Topic, index: number, peek: boolean): Promise<[Piece, number]> => {
    let left = index;
    for (const piece of piecesOf(topic)) {
      const count = peek ? piece.topic.count : (await piece.log.times(piece.topic)).length;
      if (left < count) return [piece, left];
      left -= count;
    }
    throw new SourceError(`${name}, ${topic.name}, message ${index}: there is no such message`);
  };
  const use = async <T>(topic: Topic, index: number, work: Use<T>, peek: boolean) => {
    const [{ log, topic: own }, at] = await pick(topic, index, peek);
    return peek ? log.peek(own, at, work) : log.read(own, at, work);
  };
  const warnings = logs.flatMap((log) => log.warnings);
  // Warnings that come up while frames are read are added to this one list.
  for (const log of logs) log.warnings.push = (...lines) => warnings.push(...lines);
  return {
    name,
    topics: [...topics.values()],
    warnings,
    times: async (topic) => (await all(topic, ({ log, topic: own }) => log.times(own))) ?? new Float64Array(),
    stamps: (topic) => all(topic, ({ log, topic: own }) => log.stamps(own)),
    peek: (topic, index, work) => use(topic, index, work, true),
    read: (topic, index, work) => use(topic, index, work, false),
    async close() {
      for (const log of logs) await log.close();
    },
  };
}

/** Topics that a sender sends once: recorders write them into the first part of a split recording only. */
const LATCHED = /\/(CameraInfo|CameraCalibration)$/;
const isLatched = ({ name, type }: Topic) => LATCHED.test(type) || /(^|\/)tf_static$/.test(name);

/** The name of a split recording's first part, from the name of another part: "rec_0.mcap" for "rec_12.mcap". */
const FIRST = new RegExp(`_[1-9]\\d*(?=\\.(?:bag|${ros2Extensions.join("|")})$)`, "i");

/**
 * The messages of a file. Only the first part of a split recording has the lenses and fixed transforms: if the file's name is that of a
 * later part, they are read from the first part, which lies beside the file.
 */
export async function openPart(file: ByteFile, open: (file: ByteFile) => Promise<MessageLog>): Promise<MessageLog> {
  const log = await open(file);
  const name = file.name.split(/[\\/]/).pop() ?? "";
  if (!FIRST.test(name)) return log;
  const first = name.replace(FIRST, "_0");
  const other = await file.beside?.(first);
  if (!other) {
    if (file.beside && !log.topics.some((topic) => isLatched(topic) && topic.count > 0))
      log.warnings.push(
        `${log.name}: by its name it is a part of a recording whose first part, ${first}, is missing beside it: lenses and fixed transforms that only that part has are not known`,
      );
    return log;
  }
  try {
    const part = await open(other);
    const joined = withLatched(log, part);
    return {
      ...joined,
      async close() {
        await joined.close();
        if (joined === log) await part.close();
        await other.close();
      },
    };
  } catch (error) {
    await other.close();
    if (!isPartial(error)) throw error;
    log.warnings.push(`${error.message} (what the first part says of the cameras is not known)`);
    return log;
  }
}

function withLatched(part: MessageLog, first: MessageLog): MessageLog {
  const own = new Set(part.topics.filter(({ count }) => count > 0).map(({ name }) => name));
  const more = first.topics.filter((topic) => isLatched(topic) && topic.count > 0 && !own.has(topic.name));
  if (more.length === 0) return part;
  part.warnings.push(
    `${part.name}: it is a part of a recording: ${more.map(({ name }) => name).join(", ")} of ${first.name} hold for it (open the folder for all parts)`,
  );
  return joinedLogs(part.name, [part, { ...first, topics: more }]);
}
