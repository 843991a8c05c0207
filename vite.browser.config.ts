import { defineConfig, type Plugin } from "vite";
import { wasm } from "./vite.wasm.ts";
import { wat } from "./vite.wat.ts";

/** What reads live streams: nobody's to install. */
const BUNDLED = /^(@foxglove\/|@protobufjs\/|(protobufjs|eventemitter3|debug|ms|tslib|long|md5-typescript)(\/|$))/;

/**
 * The library for pages: dist/browser/{pipeline,sources,stages,overlay}.js. What comes from node_modules stays outside, for the
 * page's own bundler, but for what workers and live streams need, which has to be in them; WGSL, WebAssembly and the overlay's CSS
 * are inlined.
 */
export default defineConfig({
  // Addresses are relative to the module that asks.
  base: "./",
  publicDir: false,
  build: {
    outDir: "dist/browser",
    emptyOutDir: true,
    target: "es2023",
    minify: false,
    reportCompressedSize: false,
    lib: {
      entry: {
        pipeline: "pipeline/index.ts",
        sources: "sources/index.ts",
        stages: "stages/index.ts",
        overlay: "viewer/overlay/index.ts",
      },
      formats: ["es"],
    },
    rolldownOptions: {
      // The client is used of this package; its server has no business in a page.
      treeshake: { moduleSideEffects: (id) => !/\/(@foxglove\/ws-protocol|debug|ms)\//.test(id) },
      external: (id) => /^[a-z@][^:]*$/.test(id) && !BUNDLED.test(id),
      // Types have the comments for people, and packages' own tell of Node.
      output: { entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js", comments: { jsdoc: false } },
    },
  },
  plugins: [wasm(), wat(), plainWorkers()],
  worker: {
    format: "es",
    plugins: () => [wasm(), wat()],
    rolldownOptions: {
      // Nobody's bundler makes them smaller: whole packages are in them.
      output: { entryFileNames: "chunks/[name]-[hash].js", chunkFileNames: "chunks/[name]-[hash].js", minify: true },
    },
  },
});

/**
 * Vite writes a worker's address so that no bundler finds it again. A page's bundler has to: it is put back into the one form
 * that all of them know, `new Worker(new URL("…", import.meta.url))`.
 */
function plainWorkers(): Plugin {
  const written =
    /new URL\(\s*(?:\/\* @vite-ignore \*\/\s*)?new URL\("(?:\.\/)?(?<name>[^"]+)", import\.meta\.url\)\.href,\s*"" \+ import\.meta\.url\s*\)/g;
  return {
    name: "depthloom-plain-workers",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        chunk.code = chunk.code.replace(written, 'new URL("./$<name>", import.meta.url)');
        if (chunk.code.includes("vite-ignore")) this.error(`${chunk.fileName}: a worker that bundlers would not find`);
      }
    },
  };
}
