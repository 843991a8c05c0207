import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { page } from "./vite.page.ts";
import { wasm } from "./vite.wasm.ts";
import { wat } from "./vite.wat.ts";

/** The live viewer: `npm start` serves it, `npm run build:app` makes dist/app, which any static server can serve. */
export default defineConfig({
  root: fileURLToPath(new URL("viewer/live", import.meta.url)),
  // Addresses are relative, so that it can live under any path.
  base: "./",
  server: { host: "127.0.0.1" },
  preview: { host: "127.0.0.1" },
  build: {
    outDir: "../../dist/app",
    emptyOutDir: true,
    target: "es2023",
    // These know `light-dark()` themselves; what would be put in its place for older ones is the same for all of the page.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    chunkSizeWarningLimit: 1500,
  },
  plugins: [wasm(), wat(), page()],
  // What readers of recordings need is found in no page but in a worker, when a file is dropped: too late to be made ready then.
  optimizeDeps: {
    include: [
      "@foxglove/cdr",
      "@foxglove/rosmsg",
      "@foxglove/sql.js/dist/sql-wasm.js",
      "@foxglove/wasm-lz4/dist/wasm-lz4.js",
      "@foxglove/wasm-zstd/dist/wasm-zstd.js",
      "@mcap/core",
      "protobufjs/minimal.js",
      "tiff",
    ],
    rolldownOptions: { plugins: [wasm()] },
  },
  worker: { format: "es", plugins: () => [wasm(), wat()] },
});
