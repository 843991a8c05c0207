import { type Bytes, InflateError } from "../../decode/codec.ts";
import { loadCodec } from "../../decode/platform.ts";
import { SourceError } from "../../source.ts";
import { fileCursor, streamCursor } from "./cursor.ts";
import { type ByteFile, DamagedArchive, type Files, MAX_FILE, tooLarge } from "./files.ts";
import { openSpool } from "./platform.ts";
import { type Passed, progressiveFiles } from "./progressive.ts";
import type { Spool } from "./spool.ts";
import { cutShort, tarEntries } from "./tar.ts";

/** A plain tar: its headers are visited in the background, its contents stay where they are. */
export function openTar(file: ByteFile): Files {
  async function* entries(): AsyncGenerator<Passed> {
    const cursor = fileCursor(file);
    for await (const { name, size } of tarEntries(cursor, file.name)) {
      const { position } = cursor;
      yield {
        name,
        async read() {
          if (size > MAX_FILE) throw tooLarge(`${file.name}/${name}`, size);
          const bytes = await file.read(position, size);
          if (bytes.length < size) throw cutShort(file.name, position);
          return bytes;
        },
      };
    }
  }
  return progressiveFiles(file.name, entries(), file.close);
}

/** Where unpacking stops whatever the archive says: honest recordings, PNGs mostly, hardly shrink at all. */
const spoolLimit = (packed: number) => 2 ** 30 + 20 * packed;

/**
 * A gzipped tar: it can only be read from its beginning, so it is unpacked once, in the background, into temporary
 * storage (Node: a file that has no name any more and so goes with the process; browser: the page's private files).
 * Memory holds the names and a piece or two.
 */
export function openTgz(file: ByteFile, limit = spoolLimit(file.size)): Files {
  let closed = false;
  let spool: Promise<Spool> | undefined;
  async function* entries(): AsyncGenerator<Passed> {
    const { gunzip } = await loadCodec();
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
      for await (const { name, size } of tarEntries(cursor, file.name)) {
        const at = cursor.position;
        const where = `${file.name}/${name}`;
        const fill: Parameters<Spool["keep"]>[0] = async (sink) => {
          if ((await cursor.pass(size, sink)) < 0) throw cutShort(file.name, at);
        };
        const read = size > MAX_FILE ? () => Promise.reject(tooLarge(where, size)) : await storage.keep(fill);
        yield { name, read };
      }
      // The checksum of all of it comes behind the tar's padding.
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
    close() {
      closed = true;
      return files.close();
    },
  };
}

const endless = (file: ByteFile, limit: number) =>
  new SourceError(
    `${file.name}: it unpacks to more than ${limit} bytes, which no recording of its size does; it is not opened further`,
  );

async function* pieces(file: ByteFile): AsyncGenerator<Bytes> {
  for (let at = 0; at < file.size; at += 2 ** 18) yield await file.read(at, 2 ** 18);
}
