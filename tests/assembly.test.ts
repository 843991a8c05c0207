import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { assembly } from "../config/assembly.ts";
import { useFolder } from "./sources/fixtures.ts";

// The compilation of AssemblyScript kernels: see config/assembly.ts.

const disk = useFolder();

function write(name: string, text: string): string {
  const path = join(disk.root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Loads a kernel through the plugin, as Vite does. Returns the kernel's exports and the files that Vite watches. */
async function load(path: string, query = "wasm") {
  const watched: string[] = [];
  const { load } = assembly();
  if (typeof load !== "object" || !("handler" in load)) throw new Error("the plugin loads nothing");
  const context = { addWatchFile: (file: string) => void watched.push(file) };
  const loaded = await Reflect.apply(load.handler, context, [`${path}?${query}`]);
  const [, base64 = ""] = /export default "([^"]+)"/.exec(loaded.code) ?? [];
  const module = new WebAssembly.Module(Buffer.from(base64, "base64"));
  const run = (memory: WebAssembly.Memory) => new WebAssembly.Instance(module, { env: { memory } }).exports;
  return { run, watched };
}

test("an AssemblyScript kernel imports constants from another file and is recompiled when that file changes", async () => {
  const kernel = write(
    "stage/assembly/kernel.ts",
    'import { STEP } from "../layout.ts";\nexport function next(at: i32): i32 {\n  return at + STEP;\n}\n',
  );
  const layout = write("stage/layout.ts", "export const STEP = 3;\n");
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
  const call = async () => {
    const { run, watched } = await load(kernel);
    expect(watched).toEqual([kernel, layout]);
    const { next } = run(memory);
    return typeof next === "function" ? next(4) : undefined;
  };
  expect(await call()).toBe(7);
  write("stage/layout.ts", "export const STEP = 5;\n");
  expect(await call()).toBe(9);
});

test("an AssemblyScript kernel accepts shared memory only if it was compiled for shared memory", async () => {
  const kernel = join(import.meta.dirname, "../stages/dofSplat/assembly/index.ts");
  const shared = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  expect((await load(kernel, "wasm&shared")).run(shared)).toHaveProperty("work");
  const { run } = await load(kernel);
  expect(() => run(shared)).toThrow(WebAssembly.LinkError);
});

test("an error of the AssemblyScript compiler names the file and the line", async () => {
  const kernel = write("stage/assembly/wrong.ts", "export function f(): i32 {\n  return g();\n}\n");
  await expect(load(kernel)).rejects.toThrow(/Cannot find name 'g'.*wrong\.ts\(2,10\)/s);
});
