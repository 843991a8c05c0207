import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { assembly } from "./config/assembly.ts";
import { isText, packagesApart, treeshake } from "./config/browser.config.ts";
import { instead, WITHOUT } from "./config/instead.ts";
import { notices } from "./config/notices.ts";
import { entryApart } from "./config/once.ts";
import { page, servedPage } from "./config/page.ts";
import { readers, wasm } from "./config/wasm.ts";
import { wgsl } from "./config/wgsl.ts";
import { ISOLATED } from "./run/serve/isolated.ts";

const thirdParty = notices();

/**
 * Builds the live viewer: `npm run dev` serves it as it is edited, `npm run build:app` makes dist/app, which `depthloom view` and any
 * static server can serve.
 */
export default defineConfig({
  root: fileURLToPath(new URL("viewer/live", import.meta.url)),
  // URLs are relative, so that the viewer can live under any path.
  base: "./",
  // Three.js' sources, of which the page loads what it uses; each of its built files is one module, which has everything.
  resolve: {
    alias: [
      { find: /^three$/, replacement: "three/src/Three.Core.js" },
      { find: /^three\/webgpu$/, replacement: "three/src/Three.WebGPU.js" },
      { find: /^three\/tsl$/, replacement: "three/src/Three.TSL.js" },
    ],
  },
  server: { host: "127.0.0.1", headers: ISOLATED },
  preview: { host: "127.0.0.1", headers: ISOLATED },
  build: {
    outDir: "../../dist/app",
    emptyOutDir: true,
    target: "es2023",
    // These browsers support `light-dark()`. The replacement that Vite makes for older browsers would use one colour scheme for the whole
    // page.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      treeshake,
      // The texts of all kernels, which a page without a GPU does without.
      output: { codeSplitting: { groups: [{ name: "kernels", test: isText }] } },
    },
  },
  plugins: [instead(WITHOUT), wasm(), assembly(), wgsl({ lazy: true }), page(), thirdParty.main, servedPage()],
  optimizeDeps: readers,
  worker: {
    format: "es",
    plugins: () => [entryApart(), wasm(), assembly(), wgsl(), thirdParty.workers()],
    // As in the library's build: the files of workers that both have are then the same, and are packed once (config/once.ts).
    rolldownOptions: { treeshake, output: packagesApart },
  },
});
