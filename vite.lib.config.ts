import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { wasm } from "./vite.wasm.ts";
import { wat } from "./vite.wat.ts";

const CHUNKS = "chunks";

/** Packages of which a part is bundled: readers of recordings that are large as a whole, and of streams. They are nobody's to install. */
const READERS = [
  /^@foxglove\//,
  /^@mcap\//,
  "protobufjs",
  "heap-js",
  "tslib",
  "long",
  "md5-typescript",
  "tiff",
  "iobuffer",
];
const STREAMS = ["ws", "eventemitter3", "debug", "ms", "fflate"];

/**
 * The command and the library for Node: dist/cli.js, dist/pipeline.js, dist/sources.js, dist/stages.js. As an "ssr" build it
 * leaves what comes from node_modules outside but for those, inlines the WGSL, and keeps the branches behind `import.meta.env.SSR`.
 */
export default defineConfig({
  ssr: { noExternal: [...READERS, ...STREAMS] },
  build: {
    ssr: true,
    outDir: "dist",
    // A command that is running may still load a chunk: old ones go when the new ones are all there (see below).
    emptyOutDir: false,
    target: "node20",
    minify: false,
    reportCompressedSize: false,
    rollupOptions: {
      input: {
        cli: "viewer/cli/main.ts",
        pipeline: "pipeline/index.ts",
        sources: "sources/index.ts",
        stages: "stages/index.ts",
        bench: "tests/bench/run.ts",
      },
      output: { entryFileNames: "[name].js", chunkFileNames: `${CHUNKS}/[name]-[hash].js` },
    },
  },
  plugins: [wasm(), wat(), removeOldChunks()],
});

/** Deletes the chunks of earlier builds. dist/types, which tsc writes, stays. */
function removeOldChunks(): Plugin {
  return {
    name: "depthloom-remove-old-chunks",
    writeBundle({ dir = "dist" }, bundle) {
      const folder = join(dir, CHUNKS);
      const stale = readdirSync(folder).filter((name) => !(`${CHUNKS}/${name}` in bundle));
      for (const name of stale) rmSync(join(folder, name));
    },
  };
}
