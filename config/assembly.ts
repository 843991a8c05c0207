import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const compiler = join(root, "node_modules/assemblyscript");
const cache = join(root, "node_modules/.cache/depthloom-assembly");

const KERNEL = /\/assembly\/[^/]+\.ts\?wasm$/;

/** A kernel uses the caller's memory only: these flags leave out the allocator, the garbage collector and data segments of the compiler. */
const FLAGS = [
  ...["--runtime", "stub", "--importMemory", "--noExportMemory", "--enable", "simd", "--enable", "threads"],
  ...["--optimizeLevel", "3", "--noAssert", "--noColors"],
];

/**
 * Compiles AssemblyScript to WebAssembly when a stage imports it. A stage's `simd.ts` writes
 *
 *     import binary from "./assembly/size3.ts?wasm";
 *
 * and gets the binary in base64, for `openWasm`, which also makes it accept a memory that threads share.
 *
 * How to write a kernel: stages/<stage>/assembly/<kernel>.ts is the fast form of the twin stages/<stage>/<kernel>.ts, with the twin's
 * function names in the twin's order. Its exports are its entry points; they take addresses and sizes as arguments. A kernel reads and
 * writes memory by `load<f32>(address, offset)` and `v128.load`, where a constant `offset` costs nothing. It never allocates: no `new`,
 * arrays, strings or closures. A function returns at most one value. The compiler inlines small functions. Layouts and constants that a
 * kernel shares with TypeScript are `export const NAME = number` in stages/<stage>/layout.ts, which both import. There a whole number is an
 * `i32`, and a number with a point or an exponent an `f64`, so write `<f32>NAME` where you need `f32`.
 *
 * Write a loop that takes most of the time as `do … while`: V8 makes code that is up to a fifth slower from a loop that tests at its top.
 * Arithmetic on vectors with the names of stages/core/assembly/vectors.ts reads as in the twin. The language has no `import type`, no
 * `export … from`, and no `any`. Avoid decorators other than `@unmanaged` on a class (fields at offsets), since Biome rejects them.
 *
 * Binaries are cached in node_modules/.cache under a hash of their sources, because the compiler takes seconds to start.
 */
export function assembly(): Plugin {
  return {
    name: "depthloom-assembly",
    enforce: "pre",
    load: {
      filter: { id: KERNEL },
      async handler(id) {
        const [path = ""] = id.split("?");
        const sources = sourcesOf(path);
        for (const source of sources.keys()) this.addWatchFile(source);
        const binary = await kept(sources, () => compile(path, sources));
        return { code: `export default "${binary.toString("base64")}";`, map: null, moduleType: "js" };
      },
    },
  };
}

/** The paths and texts of a kernel's files: the kernel, then its imports, found by their relative paths. */
function sourcesOf(path: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(path)) return found;
  const text = readFileSync(path, "utf8");
  found.set(path, text);
  for (const [, specifier = ""] of text.matchAll(/\bfrom "(\.[^"]+)"/g)) {
    sourcesOf(resolve(dirname(path), specifier), found);
  }
  return found;
}

async function kept(sources: ReadonlyMap<string, string>, make: () => Promise<Uint8Array>): Promise<Buffer> {
  const hash = createHash("sha256")
    .update(readFileSync(join(compiler, "package.json")))
    .update(FLAGS.join(" "));
  for (const [path, text] of sources) hash.update(`\n${relative(root, path)}\n${text}`);
  const file = join(cache, `${hash.digest("hex")}.wasm`);
  try {
    return readFileSync(file);
  } catch {
    const binary = await make();
    mkdirSync(cache, { recursive: true });
    // Another process may read this file at the same time: after the rename it sees all of it.
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, binary);
    renameSync(unfinished, file);
    return Buffer.from(binary);
  }
}

async function compile(path: string, sources: ReadonlyMap<string, string>): Promise<Uint8Array> {
  const { default: asc } = await import("assemblyscript/asc");
  let binary: string | Uint8Array = "";
  const { error, stderr } = await asc.main([relative(root, path), ...FLAGS, "--baseDir", root, "--outFile", "binary"], {
    readFile: (name) => sources.get(resolve(root, name)) ?? null,
    writeFile: (_, contents) => {
      binary = contents;
    },
    listFiles: () => [],
  });
  if (error || typeof binary === "string")
    throw new Error(`${relative(root, path)} does not compile: ${stderr}${error}`);
  return binary;
}
