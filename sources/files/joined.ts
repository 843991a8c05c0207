import type { Bytes } from "../decode/codec.ts";

/** Longer reads are made one by one: for them the bytes cost more than the request. */
const SHORT = 2 ** 14;
/** The most reads joined into one. Several joined reads can be on their way: while one is answered, the next is put together. */
const JOINED = 64;

interface PendingRead {
  readonly part: Blob;
  resolve(bytes: Bytes): void;
  reject(error: unknown): void;
}

/**
 * Joins short reads of a file. A browser takes most of a millisecond per read, however short, since it asks another process. Short reads
 * that are asked for together become one read of a blob made of all their parts.
 */
export function joinedReads(read: (part: Blob) => Promise<Bytes>): (part: Blob) => Promise<Bytes> {
  let asked: PendingRead[] = [];
  const readAll = async () => {
    const parts = asked;
    asked = [];
    // The reads may have become `JOINED` ones, and been made, before the microtask ran.
    if (parts.length === 0) return;
    try {
      const bytes = await read(parts.length === 1 ? parts[0].part : new Blob(parts.map(({ part }) => part)));
      let at = 0;
      for (const { part, resolve } of parts) {
        resolve(bytes.slice(at, at + part.size));
        at += part.size;
      }
    } catch (error) {
      for (const { reject } of parts) reject(error);
    }
  };
  return (part) => {
    if (part.size > SHORT) return read(part);
    // A loop that asks for many reads has asked for all of them before the microtask runs.
    if (asked.length === 0) queueMicrotask(readAll);
    return new Promise((resolve, reject) => {
      asked.push({ part, resolve, reject });
      if (asked.length === JOINED) void readAll();
    });
  };
}
