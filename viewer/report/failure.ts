import { plain } from "../../sources/check.ts";

/** The command was called wrongly: exit status 2. The message says what would be right. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Stopped from outside before there was anything to show. What was begun cannot be called back: the process has to end. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Failures whose message is meant for the user as it stands. */
const FOR_USERS = new Set([
  "SourceError",
  "AdapterError",
  "ParameterError",
  "UsageError",
  "Interrupted",
  "TuningError",
  "OptionError",
  "FrameError",
  "GpuError",
  "DeviceLostError",
  "PipelineDestroyedError",
]);

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: "permission denied: choose another place or change its permissions",
  EPERM: "permission denied: choose another place or change its permissions",
  ENOENT: "no such file or folder",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk's quota is used up",
  EFBIG: "the file would be larger than is allowed here",
  EROFS: "the disk is read-only: choose another place",
  ENOTDIR: "a part of this path is a file, not a folder",
  EISDIR: "this is a folder, not a file",
  EEXIST: "there is a file of this name already",
  EMFILE: "too many files are open",
  EADDRINUSE: "another program listens there already: choose another --port",
  EADDRNOTAVAIL: "this machine has no such address: choose another --host",
  ENOTFOUND: "there is no machine of this name: check --host",
};

/** One line (or a few) for a person. An error nobody foresaw says so, and where the rest is to be had. */
export const describe = (error: unknown): string => wordsOf(error).split("\n").map(plain).join("\n");

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (FOR_USERS.has(error.name)) return error.message;
  const why = systemSays(error);
  if (why && "path" in error) return `${error.path}: ${why}`;
  if (why && why !== error.message) return why;
  return `${error.message}\n(this should not happen; --verbose shows where it did)`;
}

/** What is wrong with a file or the network, in words; `undefined` if an error is none of theirs. */
export function systemSays(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return ADVICE[error.code] ?? error.message;
}

/** Exit status: 1 for work that failed, 2 for wrong usage. */
export function statusOf(error: unknown): 1 | 2 {
  return error instanceof UsageError ? 2 : 1;
}
