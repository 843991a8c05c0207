import { defineConfig, type Plugin } from "vite";
import library, { treeshake } from "./browser.config.ts";

/**
 * The entries that are built into one file each, RxJS included, so that a page or a notebook takes it from any server without an import
 * map.
 */
const ENTRIES: Readonly<Record<string, string>> = {
  element: "viewer/element/index.ts",
  widget: "viewer/widget/index.ts",
};

/**
 * Left out of these files: reading on the page's own thread, for which each has its worker. The library loads these modules only if
 * needed.
 */
const WITHOUT: Readonly<Record<string, string>> = {
  "recorded/openOwn.ts": "export const openOwn = async () => undefined;",
  "live/openLiveHere.ts":
    'export const openHere = async () => { throw new Error("no worker starts here: the content security policy needs worker-src"); };',
};

/** A notebook hands in its frames. */
const IN_A_NOTEBOOK: Readonly<Record<string, string>> = {
  "element/openSource.ts":
    'export const isSource = () => true; export const openSource = async () => { throw new Error("no source"); };',
};

/** Puts the stages' worker into the file, since a notebook loads a widget as a text, which stands in no folder. */
const withWorker: Plugin = {
  name: "depthloom-with-worker",
  enforce: "pre",
  transform: {
    filter: { id: /\/run\/remote\/open\.ts$/ },
    handler: (code) => ({
      code: `import StageThread from "./worker.ts?worker&inline";\n${code.replace(
        /new Worker\(new URL\([^)]*\), \{[^}]*\}\)/,
        "new StageThread({ name })",
      )}`,
      map: null,
    }),
  },
};

function instead(texts: Readonly<Record<string, string>>): Plugin {
  const textOf = (id: string) => Object.entries(texts).find(([path]) => id.endsWith(`/${path}`))?.[1];
  return {
    name: "depthloom-instead",
    enforce: "pre",
    load: (id) => {
      const code = textOf(id);
      return code === undefined ? undefined : { code, map: null, moduleType: "js" };
    },
  };
}

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
    minify: true,
    lib: { entry: { [mode]: ENTRIES[mode] ?? "" }, formats: ["es"] },
    rolldownOptions: { treeshake, output: { entryFileNames: "[name].js", codeSplitting: false } },
  },
}));
