import { posix } from "node:path";
import type { Plugin } from "vite";

/**
 * Makes dist/FILE, a script of its own for a thread or process of Node, of the module at `path`, and inserts the script's URL into the code
 * that starts it, which names the module as `new URL("./MODULE", import.meta.url)`. (Vite does this for workers in pages only.)
 */
export function script(path: string, file: string): Plugin {
  const name = posix.basename(path);
  const named = `new URL("./${name}", import.meta.url)`;
  let isStarted = false;
  return {
    name: `depthloom-${file}`,
    buildStart() {
      this.emitFile({ type: "chunk", id: path, fileName: file });
    },
    renderChunk(code, { fileName }) {
      const address = posix.relative(posix.dirname(fileName), file);
      isStarted ||= code.includes(named);
      return code.replace(named, `new URL("./${address}", import.meta.url)`);
    },
    generateBundle() {
      if (!isStarted) this.error(`no chunk starts ${file}: the code that starts ${path} names it in another way`);
    },
  };
}

/** dist/reader.js, the script of the thread that reads a recording. */
export const reader = (): Plugin => script("sources/recorded/remote/workerNode.ts", "reader.js");
