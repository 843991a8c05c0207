import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { page } from "./vite.page.ts";
import { readers, wasm } from "./vite.wasm.ts";
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
  optimizeDeps: readers,
  worker: { format: "es", plugins: () => [wasm(), wat()] },
});
