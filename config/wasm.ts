import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

/** Emscripten's loaders in the packages that decompress data and read SQLite. */
const LOADERS = /\/@foxglove\/(?:wasm-lz4|wasm-zstd|sql\.js)\/dist\/(?:wasm-lz4|wasm-zstd|sql-wasm)\.js(?:$|\?)/;

/**
 * Makes `import binary from "@scope/package/file.wasm?base64"` a package's WebAssembly in base64, so that builds need no other file. The
 * library passes the binary to the package's loader. This plugin removes the loader's own code for finding the file, in Node and elsewhere,
 * since that code names modules that a bundle does not have.
 */
export function wasm(): Plugin {
  return {
    name: "depthloom-wasm",
    enforce: "pre",
    resolveId: {
      filter: { id: /\.wasm\?base64$/ },
      handler: (id) => fileURLToPath(new URL(`../node_modules/${id}`, import.meta.url).href.replace("?", "%3F")),
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
 * For a development server's `optimizeDeps`: only workers import these packages, when a user opens a recording, which is too late for Vite
 * to find and prepare them.
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
  ],
  rolldownOptions: { plugins: [wasm()] },
};
