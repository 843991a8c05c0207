import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explain, readAt, readerOf } from "./nodeIo.ts";
import type { Spool } from "./spool.ts";

/** Makes a file in the system's temporary folder (TMPDIR) and unlinks it at once, so it vanishes with the process, however that ends. */
export async function openNodeSpool(archive: string): Promise<Spool> {
  const folder = await explain(tmpdir(), () => mkdtemp(join(tmpdir(), "depthloom-")));
  const handle = await open(join(folder, "unpacked"), "wx+", 0o600);
  const remove = () => rm(folder, { recursive: true, force: true });
  // Some file systems of Windows cannot remove an open file: it is removed when it is closed.
  await remove().catch(() => {});
  let end = 0;
  return {
    async keep(fill) {
      const start = end;
      await fill((piece) =>
        explain(`${archive} (unpacking into ${tmpdir()})`, async () => {
          for (let at = 0; at < piece.length; ) {
            const { bytesWritten } = await handle.write(piece, at, piece.length - at, end);
            at += bytesWritten;
            end += bytesWritten;
          }
        }),
      );
      const length = end - start;
      return {
        all: () => readAt(handle, start, length),
        open: async (name) => ({ ...readerOf(handle, name, length, start), close: async () => {} }),
      };
    },
    async close() {
      await handle.close();
      await remove();
    },
  };
}
