import { untilAborted } from "../../core/abort.ts";
import { withoutAccess } from "../../core/address.ts";
import { plainLines } from "../../core/check.ts";
import { DepthloomError } from "../../core/errors.ts";
import { type HelpfulOption, SourceError } from "../../core/source.ts";

/** An option of a run that can help against an error. */
export type RunHelp = "force" | "shard" | "size" | "stages" | "to";

/** An option of a run whose value can be refused. The command line has a flag of each name. */
export type RunOption =
  | ("cut" | "loop" | "ply" | "require" | "set" | "settings")
  | ("shard" | "stages" | "start" | "telemetry" | "to" | "use");

/**
 * Thrown where something was asked for that cannot be done: the command line ends with status 2. The message says what would be right.
 * `helps` is the option that helps, where there is one; the message does not name it.
 */
export class RequestError extends Error {
  override readonly name = "RequestError";
  /** As in every `DepthloomError`. */
  readonly code = "DEPTHLOOM_REQUEST";

  constructor(
    message: string,
    readonly helps?: RunHelp,
    /** The option whose value is refused; the message begins with its name. */
    readonly refuses?: RunOption,
  ) {
    super(message);
  }
}

/** The error for an option's value that cannot be taken: "start 9: …". */
export const refused = (option: RunOption, value: string | number, why: string, helps?: RunHelp): RequestError =>
  new RequestError(`${option} ${value}: ${why}`, helps, option);

/** Thrown where another run has taken the place of this run's results. The message says what would help. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/** Thrown when the user stops the command before there is a result. Running work cannot be cancelled, so the process has to end. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: "permission denied: choose another place or change its permissions",
  EPERM: "permission denied: choose another place or change its permissions",
  ENOENT: "no such file or folder: check the path, whose folders have to exist",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk's quota is used up",
  EFBIG: "the file would be larger than is allowed here",
  EROFS: "the disk is read-only: choose another place",
  ENOTDIR: "a part of this path is a file, not a folder",
  EISDIR: "this is a folder, not a file",
  EEXIST: "there is a file of this name already",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "this name is too long",
  EADDRINUSE: "another program listens there already: choose another port",
  EADDRNOTAVAIL: "this machine has no such address: choose another --host",
  ENOTFOUND: "there is no machine of this name: check --host",
};

/** The command line's words for the option that helps against an error. */
const FLAGS: Readonly<Record<HelpfulOption | RunHelp, string>> = {
  topic: "--topic chooses one",
  intrinsics: "--intrinsics gives them",
  metresPerUnit: "--depth-scale gives it",
  maxSeconds: "--max-seconds allows more",
  maxMegabytes: "--max-megabytes allows more",
  maxMegapixels: "--max-megapixels allows more",
  voxelM: "--voxel 5cm takes larger voxels, and --largest keeps the largest piece",
  force: "--force replaces what depthloom wrote there, and nothing else",
  shard: "--shard 2/8 says which part of how many",
  size: "--size 640x480 gives it",
  stages: "--stages names the stages of a run",
  to: "--to names what a folder holds: tum, png, npy, tiff, ply, pcd or lerobot",
};

/** The ending that a run adds to a result's name until the result is whole; users know the result's name. */
const UNFINISHED = /\.partial(?:\.json(?:\.partial)?)?$/;

/** One line (or a few) for people. An unforeseen error says that it is one, and how to see more. */
export const describe = (error: unknown): string => plainLines(withoutAccess(wordsOf(error)));

/** An error's stack trace, for `--verbose`. */
export const traceOf = (error: Error): string => plainLines(withoutAccess(error.stack ?? error.message));

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SourceError && error.option) return `${error.message}\n(${FLAGS[error.option]})`;
  if (error instanceof RequestError) {
    const words = error.refuses ? `--${error.message}` : error.message;
    return error.helps ? `${words}\n(${FLAGS[error.helps]})` : words;
  }
  const isForUsers = [DepthloomError, OutputError, Interrupted].some((kind) => error instanceof kind);
  if (isForUsers) return error.message;
  const why = systemSays(error);
  if (why && "path" in error) return `${String(error.path).replace(UNFINISHED, "")}: ${why}`;
  if (why && why !== error.message) return why;
  return `${error.message}\n(this should not happen; --verbose shows where it did)`;
}

/** Explains an error of the file system or the network; `undefined` for any other error. */
export function systemSays(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return ADVICE[error.code] ?? error.message;
}

/** The exit status: 1 for failed work, 2 for wrong usage, 3 where all was done except for frames that could not be read. */
export function statusOf(error: unknown, unreadable = 0): 0 | 1 | 2 | 3 {
  if (error === undefined) return unreadable > 0 ? 3 : 0;
  return error instanceof RequestError ? 2 : 1;
}

/** Resolves to the result of `work`; rejects with `Interrupted` as soon as `signal` is aborted. */
export async function uninterrupted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await untilAborted(signal, work);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Interrupted("interrupted while the recording was being opened");
  }
}
