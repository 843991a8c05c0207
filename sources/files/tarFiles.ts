import { SourceError } from "../../core/source.ts";
import { type Bytes, InflateError } from "../decode/codec.ts";
import { fileCursor, streamCursor } from "./cursor.ts";
import {
  type ByteFile,
  DamagedArchive,
  type Files,
  MAX_FILE,
  MAX_NAMES,
  mostNames,
  mostUnpacked,
  tooLarge,
  tooMany,
} from "./files.ts";
import { openSpool } from "./platform.ts";
import type { Spool } from "./spool.ts";
import { cutShort, tarEntries } from "./tar.ts";

/** Opens an uncompressed tar: its headers are visited in the background, its contents are read in place. */
export function openTar(file: ByteFile): Files {
  async function* entries(): AsyncGenerator<Passed> {
    const cursor = fileCursor(file);
    for await (const { name, size } of tarEntries(cursor, file.name, mostNames(file.size))) {
      const { position } = cursor;
      yield {
        name,
        size,
        async read() {
          if (size > MAX_FILE) throw tooLarge(`${file.name}/${name}`, size);
          const bytes = await file.read(position, size);
          if (bytes.length < size) throw cutShort(file.name, position);
          return bytes;
        },
      };
    }
  }
  return { ...progressiveFiles(file.name, entries(), file.close), packed: file.size };
}

/** The most bytes to unpack. Real recordings consist mostly of PNGs and hardly shrink. */
const spoolLimit = (packed: number) => 2 ** 28 + 20 * packed;

/**
 * Opens a gzipped tar. It can be read only from its beginning, so it is unpacked once, in the background, into temporary storage (Node: an
 * unlinked file; browser: the page's private file system). Memory holds the names and a piece or two.
 */
export function openTgz(file: ByteFile, limit = spoolLimit(file.size)): Files {
  const most = mostUnpacked(file.size);
  let closed = false;
  let spool: Promise<Spool> | undefined;
  async function* entries(): AsyncGenerator<Passed> {
    const { gunzip } = await import("../decode/gunzip.ts");
    spool = openSpool(file.name);
    const storage = await spool;
    const stream = (async function* () {
      let unpacked = 0;
      for await (const piece of gunzip(pieces(file))) {
        if (closed) return;
        unpacked += piece.length;
        if (unpacked > limit) throw endless(file, limit);
        yield piece;
      }
    })();
    try {
      const cursor = streamCursor(stream);
      for await (const { name, size } of tarEntries(cursor, file.name, mostNames(file.size))) {
        const at = cursor.position;
        const where = `${file.name}/${name}`;
        const fill: Parameters<Spool["keep"]>[0] = async (sink) => {
          if ((await cursor.pass(size, sink)) < 0) throw cutShort(file.name, at);
        };
        const read = size > most ? () => Promise.reject(tooLarge(where, size, most)) : (await storage.keep(fill)).all;
        yield { name, size, read };
      }
      // The gzip checksum of the whole comes behind the tar's padding: read to the end to check it.
      while ((await cursor.pass(2 ** 16)) > 0);
    } catch (error) {
      throw error instanceof InflateError
        ? new DamagedArchive(`${file.name}: ${error.message}; copy or download it again`)
        : error;
    } finally {
      await stream.return(undefined);
    }
  }
  const close = async () => {
    await (await spool)?.close();
    await file.close();
  };
  const files = progressiveFiles(file.name, entries(), close);
  return {
    ...files,
    packed: file.size,
    close() {
      closed = true;
      return files.close();
    },
  };
}

const endless = (file: ByteFile, limit: number) =>
  new SourceError(
    `${file.name}: it unpacks to more than ${limit} bytes, which no recording of its size does: reading it stopped`,
  );

async function* pieces(file: ByteFile): AsyncGenerator<Bytes> {
  for (let at = 0; at < file.size; at += 2 ** 18) yield await file.read(at, 2 ** 18);
}

/** A file of an archive whose bytes the reader has passed, and a way to get them again. */
interface Passed {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  read(): Promise<Bytes>;
}

/**
 * Files of an archive without a table of contents, which is read through in the background from now on. Each request waits only until its
 * answer has been found. Files that were found before a failure stay readable.
 */
function progressiveFiles(name: string, entries: AsyncIterable<Passed>, close: () => Promise<void>): Files {
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
