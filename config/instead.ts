import type { Plugin } from "vite";
import { existing, pathOf } from "./rooms.ts";

/**
 * Left out of the built viewer and of the files that stand alone: reading on the page's own thread, for which each has its worker. The
 * library loads these modules only if needed.
 */
export const WITHOUT: Readonly<Record<string, string>> = {
  [existing("sources/recorded/openOwn.ts")]: "export const openOwn = async () => undefined;",
  [existing("sources/live/openLiveHere.ts")]:
    'export const openHere = async () => { throw new Error("no worker starts here: the content security policy needs worker-src"); };',
};

/** Gives modules other texts, by their paths, in a build. */
export function instead(texts: Readonly<Record<string, string>>): Plugin {
  return {
    name: "depthloom-instead",
    enforce: "pre",
    apply: "build",
    load: (id) => {
      const code = texts[pathOf(id)];
      return code === undefined ? undefined : { code, map: null, moduleType: "js" };
    },
  };
}
