import { readdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Plugin } from "vite";
import { reflect } from "../shaders/reflect.ts";
import { existing, pathOf, ROOT } from "./rooms.ts";

const PART = "?part";
const PROGRAM = "?program";
/** A file's text alone: a part of a shader, or the whole of one that bench links by itself. */
const TEXT = /\?(part|raw)$/;
/** Workers that compute twins and compile no shader. */
const TWINS = ["pipeline/run/remote/worker.ts", "viewer/live/source/noiseWorker.ts"].map(existing);
/** The rooms that make kernels. */
const HOSTS = ["stages", "scan"].map(existing);
const IMPORT = /^\/\/ #import "(?<path>[^"]+)"$/gm;

/**
 * Makes `import shader from "./median.wgsl"` a `Shader`: the file's text, followed by the files that it imports, each once, and what they
 * declare. A WGSL file names its imports in its first lines:
 *
 *     // #import "./splats.wgsl"
 *
 * No file imports itself by way of others. `ShaderProgram.files` says which lines of the text are whose, for the compiler's messages.
 * Builds leave out comments, spaces, and the layouts and constants that no host asks for. Workers that compute twins get no texts. With
 * `lazy` each text is a module of its own, which the page loads when it makes a kernel.
 */
export function wgsl({ lazy = false } = {}): Plugin {
  let [isForTwins, isBrief] = [false, true];
  let asked: ReturnType<typeof askedOf> | undefined;
  return {
    name: "depthloom-wgsl",
    enforce: "pre",
    options({ input }) {
      isForTwins = [input].flat().some((path) => typeof path === "string" && TWINS.some((own) => path.endsWith(own)));
    },
    configResolved({ command }) {
      isBrief = command === "build";
    },
    load: {
      filter: { id: /\.wgsl(\?(part|raw|program))?$/ },
      async handler(id) {
        if (TEXT.test(id)) {
          const text = readFileSync(id.replace(TEXT, ""), "utf8");
          return module(JSON.stringify(isBrief ? brief(text) : text));
        }
        const path = id.replace(PROGRAM, "");
        const files = linkedFiles(path);
        for (const file of files.keys()) this.addWatchFile(file);
        const { resources, layouts, constants, workgroup } = reflect([...files.values()].join("\n"), await reader());
        if (path === id) {
          asked ??= askedOf();
          const names = asked.get(resolve(path));
          const wanted = <T>(all: Readonly<Record<string, T>>) =>
            JSON.stringify(Object.fromEntries(Object.entries(all).filter(([name]) => !isBrief || names?.has(name))));
          const has = `layouts: ${wanted(layouts)}, constants: ${wanted(constants)}`;
          const program = JSON.stringify(path + PROGRAM);
          if (isForTwins) return module(`{ load: () => ({ code: "", resources: [], workgroup: [] }), ${has} }`);
          if (lazy) return module(`{ load: () => import(${program}).then((text) => text.default), ${has} }`);
          return module(`{ load: () => program, ${has} }`, `import program from ${program};\n`);
        }
        // Kernels that import the same file share its text.
        const parts = [...files.keys()].map((file, i) => `import part${i} from ${JSON.stringify(file + PART)};\n`);
        const code = parts.map((_, i) => `part${i}`).join(' + "\\n" + ');
        const lines = [...files].map(([file, text]) => ({ path: pathOf(file), lines: text.split("\n").length }));
        const others = JSON.stringify({ resources, workgroup, files: lines, isBrief });
        return module(`{ code: ${code}, ...${others} }`, parts.join(""));
      },
    },
    transform: {
      filter: { id: /\/webgpu-utils\/dist\/.*\.js$/ },
      // Node 20 has no Float16Array, which the package names when it is loaded.
      handler: (code) => ({ code: code.replaceAll(/\bFloat16Array\b/g, "globalThis.Float16Array"), map: null }),
    },
  };
}

const module = (value: string, imports = "") => ({
  code: `${imports}export default ${value};`,
  map: null,
  moduleType: "js" as const,
});

/**
 * What the rooms with kernels ask of each shader, by its path: the names in `structView(shader, "Pose")` and the like. If a file chooses
 * among shaders, a name that it asks for goes to all shaders of the file.
 */
function askedOf(): Map<string, Set<string>> {
  const asked = new Map<string, Set<string>>();
  const files = HOSTS.flatMap((room) =>
    readdirSync(resolve(ROOT, room), { recursive: true, encoding: "utf8" }).map((path) => resolve(ROOT, room, path)),
  );
  for (const file of files.filter((path) => path.endsWith(".ts"))) {
    const text = readFileSync(file, "utf8");
    const imports = [...text.matchAll(/^import (\w+) from "(\.[^"]+\.wgsl)"/gm)].map(
      ([, name, path]) => [name, resolve(dirname(file), path)] as const,
    );
    for (const [, of, name] of text.matchAll(/\b(\w+)(?:\.\w+)?, "(\w+)"/g)) {
      const own = imports.filter(([shader]) => shader === of);
      for (const [, path] of own.length > 0 ? own : imports) asked.set(path, (asked.get(path) ?? new Set()).add(name));
    }
  }
  return asked;
}

/**
 * A shader without comments, indentation and the spaces around marks, which are two thirds of it. Each statement stays on its line, for the
 * compiler's messages. The space between two operators stays: without it the two could read as a third one.
 */
const brief = (code: string) =>
  code
    .replace(/\/\*.*?\*\//gs, (comment) => comment.replace(/[^\n]+/g, ""))
    .replace(/\/\/.*$/gm, "")
    .replace(/^[ \t]+|[ \t]+$/gm, "")
    .replace(/(?<=[\w)\]}]) (?=[^\w\s])|(?<=[,;{(]) |(?<=[\w)\]}] ?[-+*/%=<>&|^:]{1,3}) (?=[\w(])/g, "");

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
