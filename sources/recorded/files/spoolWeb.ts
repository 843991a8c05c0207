import { SourceError } from "../../source.ts";
import type { Spool } from "./spool.ts";

const PREFIX = "depthloom-unpacked-";
const advice = "unpack it and open the folder instead";

/**
 * The browser's private file system, with a file for each: one that is being written cannot be read, so a single large
 * one would hold back its first frame until its last.
 */
export async function openPrivateSpool(archive: string): Promise<Spool> {
  const root = await navigator.storage?.getDirectory?.().catch(() => undefined);
  if (!root) throw new SourceError(`${archive}: this browser has no private storage to unpack a .tgz into; ${advice}`);
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
      return async () => new Uint8Array(await (await handle.getFile()).arrayBuffer());
    },
    async close() {
      await root.removeEntry(name, { recursive: true });
      free();
    },
  };
}

/** Removes the folders of pages that were closed without closing their recordings: nobody holds their locks. */
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
