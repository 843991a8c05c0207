import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Plugin } from "vite";
import { reflect } from "../shaders/reflect.ts";

const IMPORT = /^\/\/ #import "(?<path>[^"]+)"$/gm;

/**
 * Makes `import shader from "./median.wgsl"` a `Shader`: the file's text, followed by the files that it imports, each once, and what they
 * declare. A WGSL file names its imports in its first lines:
 *
 *     // #import "./splats.wgsl"
 *
 * WGSL takes declarations in any order, so two files may import each other, and the compiler's line numbers are those of the first file.
 */
export function wgsl(): Plugin {
  return {
    name: "depthloom-wgsl",
    enforce: "pre",
    load: {
      filter: { id: /\.wgsl$/ },
      async handler(id) {
        const files = linkedFiles(id);
        for (const path of files.keys()) this.addWatchFile(path);
        const shader = reflect([...files.values()].join("\n"), await reader());
        return { code: `export default ${JSON.stringify(shader)};`, map: null, moduleType: "js" };
      },
    },
    transform: {
      filter: { id: /\/webgpu-utils\/dist\/.*\.js$/ },
      // Node 20 has no Float16Array, which the package names when it is loaded.
      handler: (code) => ({ code: code.replaceAll(/\bFloat16Array\b/g, "globalThis.Float16Array"), map: null }),
    },
  };
}

/** The paths and texts of a WGSL file and of all that it imports, by itself and through other files. */
export function linkedFiles(path: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(path)) return found;
  const text = readFileSync(path, "utf8");
  found.set(path, text);
  for (const { groups } of text.matchAll(IMPORT)) linkedFiles(resolve(dirname(path), groups?.path ?? ""), found);
  return found;
}

/** webgpu-utils, for which a build lends Node what only browsers and later versions of Node have. */
async function reader() {
  Object.assign(globalThis, {
    Float16Array: Reflect.get(globalThis, "Float16Array") ?? Uint16Array,
    GPUShaderStage: Reflect.get(globalThis, "GPUShaderStage") ?? { VERTEX: 1, FRAGMENT: 2, COMPUTE: 4 },
  });
  return import("webgpu-utils");
}
