import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { assembly } from "../config/assembly.ts";
import { openWasm } from "../stages/core/wasm.ts";
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
async function load(path: string) {
  const watched: string[] = [];
  const { load } = assembly();
  if (typeof load !== "object" || !("handler" in load)) throw new Error("the plugin loads nothing");
  const context = { addWatchFile: (file: string) => void watched.push(file) };
  const loaded = await Reflect.apply(load.handler, context, [`${path}?wasm`]);
  const [, base64 = ""] = /export default "([^"]+)"/.exec(loaded.code) ?? [];
  const module = new WebAssembly.Module(Buffer.from(base64, "base64"));
  const run = (memory: WebAssembly.Memory) => new WebAssembly.Instance(module, { env: { memory } }).exports;
  return { run, watched, binary: base64 };
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

test.each(["dofSplat/assembly/index", "temporal/assembly/temporal", "bilateralGrid/planes/assembly/passes"])(
  "the kernel %s takes a memory of its own, and one that threads share",
  async (name) => {
    const { binary } = await load(join(import.meta.dirname, `../stages/${name}.ts`));
    for (const shared of [false, true]) {
      const wasm = openWasm<object>([binary], 65536, shared);
      expect(wasm?.buffer).toBeInstanceOf(shared ? SharedArrayBuffer : ArrayBuffer);
      expect(Object.keys(wasm?.exports ?? {}).length).toBeGreaterThan(1);
    }
  },
);

test("an error of the AssemblyScript compiler names the file and the line", async () => {
  const kernel = write("stage/assembly/wrong.ts", "export function f(): i32 {\n  return g();\n}\n");
  await expect(load(kernel)).rejects.toThrow(/Cannot find name 'g'.*wrong\.ts\(2,10\)/s);
});
