import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

/** Emscripten's loaders in the packages that decompress data and read SQLite. */
const LOADERS = /\/@foxglove\/(?:wasm-lz4|wasm-zstd|sql\.js)\/dist\/(?:wasm-lz4|wasm-zstd|sql-wasm)\.js(?:$|\?)/;

/** Packages that pages do without: their files lie beside Node's chunks. */
const NODE_ONLY = /\/@jsquash\//;

const packages = fileURLToPath(new URL("../node_modules", import.meta.url));

/** Stands for a file's address until the chunk that names it has a place. */
const NAMED = /["'`]depthloom-file:([\w./-]+\.wasm)["'`]/g;

/**
 * Makes `import address from "@scope/package/file.wasm?file"` the URL of a package's WebAssembly, a file that the build writes into
 * `folder` of its output; the library passes the bytes to the package's loader. The URL is written as `new URL("…", import.meta.url)`,
 * which bundlers understand. The builds for Node and for pages write the same file. This plugin also removes the loader's own code for
 * finding the file, in Node and elsewhere, since that code names modules that a bundle does not have.
 */
export function wasm(folder = "assets"): Plugin {
  let isBuild = false;
  return {
    name: "depthloom-wasm",
    enforce: "pre",
    configResolved(config) {
      isBuild = config.command === "build";
    },
    resolveId: { filter: { id: /\.wasm\?file$/ }, handler: (id) => join(packages, id) },
    load: {
      filter: { id: /\.wasm\?file$/ },
      handler(id, options) {
        const path = id.replace(/\?file$/, "");
        const address = options?.ssr ? `file://${path}` : `/@fs${path}`;
        if (!isBuild) return `export default ${JSON.stringify(address)};`;
        const source = readFileSync(path);
        const name = `${basename(path, ".wasm")}-${createHash("sha256").update(source).digest("hex").slice(0, 8)}.wasm`;
        const fileName = posix.join(NODE_ONLY.test(path) ? "chunks" : folder, name);
        this.emitFile({ type: "asset", fileName, source });
        return `export default "depthloom-file:${fileName}";`;
      },
    },
    renderChunk(code, { fileName }) {
      return code.replace(NAMED, (_, name) => {
        const path = posix.relative(posix.dirname(fileName), name);
        return `new URL("${path.startsWith(".") ? path : `./${path}`}", import.meta.url).href`;
      });
    },
    transform: {
      filter: { id: LOADERS },
      handler: (code) => ({
        code: code
          .replace(/\brequire\("[^"]+"\)/g, "({})")
          .replace(/typeof process\s*={2,3}\s*"object"|"object"\s*={2,3}\s*typeof process/g, "false")
          .replace(/\bprocess\.env\.\w+/g, "undefined")
          .replace(/\b__(?:dir|file)name\b/g, '""'),
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
    "@foxglove/crc",
    "@foxglove/rosmsg",
    "@foxglove/sql.js/dist/sql-wasm.js",
    "@foxglove/wasm-lz4/dist/wasm-lz4.js",
    "@foxglove/wasm-zstd/dist/wasm-zstd.js",
    "@mcap/core",
    "protobufjs/minimal.js",
  ],
  rolldownOptions: { plugins: [wasm()] },
};
