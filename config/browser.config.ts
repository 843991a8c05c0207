import { defineConfig, type Plugin } from "vite";
import { assembly } from "./assembly.ts";
import { notices } from "./notices.ts";
import { entryApart, once } from "./once.ts";
import { existing, pathOf, type RoomName, roomOf } from "./rooms.ts";
import { tags } from "./tags.ts";
import { wasm } from "./wasm.ts";
import { wgsl } from "./wgsl.ts";

/**
 * Packages that read live streams, the one that reads a caller's WGSL, and the one that finds printed tags. They are bundled, so that users
 * need not install them.
 */
const BUNDLED =
  /^(@foxglove\/|@protobufjs\/|(webgpu-utils|js-aruco2|hyparquet|pako|protobufjs|eventemitter3|debug|ms|tslib|long|md5-typescript)(\/|$))/;

/** Packages that the library imports, as modules that a page without a bundler names in its import map (docs/examples/page.html). */
const VENDOR = { "vendor/rxjs": "node_modules/rxjs/dist/esm/index.js" };

/** Only the client of this package is used; without this its server would stay in the bundle. */
export const treeshake = { moduleSideEffects: (id: string) => !/\/(@foxglove\/ws-protocol|debug|ms)\//.test(id) };

/** Packages that several workers load, each in a chunk without our own code, so that it is the same for all of them and lies there once. */
export const packagesApart = {
  codeSplitting: { groups: [{ name: "rosPackages", test: /\/@foxglove\/(rosmsg|cdr|message-definition|rostime)/ }] },
};

const thirdParty = notices();

/** What defines a frame goes with the room `core`. */
const FORMAT = existing("sources/format/format.ts");
const SHARED = [existing("stages/core/"), existing("shaders/core/")];

/**
 * What opening a recording shares with the readers that it loads. esbuild keeps a chunk in a page that uses nothing of it, if a chunk that
 * is loaded later imports it.
 */
const READING = [
  ...[
    "sources/format/depthFormat.ts",
    "sources/recorded/given.ts",
    "sources/decode/depthV2/",
    "sources/decode/base64.ts",
  ],
  ...[
    "sources/decode/unpack.ts",
    "sources/decode/codecWeb.ts",
    "sources/decode/platform.ts",
    "sources/live/protocol.ts",
  ],
].map(existing);

const isIn = (id: string, room: RoomName) => roomOf(pathOf(id)) === room;

/** Whether all stages share a module: it stands in a folder `core`, or is TypeScript in shaders/ itself. */
const isShared = (path: string) => SHARED.some((folder) => path.startsWith(folder)) || /^shaders\/\w+\.ts$/.test(path);

/** Whether a module is the text of a kernel, or of a part of one (config/wgsl.ts). */
export const isText = (id: string) => /\.wgsl\?(part|program)$/.test(id);

/** The stage that a module belongs to: the folder, or the WGSL of that name. */
function stageOf(id: string): string | null {
  const path = pathOf(id);
  const [, part, ...rest] = path.split("/");
  if ((!isIn(id, "stages") && !isIn(id, "shaders")) || !part) return null;
  return rest.length > 0 ? part : (/^(\w+)\.wgsl$/.exec(part)?.[1] ?? null);
}

/**
 * Builds the library for pages: dist/browser/{pipeline,sources,stage,stages,overlay,measure,three}.js. Packages stay external, for the
 * page's own bundler, except those that workers and live streams need. WGSL, WebAssembly and the overlay's CSS are inlined.
 */
export default defineConfig({
  // URLs are relative to the module that contains them.
  base: "./",
  publicDir: false,
  build: {
    outDir: "dist/browser",
    emptyOutDir: true,
    target: "es2023",
    // Bundlers need literal texts where a worker starts, and a minifier makes templates of them.
    minify: false,
    reportCompressedSize: false,
    lib: {
      entry: {
        depthloom: "depthloom.ts",
        pipeline: "pipeline/index.ts",
        sources: "sources/index.ts",
        stage: "stages/core/index.ts",
        stages: "stages/index.ts",
        overlay: "viewer/overlay/index.ts",
        measure: "measure/index.ts",
        three: "viewer/three/index.ts",
        ...VENDOR,
      },
      formats: ["es"],
    },
    rolldownOptions: {
      treeshake,
      external: (id) => /^[a-z@][^:]*$/.test(id) && !BUNDLED.test(id),
      // Removes doc comments: the type declarations carry ours, and those of packages speak of Node.
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "chunks/[name]-[hash].js",
        comments: { jsdoc: false },
        // Names of functions and classes stay, so that traces of errors can be read; users' bundlers shorten them.
        minify: { compress: true, mangle: { toplevel: false, keepNames: true }, codegen: { removeWhitespace: true } },
        // A chunk a stage, so that a bundler leaves out the stages that a page does not import.
        codeSplitting: {
          groups: [
            { name: "wgslReader", test: /\/node_modules\/webgpu-utils\//, priority: 2 },
            // Apart, since its tables of scenes would stay in a page that imports anything of the sources. A group takes what its
            // modules import, unless another one of a higher priority has it.
            { name: "frames", test: (id) => isIn(id, "core") || pathOf(id) === FORMAT, priority: 2 },
            { name: "synthetic", test: (id) => isIn(id, "sources/synthetic"), priority: 1 },
            { name: "reading", test: (id) => READING.some((path) => pathOf(id).startsWith(path)), priority: 1 },
            { name: "core", test: (id) => isShared(pathOf(id)), priority: 1 },
            { debugName: "stages", name: stageOf },
            // The texts of a stage's kernels, which a page loads with the first of them.
            { debugName: "kernels", name: (id) => (isText(id) ? `${stageOf(id)}Kernels` : null), priority: 3 },
          ],
        },
      },
    },
  },
  plugins: [
    wasm("chunks"),
    assembly(),
    wgsl({ lazy: true }),
    tags(),
    plainWorkers(),
    thirdParty.main,
    once("dist/app"),
  ],
  worker: {
    format: "es",
    plugins: () => [entryApart(), wasm("chunks"), assembly(), wgsl(), tags(), thirdParty.workers()],
    rolldownOptions: {
      treeshake,
      // Minified here, because users' bundlers do not minify workers, which contain whole packages.
      output: {
        entryFileNames: "chunks/[name]-[hash].js",
        chunkFileNames: "chunks/[name]-[hash].js",
        minify: true,
        ...packagesApart,
      },
    },
  },
});

/**
 * Rewrites how workers start. Vite writes their URLs in a form that other bundlers do not recognize; this restores the common form
 * `new Worker(new URL("…", import.meta.url))`. A page may have the library from another server, whose scripts a browser refuses as
 * workers: there a worker of the page's own imports the script.
 */
function plainWorkers(): Plugin {
  const written =
    /new URL\(\s*(?:\/\* @vite-ignore \*\/\s*)?new URL\(["`](?:\.\/)?(?<name>[^"`]+)["`], ?import\.meta\.url\)\.href,\s*["`]{2} ?\+ ?import\.meta\.url\s*\)/g;
  const started = /new Worker\(new URL\("(?<name>[^"]+)", import\.meta\.url\), ?(?<options>\{[^{}]*\})\)/g;
  // The second address is put together, so that a bundler does not copy its file again.
  const start = `((base) => {
  try {
    return $&;
  } catch (error) {
    if (error.name !== "SecurityError") throw error;
    const script = \`import \${JSON.stringify(new URL("$<name>", base).href)}\`;
    return new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), $<options>);
  }
})(import.meta.url)`;
  return {
    name: "depthloom-plain-workers",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        const plain = chunk.code
          .replace(written, 'new URL("./$<name>", import.meta.url)')
          // Vite takes no template for an option.
          .replace(started, (call) => call.replaceAll("`", '"'));
        chunk.code = plain.replace(started, start);
        const found = plain.match(/\bnew Worker\(new URL\(/g)?.length ?? 0;
        if (chunk.code.includes("vite-ignore") || found !== (plain.match(started)?.length ?? 0))
          this.error(`${chunk.fileName}: a worker that bundlers would not find`);
      }
    },
  };
}
