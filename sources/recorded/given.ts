import { byteFile, type Given, openFolder } from "./files/dropped.ts";
import type { ByteFile, Files } from "./files/files.ts";
import type { Found } from "./find.ts";

/** A recording whose format is known, and the function that closes it. */
export interface Opened extends Found {
  /** The path or file name that heads the recording's messages. */
  readonly name: string;
  close(): Promise<void>;
}

/** Opens what the caller named, or what a page was given: its files, or its one file. */
export async function openGiven(given: Given): Promise<Files | ByteFile> {
  if (given.kind === "folder") return openFolder(given.name, given.contents);
  if (given.kind === "blob") return byteFile(given.blob, given.name);
  // A page is given no path (see openRecording); with this its bundle has nothing of Node's.
  if (!import.meta.env.SSR) throw new TypeError("a browser opens no paths");
  return (await import("./files/node.ts")).openPath(given.path);
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
