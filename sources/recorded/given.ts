import { byteFile, type Given, openFolder } from "../files/dropped.ts";
import type { ByteFile, Files } from "../files/files.ts";
import type { Found } from "../format/format.ts";

/** A recording whose format is known, and the function that closes it. */
export interface Opened extends Found {
  /** The path or file name that heads the recording's messages. */
  readonly name: string;
  close(): Promise<void>;
}

/** A server is given up, by name, before the watch over the reading thread would give up the thread. */
const BEFORE_WATCH = 0.75;

/** The name of what is opened, for messages. */
export function nameOf(given: Given): string {
  if (given.kind === "address") return given.address.toString();
  return given.kind === "path" ? given.path : given.name;
}

/** Opens what the caller named, or what a page was given: its files, or its one file. `maxSeconds` is that of the options. */
export async function openGiven(given: Given, maxSeconds?: number): Promise<Files | ByteFile> {
  if (given.kind === "folder") return openFolder(given.name, given.contents);
  if (given.kind === "blob") return byteFile(given.blob, given.name);
  if (given.kind === "address") {
    const { openRemoteFile } = await import("../files/remote.ts");
    return openRemoteFile(given.address, maxSeconds && BEFORE_WATCH * maxSeconds);
  }
  // A page is given no path (see openRecording); with this its bundle has nothing of Node's.
  if (!import.meta.env.SSR) throw new TypeError("a browser opens no paths");
  return (await import("../files/node.ts")).openPath(given.path);
}

/** Returns what `work` returns, and closes `held` where `work` throws. */
export async function closeOnFailure<T>(held: { close(): Promise<void> }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await held.close();
    throw error;
  }
}
