import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { read, root, walk, withoutComments, withoutStrings } from "./house.ts";

// What holds for the code of all stages. AssemblyScript has rules of its own (config/assembly.ts).

const files = walk("stages").filter((path) => path.endsWith(".ts") && !path.includes("/assembly/"));

/**
 * What a file declares for all calls and may change: variables, memory that begins as zeros, and what it writes to, except what a `Map`
 * keeps.
 */
function sharedIn(code: string): string[] {
  const text = withoutStrings(withoutComments(code));
  const declared = text.matchAll(/^(?:export )?(const|let) (\w+)\b(?:: [^=;\n]+)?(?: = ([^\n]*))?/gm);
  const isMemory = (value: string) => !value.includes("=>") && /\bnew \w+Array\((?!\[|\w+\.)|\brigid\(\)/.test(value);
  const isWritten = (name: string) =>
    new RegExp(
      `(?<![.\\w])${name}(?:(?:\\.\\w+|\\[[^\\]\\n]+\\])+ \\S{0,3}(?<![=!<>])= |[.\\w]*\\.(?:set|fill)\\()`,
    ).test(text);
  return [...declared].flatMap(([, kind, name = "", value = ""]) =>
    kind === "let" || isMemory(value) || (isWritten(name) && !value.includes("Map<")) ? [name] : [],
  );
}

test("sizes of what lies in buffers come from the shaders", () => {
  // A word has 4 bytes; memory of the fast forms, which no shader declares, is simd.ts's.
  const retyped = /_BYTES = \d+;|\bpool\.buffer\([^;\n]*[ (](?:8|12|16|32|48|64)\b/;
  expect(
    ["const A_BYTES = 16;", 'pool.buffer("a", 16 * n, STORAGE)', 'pool.buffer("a", 4 * n)'].map((line) =>
      retyped.test(line),
    ),
  ).toEqual([true, true, false]);
  const own = [...files, ...walk("scan")].filter((path) => path.endsWith(".ts") && /\bpool\b/.test(read(path)));
  expect(own.filter((path) => retyped.test(withoutComments(read(path))))).toEqual([]);
});

test("layouts are asked for by literal names, by which builds know what to bring (config/wgsl.ts)", () => {
  const unknown = /\b(?:structView|sizeOf|constantOf)\((?!\w+, "\w+"\))|\bliveUniform\((?!pool, [\w.]+, "\w+")/;
  expect(['sizeOf(shader, "Pose")', "sizeOf(shader, name)"].map((line) => unknown.test(line))).toEqual([false, true]);
  const asking = [...files, ...walk("scan")].filter((path) => path.endsWith(".ts") && !path.startsWith("stages/core/"));
  expect(asking.filter((path) => unknown.test(withoutComments(read(path))))).toEqual([]);
});

test("memory that two twins would share is found", () => {
  const code = [
    "const row = new Float32Array(6);",
    "const pair = [rigid(), rigid()] as const;",
    "const point = { x: 0 };",
    "let sum = 0;",
    "const table = new Uint8Array([1, 2]);",
    "const make = () => new Float32Array(6);",
    "function f() { point.x += 1; const own = new Float32Array(6); own[0] = table[1]; return table[0] === 1; }",
  ];
  expect(sharedIn(code.join("\n"))).toEqual(["row", "pair", "point", "sum"]);
});

test("scratch belongs to a twin, not to the file that all twins share", () => {
  // exact.ts reads a float's bits through memory that holds them for one line; the others hold what is made once and then stays.
  const once = ["core/exact.ts", "core/packPose.ts", "core/threads.ts"];
  const shared = files.filter((path) => sharedIn(read(path)).length > 0);
  expect(shared).toEqual(once.map((name) => `stages/${name}`));
});

test.each(["scan/volume/gpuVolume.ts", "scan/mesh/gpuMesh.ts"])("%s begins with a map, as stages do", (path) => {
  const map = (read(path).match(/^(\/\/ .*\n)+/)?.[0] ?? "").replaceAll("\n//", "");
  expect(map).toMatch(/^\/\/ Kernels?: shaders\/.* Twin: .* Fast form: .* Tests: tests\//);
  const named = [...map.matchAll(/\b(?:shaders|scan|tests)\/[\w/.]+\w\/?/g)].map(([name]) => name);
  expect(named.filter((name) => !existsSync(join(root, name)))).toEqual([]);
});
