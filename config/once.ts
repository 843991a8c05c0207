import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/**
 * Leaves out of the package those files of the built viewer that the library for pages has, too: workers and WebAssembly, under the same
 * names. `npm pack` reads them from an .npmignore; `depthloom view` serves the library's (run/serve/page.ts). In a checkout dist/app
 * is whole.
 */
export function once(app: string): Plugin {
  return {
    name: "depthloom-once",
    apply: "build",
    writeBundle({ dir = "" }) {
      const assets = join(app, "assets");
      const chunks = join(dir, "chunks");
      const there = new Set(readdirSync(chunks));
      const both = readdirSync(assets).filter(
        (name) => there.has(name) && readFileSync(join(assets, name)).equals(readFileSync(join(chunks, name))),
      );
      writeFileSync(join(assets, ".npmignore"), `${both.join("\n")}\n`);
    },
  };
}

/**
 * Keeps what other chunks of a worker import out of its entry, for the workers' plugins. A development server loads the entry under an
 * address of its own, so a chunk that imported it would run the worker a second time.
 */
export const entryApart = (): Plugin => ({
  name: "depthloom-entry-apart",
  options: (options) => ({ ...options, preserveEntrySignatures: "strict" }),
});
