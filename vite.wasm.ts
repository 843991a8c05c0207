import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

/** Emscripten's loaders, of the packages that unpack and that read SQLite. */
const LOADERS = /\/@foxglove\/(?:wasm-lz4|wasm-zstd|sql\.js)\/dist\/(?:wasm-lz4|wasm-zstd|sql-wasm)\.js(?:$|\?)/;

/**
 * `import binary from "@scope/package/file.wasm?base64"` is a package's WebAssembly in base64, so that what is built has no
 * other file beside it. The packages' own loaders are handed that; what they have for finding a file by themselves, in Node
 * and elsewhere, is taken out of them, since it names things that a bundle does not have.
 */
export function wasm(): Plugin {
  return {
    name: "depthloom-wasm",
    enforce: "pre",
    resolveId: {
      filter: { id: /\.wasm\?base64$/ },
      handler: (id) => fileURLToPath(new URL(`node_modules/${id}`, import.meta.url).href.replace("?", "%3F")),
    },
    load: {
      filter: { id: /\.wasm\?base64$/ },
      handler: (id) => `export default "${readFileSync(id.replace(/\?base64$/, "")).toString("base64")}";`,
    },
    transform: {
      filter: { id: LOADERS },
      handler: (code) => ({
        code: code
          .replace(/\brequire\("[^"]+"\)/g, "({})")
          .replace(/typeof process\s*={2,3}\s*"object"|"object"\s*={2,3}\s*typeof process/g, "false")
          .replace(/\bprocess\.env\.\w+/g, "undefined")
          .replace(/\b__dirname\b/g, '""'),
        map: null,
      }),
    },
  };
}

/**
 * For a server of pages, `optimizeDeps`: what readers of recordings need is found in no page but in a worker, when a file is
 * dropped, too late to be made ready then.
 */
export const readers = {
  include: [
    "@foxglove/cdr",
    "@foxglove/rosmsg",
    "@foxglove/sql.js/dist/sql-wasm.js",
    "@foxglove/wasm-lz4/dist/wasm-lz4.js",
    "@foxglove/wasm-zstd/dist/wasm-zstd.js",
    "@mcap/core",
    "protobufjs/minimal.js",
    "tiff",
  ],
  rolldownOptions: { plugins: [wasm()] },
};
