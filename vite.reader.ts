import { posix } from "node:path";
import type { Plugin } from "vite";

const MODULE = "sources/recorded/remote/workerNode.ts";
const FILE = "reader.js";

/**
 * Makes dist/reader.js, the script of the Node thread that reads a recording, and inserts its URL into the code that starts the thread.
 * (Vite does this for workers in pages only.)
 */
export function reader(): Plugin {
  const named = /new URL\("\.\/workerNode\.ts", import\.meta\.url\)/;
  return {
    name: "depthloom-reader",
    buildStart() {
      this.emitFile({ type: "chunk", id: MODULE, fileName: FILE });
    },
    renderChunk(code, { fileName }) {
      const address = posix.relative(posix.dirname(fileName), FILE);
      return code.replace(named, `new URL("./${address}", import.meta.url)`);
    },
    generateBundle(_, bundle) {
      const starts = Object.values(bundle).filter(
        (chunk) => chunk.type === "chunk" && chunk.code.includes(`${FILE}", import.meta.url`),
      );
      if (starts.length === 0) this.error(`no chunk starts ${FILE}: threadNode.ts names ${MODULE} in another way`);
    },
  };
}
