import { defineConfig, type Plugin } from "vite";
import library, { treeshake } from "./browser.config.ts";
import { instead, WITHOUT } from "./instead.ts";
import { existing, pathOf } from "./rooms.ts";

/**
 * The entries that are built into one file each, RxJS included, so that a page or a notebook takes it from any server without an import
 * map.
 */
const ENTRIES: Readonly<Record<string, string>> = {
  element: "viewer/element/index.ts",
  widget: "viewer/widget/index.ts",
};

/** A notebook hands in its frames. */
const IN_A_NOTEBOOK: Readonly<Record<string, string>> = {
  [existing("viewer/element/openSource.ts")]:
    'export const isSource = () => true; export const openSource = async () => { throw new Error("no source"); };',
  [existing("pipeline/noiseAside.ts")]: "export const noiseAside = () => undefined;",
};

const STARTS_WORKER = existing("pipeline/run/remote/open.ts");

/** Puts the stages' worker into the file, because a notebook loads a widget as text, so that relative URLs have no base. */
const withWorker: Plugin = {
  name: "depthloom-with-worker",
  enforce: "pre",
  transform: (code, id) => {
    if (pathOf(id) !== STARTS_WORKER) return undefined;
    const started = code.replace(/new Worker\(new URL\([^)]*\), \{[^}]*\}\)/, "new StageThread({ name })");
    return { code: `import StageThread from "./worker.ts?worker&inline";\n${started}`, map: null };
  },
};

/**
 * Builds dist/browser/element.js and widget.js after the library for pages, by `vite build --mode element`. The element's workers are the
 * library's, in dist/browser/chunks, and its packages are in that build's notices.
 */
export default defineConfig(({ mode }) => ({
  ...library,
  plugins: [
    ...(mode === "widget" ? [instead(IN_A_NOTEBOOK), withWorker] : [instead(WITHOUT)]),
    ...(library.plugins ?? []).filter((plugin) => !(plugin && "name" in plugin && plugin.name === "depthloom-notices")),
  ],
  build: {
    ...library.build,
    emptyOutDir: false,
    lib: { entry: { [mode]: ENTRIES[mode] ?? "" }, formats: ["es"] },
    rolldownOptions: { treeshake, output: { entryFileNames: "[name].js", codeSplitting: false, minify: true } },
  },
}));
