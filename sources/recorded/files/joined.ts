import type { Bytes } from "../../decode/codec.ts";

/** Longer reads are made one by one: their bytes cost more than the asking. */
const SHORT = 2 ** 14;
/** So many become one. Several such can be on their way: while one is answered the next is put together. */
const JOINED = 64;

interface Asked {
  readonly part: Blob;
  resolve(bytes: Bytes): void;
  reject(error: unknown): void;
}

/**
 * Reads parts of a file. A browser takes most of a millisecond for each read, however short, since it asks another process: short
 * ones that are asked together become one, of a blob made of all their parts.
 */
export function joinedReads(read: (part: Blob) => Promise<Bytes>): (part: Blob) => Promise<Bytes> {
  let asked: Asked[] = [];
  const readAll = async () => {
    const parts = asked;
    asked = [];
    // They may have become enough, and gone, before the turn's end.
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
    // Whoever asks for many in a loop has done so before this turn's end.
    if (asked.length === 0) queueMicrotask(readAll);
    return new Promise((resolve, reject) => {
      asked.push({ part, resolve, reject });
      if (asked.length === JOINED) void readAll();
    });
  };
}
