import type { Readable } from "node:stream";
import { SourceError } from "../../core/source.ts";
import type { Bytes } from "../decode/codec.ts";
import { noteRead } from "./progress.ts";

/** A file somewhere else, of which parts can be read. */
export interface Ranges {
  /** The address for messages, without what gives access. */
  readonly name: string;
  readonly size: number;
  /** Changes when the file is written again. */
  readonly stamp: string;
  /** Reads the bytes from `start` up to, not including, `end`, both within the file. Rejects if the file is another one by now. */
  read(start: number, end: number): Promise<Bytes>;
}

/** How often something is tried that fails for reasons that pass, and the pause before the second try, in ms; it doubles. */
const TRIES = 4;
const PAUSE_MS = 250;
/** A connection that brought this many bytes before it broke has not failed: the tries are counted anew. */
const ENOUGH = 1 << 16;

/** A failure that may pass: a connection that breaks, a server that is busy. */
export class Passing extends Error {}

/** Runs `work` again where it throws `Passing`. Throws a `SourceError` of the last reason. */
export async function tried<T>(name: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Passing)) throw error;
      if (attempt === TRIES) throw new SourceError(`${name}: ${error.message}`);
      await pauseAfter(attempt);
    }
  }
}

const pauseAfter = (attempt: number) => new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** (attempt - 1)));

/** The seconds in which a server must send something, unless the caller says otherwise. */
export const STALL_SECONDS = 15;

/** The error for a server that does not send a file; it may pass if the server is busy. */
export function refusal(name: string, status: number, words: string): Error {
  const said = `the server says ${status} ${words}; check the address, and whether it has expired`;
  return status >= 500 || status === 429 ? new Passing(said) : new SourceError(`${name}: ${said}`);
}

/** The error for a server that sends nothing. */
export const silent = (name: string, seconds: number) =>
  new SourceError(
    `${name}: its server has sent nothing for ${Number(seconds.toFixed(1))} seconds; check the connection and try again`,
    [],
    "maxSeconds",
  );

/**
 * Reads the bytes from `start` up to, not including, `end`. `open` asks the server for the bytes from a position to `end`. A connection
 * that breaks is opened again where it broke. Throws a `SourceError` where that does not help, where more bytes come than were asked for,
 * and where none comes for `stallSeconds`.
 */
export async function readRange(
  name: string,
  [start, end]: readonly [start: number, end: number],
  open: (from: number) => Promise<Readable>,
  stallSeconds: number,
): Promise<Bytes> {
  const bytes = new Uint8Array(end - start);
  let at = 0;
  for (let attempt = 1; ; attempt++) {
    const before = at;
    const why = await pour(await open(start + at), stallSeconds, name, (piece) => {
      if (at + piece.length > bytes.length)
        throw new SourceError(`${name}: more bytes came than ${start} to ${end - 1}, which the server was asked for`);
      bytes.set(piece, at);
      at += piece.length;
    });
    if (at === bytes.length) return bytes;
    if (at - before >= ENOUGH) attempt = 0;
    if (attempt === TRIES)
      throw new SourceError(
        `${name}: the connection broke ${TRIES} times (${why}), last after ${at} of ${bytes.length} bytes; try again`,
      );
    await pauseAfter(Math.max(1, attempt));
  }
}

/** Hands on what comes. Resolves to the reason why `body` ended. */
async function pour(body: Readable, seconds: number, name: string, take: (piece: Uint8Array) => void): Promise<string> {
  const timer = setTimeout(() => body.destroy(silent(name, seconds)), 1000 * seconds);
  try {
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      timer.refresh();
      take(piece);
      noteRead(piece.length);
    }
    return "it ended early";
  } catch (error) {
    if (!(error instanceof Error) || error instanceof SourceError) throw error;
    return error.message;
  } finally {
    clearTimeout(timer);
  }
}
