import { basename } from "node:path";
import { defineConfig, type Plugin } from "vite";
import library, { treeshake } from "./browser.config.ts";

/** What is one file each, RxJS included, so that a page or a notebook takes it from any server without an import map. */
const ENTRIES: Readonly<Record<string, string>> = {
  element: "viewer/element/index.ts",
};

/**
 * Left out of these files: reading on the page's own thread, for which each has its worker. The library loads these modules only if
 * needed.
 */
const WITHOUT: Readonly<Record<string, string>> = {
  "openOwn.ts": "export const openOwn = async () => undefined;",
  "openLiveHere.ts":
    'export const openHere = async () => { throw new Error("no worker starts here: the content security policy needs worker-src"); };',
};

function withoutReaders(): Plugin {
  return {
    name: "depthloom-without-readers",
    enforce: "pre",
    load: {
      filter: { id: /\/(openOwn|openLiveHere)\.ts$/ },
      handler: (id) => ({ code: WITHOUT[basename(id)] ?? "", map: null, moduleType: "js" }),
    },
  };
}

/**
 * Builds dist/browser/element.js after the library for pages: `vite build --mode element`. Its workers are the library's, in
 * dist/browser/chunks, and its packages are in that build's notices.
 */
export default defineConfig(({ mode }) => ({
  ...library,
  plugins: [
    withoutReaders(),
    ...(library.plugins ?? []).filter((plugin) => !(plugin && "name" in plugin && plugin.name === "depthloom-notices")),
  ],
  build: {
    ...library.build,
    emptyOutDir: false,
    minify: true,
    lib: { entry: { [mode]: ENTRIES[mode] ?? "" }, formats: ["es"] },
    rolldownOptions: { treeshake, output: { entryFileNames: "[name].js", codeSplitting: false } },
  },
}));
