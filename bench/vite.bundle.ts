import { defineConfig } from "vite";
import { assembly } from "../config/assembly.ts";
import { wasm } from "../config/wasm.ts";
import { wgsl } from "../config/wgsl.ts";

/**
 * `npm run bench:bundle` makes dist/bench/bench.js: one file with everything but `webgpu`, which must be in a node_modules folder beside it
 * or above.
 */
export default defineConfig({
  build: {
    ssr: "cli/standalone.ts",
    outDir: "dist/bench",
    target: "node20",
    minify: false,
    reportCompressedSize: false,
    rollupOptions: { output: { entryFileNames: "bench.js", codeSplitting: false } },
  },
  plugins: [assembly(), wasm("."), wgsl()],
  ssr: { noExternal: true, external: ["webgpu"] },
});
