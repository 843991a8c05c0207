import { posix } from "node:path";
import type { Plugin } from "vite";

interface Script {
  readonly module: string;
  readonly file: string;
}

/** The scripts that Node runs beside the program: a thread that reads a recording, and a process that reads a camera. */
const SCRIPTS: readonly Script[] = [
  { module: "sources/recorded/remote/workerNode.ts", file: "reader.js" },
  { module: "sources/camera/process/main.ts", file: "camera.js" },
];

/**
 * Makes dist/reader.js and dist/camera.js, and inserts their URLs into the code that starts them. (Vite does this for workers in pages
 * only.)
 */
export function reader(): Plugin {
  return {
    name: "depthloom-reader",
    buildStart() {
      for (const { module, file } of SCRIPTS) this.emitFile({ type: "chunk", id: module, fileName: file });
    },
    renderChunk(code, { fileName, moduleIds }) {
      return SCRIPTS.reduce((text, { module, file }) => {
        const folder = posix.dirname(module);
        if (!moduleIds.some((id) => id.replaceAll("\\", "/").includes(`/${folder}/`))) return text;
        const address = posix.relative(posix.dirname(fileName), file);
        return text.replace(
          `new URL("./${posix.basename(module)}", import.meta.url)`,
          `new URL("./${address}", import.meta.url)`,
        );
      }, code);
    },
    generateBundle(_, bundle) {
      for (const { module, file } of SCRIPTS) {
        const starts = Object.values(bundle).filter(
          (chunk) => chunk.type === "chunk" && chunk.code.includes(`${file}", import.meta.url`),
        );
        if (starts.length === 0)
          this.error(`no chunk starts ${file}: the code that does names ${module} in another way`);
      }
    },
  };
}
