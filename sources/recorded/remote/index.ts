import { frameOf } from "../../../core/plainFrame.ts";
import { withWay } from "../../../core/way.ts";
import type { Given } from "../../files/dropped.ts";
import type { ReadOptions } from "../../format/format.ts";
import { nameOf, type Opened } from "../given.ts";
import { Link, SECONDS } from "./link.ts";
import type { Handed, OpenedFacts } from "./messages.ts";
import type { ReaderThread } from "./thread.ts";

/** The MiB that reading may take, if the options do not say. */
export const MEGABYTES = 1024;

/**
 * Opens a recording on another thread. Throws what that thread threw, a `SourceError` where reading was given up, and `NoThread` where the
 * thread did not start.
 */
export async function openRemote(thread: ReaderThread, given: Given, options: ReadOptions): Promise<Opened> {
  const { maxMegabytes = MEGABYTES, worker: _worker, signal, ...rest } = options;
  const { maxSeconds } = options;
  const name = nameOf(given);
  const contents = given.kind === "folder" ? given.contents : new Map();
  // The first bytes of a file at an address may take long, however small the file is.
  const seconds = given.kind === "address" ? (maxSeconds ?? SECONDS) : maxSeconds;
  const link = new Link(thread, name, contents, { seconds, megabytes: maxMegabytes });
  const abort = () => void link.end(signal?.reason);
  signal?.addEventListener("abort", abort);
  try {
    const { opened } = await link.ask("opening it", { kind: "open", from: handed(given), options: rest });
    if (!opened) throw new Error(`${name}: its reading worker did not open it`);
    link.opened(maxSeconds);
    return openedOf(link, opened);
  } catch (error) {
    await link.end(error);
    throw error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

function handed(given: Given): Handed {
  if (given.kind === "path") return given;
  if (given.kind === "address") return { kind: "address", whole: given.address.whole };
  // Node cannot send a `File` to a thread, but can send a `Blob`.
  if (given.kind === "blob") return { ...given, blob: given.blob.slice() };
  return { kind: "folder", name: given.name, names: [...given.contents.keys()] };
}

function openedOf(link: Link, { name, format, times, holds = [], ...rest }: OpenedFacts): Opened {
  return {
    name,
    format,
    frames: {
      ...rest,
      length: times.length,
      warnings: link.warnings,
      timestampOf: (index) => times[index],
      async read(index) {
        const { frame, way } = await link.ask(`reading frame ${index}`, { kind: "frame", index });
        if (!frame) throw new Error(`${name}: its reading worker has no frame ${index}`);
        return withWay(frameOf(frame), way);
      },
      pose: async (index) => (await link.ask(`reading frame ${index}`, { kind: "pose", index })).pose,
      ...(holds.length > 0 && {
        extras: {
          holds,
          read: async (index, wanted) =>
            (await link.ask(`reading frame ${index}`, { kind: "extras", index, wanted })).extras ?? {},
        },
      }),
    },
    close: () => link.close(),
  };
}
