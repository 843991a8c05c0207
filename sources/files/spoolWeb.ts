import { SourceError } from "../../core/source.ts";
import { byteFile } from "./dropped.ts";
import type { Spool } from "./spool.ts";

const PREFIX = "depthloom-unpacked-";
const advice = "unpack it and open the unpacked files instead";

/**
 * Stores files in the browser's private file system. Each file of the archive gets one of its own: a file cannot be read while it is being
 * written, so with one large file the first frame would come only after the last.
 */
export async function openPrivateSpool(archive: string): Promise<Spool> {
  const root = await navigator.storage?.getDirectory?.().catch(() => undefined);
  if (!root) throw new SourceError(`${archive}: this browser has no private storage to unpack it into; ${advice}`);
  await sweep(root);
  const name = PREFIX + crypto.randomUUID();
  const free = await hold(name);
  const folder = await root.getDirectoryHandle(name, { create: true });
  let count = 0;
  return {
    async keep(fill) {
      const handle = await folder.getFileHandle(String(count++), { create: true });
      const writable = await handle.createWritable();
      try {
        await fill((piece) => writable.write(piece));
        await writable.close();
      } catch (error) {
        await writable.abort().catch(() => {});
        if (!(error instanceof DOMException && error.name === "QuotaExceededError")) throw error;
        throw new SourceError(`${archive}: there is no room left in this browser's storage to unpack it; ${advice}`);
      }
      return {
        all: async () => new Uint8Array(await (await handle.getFile()).arrayBuffer()),
        open: async (name) => byteFile(await handle.getFile(), name),
      };
    },
    async close() {
      await root.removeEntry(name, { recursive: true });
      free();
    },
  };
}

/** Removes the folders of pages that went away without closing their recordings; such a folder's lock is free. */
async function sweep(root: FileSystemDirectoryHandle): Promise<void> {
  for await (const name of root.keys()) {
    if (!name.startsWith(PREFIX)) continue;
    await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await root.removeEntry(name, { recursive: true }).catch(() => {});
    });
  }
}

/** Takes a lock that lasts until the result is called or the page is gone. */
function hold(name: string): Promise<() => void> {
  return new Promise((held) => {
    void navigator.locks.request(name, () => new Promise<void>((free) => held(() => free())));
  });
}
