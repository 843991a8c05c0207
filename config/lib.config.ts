import { readdirSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin, parseAst } from "vite";
import { dependencies, peerDependencies } from "../package.json";
import { assembly } from "./assembly.ts";
import { notices } from "./notices.ts";
import { reader, script } from "./reader.ts";
import { tags } from "./tags.ts";
import { wasm } from "./wasm.ts";
import { wgsl } from "./wgsl.ts";

const CHUNKS = "chunks";

/**
 * Packages that are bundled, so that users need not install them. READERS read and write recordings (and are large as a whole), STREAMS
 * read live streams, and BENCH are the benchmark's own files.
 */
const READERS = [
  /^@foxglove\//,
  /^@jsquash\//,
  /^hyparquet/,
  /^@mcap\//,
  "protobufjs",
  "heap-js",
  "tslib",
  "long",
  "md5-typescript",
  "pako",
];
const STREAMS = ["ws", "eventemitter3", "debug", "ms", "fflate"];
const BENCH = [/^depthloom-bench/];
/** Reads the WGSL of stages that are not ours. Its own module does not load in Node 20. */
const WGSL = ["webgpu-utils"];
/** Finds printed tags. It is CommonJS, whose names Node does not see. */
const TAGS = ["js-aruco2"];

/**
 * Builds the command line and the library for Node: dist/cli.js, dist/pipeline.js, dist/sources.js, dist/stage.js, dist/stages.js,
 * and dist/job.js, which batch runs in a process for each recording. Threads of their own run dist/reader.js (reads recordings),
 * dist/stream.js (receives streams), dist/align.js, dist/scanning.js and dist/command.js (a command that computes).
 * As an "ssr" build it keeps packages external (except those above), inlines the WGSL, and keeps the branches behind `import.meta.env.SSR`.
 */
export default defineConfig({
  ssr: { noExternal: [...READERS, ...STREAMS, ...BENCH, ...WGSL, ...TAGS] },
  // For Node the package names its 200 CommonJS files, which take as long to load as all the rest of the command line.
  resolve: { alias: { rxjs: fileURLToPath(new URL("../node_modules/rxjs/dist/esm/index.js", import.meta.url)) } },
  build: {
    ssr: true,
    ssrEmitAssets: true,
    outDir: "dist",
    // A running command may still load an old chunk, so `removeOldChunks` deletes those only after the new ones are written.
    emptyOutDir: false,
    target: "node20",
    reportCompressedSize: false,
    rollupOptions: {
      input: {
        cli: "cli/main.ts",
        depthloom: "depthloom.ts",
        pipeline: "pipeline/index.ts",
        sources: "sources/index.ts",
        write: "write/index.ts",
        publish: "run/publish/index.ts",
        measure: "measure/index.ts",
        scan: "scan/index.ts",
        stage: "stages/core/index.ts",
        stages: "stages/index.ts",
      },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
        // The files have no comments, no indentation and short local names; functions and classes keep their names, for the traces of
        // errors.
        minify: { compress: true, mangle: { toplevel: false, keepNames: true }, codegen: { removeWhitespace: true } },
      },
    },
  },
  plugins: [
    ownRxjs(),
    wasm("browser/chunks"),
    assembly(),
    tags(),
    wgsl(),
    reader(),
    script("sources/camera/process/cameraNode.ts", "camera.js"),
    script("sources/live/remote/streamNode.ts", "stream.js"),
    script("run/batch/process/child.ts", "job.js"),
    script("cli/threadEntry.ts", "command.js"),
    script("measure/align/alignWorker.ts", "align.js"),
    script("scan/scanWorker.ts", "scanning.js"),
    notices().main,
    installable(),
    shortLines(),
    removeOldChunks(),
  ],
});

/**
 * Makes the classes of RxJS those of the caller's copy, so that `instanceof Observable` holds. RxJS' classes are a tenth of the code that
 * the whole package would load in Node; its operators are bundled.
 */
function ownRxjs(): Plugin {
  const named = /^\.{1,2}\/(?:internal\/)?(BehaviorSubject|Observable|Subject|Subscriber|Subscription)(?:\.js)?$/;
  return {
    name: "depthloom-own-rxjs",
    enforce: "pre",
    resolveId(id, importer) {
      const name = importer?.includes("/rxjs/dist/esm/") && named.exec(id)?.[1];
      return name ? { id: `rxjs/internal/${name}`, external: true } : undefined;
    },
  };
}

/** Refuses to build what would not run as installed: code that imports a package which `npm install depthloom` does not bring. */
function installable(): Plugin {
  const brought = new Set(Object.keys({ ...dependencies, ...peerDependencies }));
  return {
    name: "depthloom-installable",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const name of [...chunk.imports, ...chunk.dynamicImports]) {
          const [first = "", second] = name.split("/");
          const from = first.startsWith("@") ? `${first}/${second}` : first;
          if (name in bundle || isBuiltin(name) || brought.has(from)) continue;
          const { importers = [] } = this.getModuleInfo(name) ?? {};
          this.error(`${importers.join(", ") || chunk.fileName} imports ${name}: make it a dependency, or bundle it`);
        }
      }
    },
  };
}

/** The characters after which a line of the built files ends with its statement. */
const LINE = 200;

/** Begins lines at statements, since Node prints the whole line of an error that nobody catches before its message. */
function shortLines(): Plugin {
  return {
    name: "depthloom-short-lines",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        const { code } = chunk;
        const starts = [0];
        for (const start of statementsIn(parseAst(code)).sort((a, b) => a - b))
          if (start - (starts.at(-1) ?? 0) > LINE) starts.push(start);
        chunk.code = starts.map((start, k) => code.slice(start, starts[k + 1])).join("\n");
      }
    },
  };
}

/** The places at which a statement, or a member of a class, begins. */
function statementsIn(node: object): number[] {
  return Object.entries(node).flatMap(([name, inner]) => {
    if (typeof inner !== "object" || inner === null) return [];
    const isList = Array.isArray(inner) && (name === "body" || name === "consequent");
    return [...(isList ? inner.map(({ start }) => start) : []), ...statementsIn(inner)];
  });
}

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
