import { SourceError } from "../../core/source.ts";
import { type Bytes, InflateError } from "../decode/codec.ts";
import { fileCursor, streamCursor } from "./cursor.ts";
import { type ByteFile, DamagedArchive, type Files, MAX_FILE, mostNames, mostUnpacked, tooLarge } from "./files.ts";
import { openSpool } from "./platform.ts";
import { type Passed, progressiveFiles } from "./progressive.ts";
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
