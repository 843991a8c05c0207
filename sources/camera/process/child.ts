import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { SourceError } from "../../../core/source.ts";
import type { Request } from "./wire.ts";

/** The build puts the address of dist/camera.js here: see config/reader.ts. */
const module = new URL("./cameraNode.ts", import.meta.url);
/** The most characters kept of what a vendor's library wrote to standard error. */
const KEPT = 600;

const LAST_WORDS_MS = 50;

/** Receives the output of the reading process. */
export interface Listener {
  /** A message of the process, as it came: see `answerOf`. */
  answered(message: unknown): void;
  /** A piece of the pipe for frames. */
  piece(bytes: Uint8Array): void;
  /** The process has ended without being asked to; `why` says how. */
  died(why: string): void;
}

export interface ReadingProcess {
  send(request: Request): void;
  /** Ends the process. Resolves when the process is gone. */
  end(): Promise<void>;
}

/** Starts a process that reads a camera, by its script at `path`. Throws a `SourceError` where that is missing. */
export function startReading({ answered, piece, died }: Listener, path = fileURLToPath(module)): ReadingProcess {
  if (path.endsWith(".ts") || !existsSync(path))
    throw new SourceError(
      `cameras are read by a process whose script, ${path}, is not there; build or install depthloom again`,
    );
  const child = fork(path, [], { stdio: ["ignore", "ignore", "pipe", "pipe", "ipc"], execArgv: [] });
  let said = "";
  let ending = false;
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-KEPT);
  });
  framesOf(child)
    ?.on("data", piece)
    .on("error", () => {});
  child.on("message", answered);
  const gone = new Promise<void>((resolve) => {
    child.on("error", (error) => {
      // A process that could not be started has no exit.
      if (child.pid === undefined) resolve();
      died(error.message);
    });
    child.on("exit", (status, signal) => {
      resolve();
      // The last lines on standard error may come a moment after a crash.
      setTimeout(() => !ending && died(howItEnded(status, signal, said)), LAST_WORDS_MS);
    });
  });
  return {
    send: (request) => void (child.connected && child.send(request, () => {})),
    async end() {
      ending = true;
      await endOf(child, gone);
    },
  };
}

/** The pipe for frames. Where no more files may be opened, a process that could not be started has no pipes. */
const framesOf = ({ stdio }: Partial<ChildProcess>) => stdio?.[3] as Readable | null | undefined;

/** The longest time in ms that a library may take to close its camera. */
const CLOSING_MS = 1500;

async function endOf(child: ChildProcess, gone: Promise<void>): Promise<void> {
  if (child.connected) child.disconnect();
  // Unread bytes in the pipe would keep the process from ending.
  framesOf(child)?.resume();
  const timer = setTimeout(() => child.kill("SIGKILL"), CLOSING_MS);
  await gone;
  clearTimeout(timer);
}

function howItEnded(status: number | null, signal: string | null, said: string): string {
  const last = said.trim().split("\n").at(-1)?.trim();
  const how = signal ? `by ${signal}` : `with status ${status}`;
  return `the process that reads the camera ended ${how}${last ? `: ${last}` : ""}`;
}
