import { SourceError } from "../../../../core/source.ts";
import type { ByteFile, Files } from "../../../files/files.ts";
import { named, ros2Extensions } from "../../../format/extensions.ts";
import type { Format, Input } from "../../../format/format.ts";
import { joinedLogs } from "../../../messages/joined.ts";
import type { MessageLog } from "../../../messages/log.ts";
import { naturally } from "../../color.ts";
import { lookInto, partsNamed } from "../../containers.ts";

const BAG = named(ros2Extensions, { packed: true });
const isPart = (name: string) => BAG.test(name) && !name.includes("/");
/** The most parts: each is a file that stays open. */
const MAX_PARTS = 500;

/**
 * A recording that rosbag2 split: a folder of several MCAP files or databases and their description, `metadata.yaml`; without it, files
 * that are numbered as rosbag2 does.
 */
export const rosbag2: Format = {
  name: "rosbag2",
  sign: "a split ROS 2 bag",
  begins: (names) => names.includes("metadata.yaml") && names.some(isPart),
  async open(input, options, decoder) {
    if (input.kind !== "files" || !input.files.file) return undefined;
    const { files } = input;
    const all = await files.list();
    const bags = all.filter(isPart);
    // A compressed file and the file unpacked from it are the same part.
    const names = naturally(
      bags.filter((name) => !bags.includes(name.replace(/(?<=\.\w+)\.zstd?$/i, "")) || !/\.zstd?$/i.test(name)),
    );
    const isDescribed = all.includes("metadata.yaml");
    if (names.length === 0 || !(isDescribed || areNumbered(names))) return undefined;
    if (names.length > MAX_PARTS)
      throw new SourceError(
        `${files.name}: it has ${names.length} parts, and at most ${MAX_PARTS} are read; open some of them`,
      );
    const opened: { close(): void | Promise<void> }[] = [];
    const close = async () => {
      for (const one of opened.reverse()) await one.close();
    };
    try {
      const logs: MessageLog[] = [];
      const lost = isDescribed ? await missingParts(files, names) : [undescribed(files, names)];
      let failure: unknown;
      for (const name of names) {
        try {
          const part = await lookInto((await files.file?.(name)) as ByteFile);
          opened.push(part.kind === "file" ? part.file : part.files);
          const log = await openLog(part);
          opened.push(log);
          logs.push(log);
        } catch (error) {
          if (!(error instanceof SourceError)) throw error;
          failure ??= error;
          lost.push(`${error.message} (this part is left out)`);
        }
      }
      if (logs.length === 0) throw failure;
      const log = joinedLogs(files.name, logs);
      log.warnings.push(...lost);
      const { framesOfLog } = await import("../../../messages/frames.ts");
      return { ...(await framesOfLog(log, options, decoder)), close };
    } catch (error) {
      await close();
      throw error;
    }
  },
};

/** Whether files are named as rosbag2 names the parts of one recording: the same name and type, counted from 0 without a gap. */
function areNumbered(names: readonly string[]): boolean {
  const parts = names.map((name) => /^(.*)_(\d{1,4})(\.\w+)(?:\.zstd?)?$/i.exec(name) ?? []);
  const numbers = new Set(parts.map(([, , number]) => Number(number)));
  const [[, stem, , type]] = parts;
  const alike = parts.every(([, one, , kind]) => one !== undefined && one === stem && kind === type);
  return alike && names.length > 1 && names.every((_, i) => numbers.has(i));
}

const undescribed = ({ name }: Files, [first]: readonly string[]) =>
  `${name}: metadata.yaml is missing, and its files, from ${first} on, are played as the parts of one recording, by their names; open one alone if they are not`;

/** Says which of the parts that metadata.yaml names are missing. */
async function missingParts(files: Files, names: readonly string[]): Promise<string[]> {
  const there = new Set(names.map((name) => name.replace(/\.zstd?$/i, "")));
  const lost = (await partsNamed(files)).filter((name) => !there.has(name));
  const some = lost.slice(0, 4).join(", ") + (lost.length > 4 ? " …" : "");
  const [are, those] = lost.length === 1 ? ["is", "its frames"] : ["are", "their frames"];
  return lost.length === 0
    ? []
    : [
        `${files.name}: of the parts that metadata.yaml names ${some} ${are} missing: ${those} are not there, nor what only they say of the cameras; copy all parts`,
      ];
}

async function openLog(part: Input): Promise<MessageLog> {
  if (part.kind !== "file")
    throw new SourceError(`${part.files.name}: this part of a split recording is an archive; unpack it`);
  const isSqlite = new TextDecoder("latin1").decode(part.head.subarray(0, 6)) === "SQLite";
  return isSqlite
    ? (await import("../db3/log.ts")).openDb3Log(part.file)
    : (await import("../mcap/log.ts")).openMcapLog(part.file);
}
