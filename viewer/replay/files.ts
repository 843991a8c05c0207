import { rmSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";

const partial = new Set<string>();
process.on("exit", () => {
  for (const path of partial) rmSync(path, { force: true });
});

/** Writes a file under another name first: whoever finds `path` finds all of it, also when we are stopped in the middle. */
export async function writeWhole(path: string, data: string | Uint8Array): Promise<void> {
  const fresh = `${path}.partial`;
  partial.add(fresh);
  try {
    await writeFile(fresh, data);
    await rename(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  } finally {
    partial.delete(fresh);
  }
}
