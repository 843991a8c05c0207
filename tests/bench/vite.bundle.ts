import { defineConfig } from "vite";
import { wasm } from "../../vite.wasm.ts";
import { wat } from "../../vite.wat.ts";

/**
 * `npm run bench:bundle`: dist/bench/bench.js, one file that holds everything but `webgpu`, which it finds in a
 * node_modules beside it or above.
 */
export default defineConfig({
  build: {
    ssr: "tests/bench/standalone.ts",
    outDir: "dist/bench",
    target: "node20",
    minify: false,
    reportCompressedSize: false,
    rollupOptions: { output: { entryFileNames: "bench.js", codeSplitting: false } },
  },
  plugins: [wat(), wasm()],
  ssr: { noExternal: true, external: ["webgpu"] },
});
