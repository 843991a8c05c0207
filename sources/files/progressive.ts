import { SourceError } from "../../core/source.ts";
import type { Bytes } from "../decode/codec.ts";
import { type Files, MAX_NAMES, tooMany } from "./files.ts";

/** A file of an archive whose bytes the reader has passed, and a way to get them again. */
export interface Passed {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  read(): Promise<Bytes>;
}

/**
 * Files of an archive without a table of contents, which is read through in the background from now on. Each request waits only until its
 * answer has been found. Files that were found before a failure stay readable.
 */
export function progressiveFiles(name: string, entries: AsyncIterable<Passed>, close: () => Promise<void>): Files {
  const passed = new Map<string, Passed>();
  const order: string[] = [];
  let ended = false;
  let closed = false;
  let failure: unknown;
  let wake: () => void = () => {};
  let news = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const announce = () => {
    const heard = wake;
    news = new Promise<void>((resolve) => {
      wake = resolve;
    });
    heard();
  };
  const reading = (async () => {
    try {
      for await (const entry of entries) {
        if (closed) break;
        if (passed.size >= MAX_NAMES) throw tooMany(name);
        // The first of two files of one name counts: what was read once must not change.
        if (!passed.has(entry.name)) order.push(entry.name);
        if (!passed.has(entry.name)) passed.set(entry.name, entry);
        announce();
      }
    } catch (error) {
      failure = error;
    }
    ended = true;
    announce();
  })();
  /** Waits until `known` holds or the archive ends. Throws the failure if the archive ended by one before. */
  const until = async (known: () => boolean) => {
    while (!known() && !ended) await news;
    if (!known() && closed) throw new SourceError(`${name}: it was closed`);
    if (!known() && failure !== undefined) throw failure;
  };
  return {
    name,
    indexed: false,
    unpackedSize: (file) => passed.get(file)?.size ?? 0,
    async list() {
      await until(() => ended && failure === undefined && !closed);
      return [...order].sort();
    },
    async find(wanted) {
      let seen = 0;
      const next = () => {
        while (seen < order.length && !wanted(order[seen])) seen++;
        return seen < order.length;
      };
      await until(next);
      return order[seen];
    },
    async has(file) {
      await until(() => passed.has(file));
      return passed.has(file);
    },
    async read(file) {
      await until(() => passed.has(file));
      const entry = passed.get(file);
      if (!entry) throw new SourceError(`${name}: there is no ${file} in it`);
      return entry.read();
    },
    async close() {
      closed = true;
      await reading;
      await close();
    },
  };
}
