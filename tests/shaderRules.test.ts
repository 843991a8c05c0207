import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOMS } from "../config/rooms.ts";
import { linkedFiles } from "../config/wgsl.ts";
import { read, root, walk, withoutComments } from "./house.ts";

// What holds for all shaders: where bindings, overrides and structs are declared, and that a buffer that a kernel only reads is bound
// read-only: a compiler that cannot prove that nobody writes to it may bypass a cache.

const files = [...ROOMS, "tests"].flatMap(walk);
const wgsl = files.filter((path) => path.endsWith(".wgsl"));
const linked = (path: string) => [...linkedFiles(join(root, path))];
const isKernel = (path: string) => /\bfn main\s*\(/.test(withoutComments(read(path)));

describe("bindings are declared in WGSL only:", () => {
  test("TypeScript writes no binding number", () => {
    const own = files.filter((path) => path.endsWith(".ts") && !/^(bench\/)?tests\//.test(path));
    const numbered = own.filter((path) => /@binding|@group|binding:\s*\d/.test(withoutComments(read(path))));
    expect(numbered).toEqual([]);
  });

  const expectOverridesFirst = (code: string) => {
    const kinds = code.match(/^(?:@[^\n]*\s)?(?:override|var|struct|fn|const|alias)\b/gm) ?? [];
    const firstOther = kinds.findIndex((kind) => !kind.endsWith("override"));
    const lastOverride = kinds.findLastIndex((kind) => kind.endsWith("override"));
    expect(lastOverride, "an override stands after another declaration").toBeLessThan(firstOther);
  };
  test.each(wgsl.filter((path) => !isKernel(path)))(
    "%s, which is a part of kernels, has its override constants first",
    (path) => {
      expectOverridesFirst(withoutComments(read(path)));
    },
  );

  test.each(wgsl.filter(isKernel))("%s has its override constants first, one entry point, and group 0 only", (path) => {
    const code = withoutComments(read(path));
    expectOverridesFirst(code);
    expect(code.match(/@(?:compute|vertex|fragment)/g) ?? []).toHaveLength(1);
    expect(code).toMatch(/\bfn main\s*\(/);
    expect(code).not.toMatch(/@group\((?!0\))/);
  });
});

test("no file imports itself by way of others, but two that are planted", () => {
  const others = (path: string) =>
    linked(path)
      .slice(1)
      .map(([other]) => relative(root, other));
  const inCircles = wgsl.filter((path) => others(path).some((other) => others(other).includes(path)));
  expect(inCircles).toEqual(["tests/planted/here.wgsl", "tests/planted/there.wgsl"]);
});

describe("structs of the same name", () => {
  /** Name and text of a shader's structs; comments and spaces do not count. */
  const structsOf = (code: string) =>
    [...withoutComments(code).matchAll(/\bstruct\s+(\w+)\s*\{([^}]*)\}/g)].map(
      ([, name = "", text = ""]) => [name, text.replace(/\s+/g, " ").replace(/,? $/, "").trim()] as const,
    );

  test("are compared without comments and line ends, but with their types", () => {
    const [[, one] = [], [, other] = [], [, third] = []] = structsOf(
      "struct A { a: u32, b: f32 }\nstruct A {\n  a: u32, // what it is\n  b: f32,\n}\nstruct A { a: u32, b: u32 }",
    );
    expect([one, other, third]).toEqual(["a: u32, b: f32", "a: u32, b: f32", "a: u32, b: u32"]);
  });

  test("are the same in all shaders", () => {
    const texts = new Map<string, Set<string>>();
    for (const [name, text] of wgsl.flatMap((path) => structsOf(read(path))))
      texts.set(name, (texts.get(name) ?? new Set()).add(text));
    expect([...texts].filter(([, { size }]) => size > 1)).toEqual([]);
  });
});

describe("a kernel with its imports", () => {
  const kernels = wgsl.filter(isKernel).map((path) => [path, linked(path).map(([, text]) => text)] as const);

  test("gives each binding number to one variable", () => {
    const clashes = kernels.flatMap(([path, texts]) => {
      const found = texts.flatMap((text) => [
        ...withoutComments(text).matchAll(/@binding\((\d+)\)\s*var(?:<[^>]*>)?\s*(\w+)/g),
      ]);
      expect(found.length, path).toBeGreaterThan(0);
      const names = found.map(([, number, name]) => `${path}: ${number}: ${name}`);
      return names.filter((_, i) => found.some(([, number], k) => k < i && number === found[i][1]));
    });
    expect(clashes).toEqual([]);
  });

  // Writing a component may write the whole vector (WGSL, "Component reference from vector memory view"), and does where Direct3D 12 is
  // below: two invocations that write components of one vector would undo each other's writes.
  test("writes no single component of a vector in workgroup memory", () => {
    const written = (code: string) =>
      [...code.matchAll(/var<workgroup>\s*(\w+)\s*:\s*((?:array<)*)vec[234]/g)].filter(([, name, arrays = ""]) => {
        const element = name + "\\[[^;=\\]]*\\]".repeat(arrays.length / "array<".length);
        return new RegExp(`\\b${element}(\\.[xyzw]|\\[[^;=]*\\]) *[-+*|&^]?=[^=]`).test(code);
      });
    expect(written("var<workgroup> a: array<vec4u, 2>; a[i / 4u][i % 4u] = 1u;")).toHaveLength(1);
    expect(written("var<workgroup> a: array<vec2u, 2>; a[i].x = 1u;")).toHaveLength(1);
    expect(written("var<workgroup> a: array<vec2u, 2>; a[i] = vec2u(1u); b.x = a[i].x; if (a[i].x == 1u) {}")).toEqual(
      [],
    );
    expect(kernels.filter(([, texts]) => texts.some((text) => written(withoutComments(text)).length > 0))).toEqual([]);
  });

  // Firefox's compiler fails at others (tests/naga.test.ts).
  test("sizes no array by an expression of overrides, but by one override or by constants", () => {
    const sized = kernels.flatMap(([path, texts]) => {
      const code = withoutComments(texts.join("\n"));
      const overrides = [...code.matchAll(/^override (\w+)/gm)].map(([, name]) => name);
      const sizes = [...code.matchAll(/^var<workgroup>.*, (.*[^\w\n].*)>;/gm)].map(([, size = ""]) => size);
      return sizes
        .filter((size) => size.match(/\w+/g)?.some((name) => overrides.includes(name)))
        .map((size) => `${path}: ${size}`);
    });
    expect(sized).toEqual([]);
  });

  test("hides the constants of exact.wgsl, whose sums are 0 otherwise", () => {
    const exact = kernels.filter(([, texts]) => texts.some((text) => text.includes("fn hideConstants(")));
    expect(exact.length).toBeGreaterThan(5);
    expect(exact.filter(([path]) => !/fn main\([^{]*\{\s*hideConstants\(/.test(withoutComments(read(path))))).toEqual(
      [],
    );
  });
});

/** The names of the storage buffers that a kernel binds read-write. */
const boundReadWrite = (code: string): string[] =>
  [...withoutComments(code).matchAll(/var\s*<\s*storage\s*,\s*read_write\s*>\s*(\w+)/g)].map(([, name = ""]) => name);

/** The place behind the members and indices that follow a variable's name. */
function behindPlace(code: string, start: number): number {
  let at = start;
  for (;;) {
    while (/\s/.test(code[at] ?? "")) at++;
    if (code[at] === ".") {
      at += /^\.\s*\w+/.exec(code.slice(at))?.[0].length ?? 1;
    } else if (code[at] === "[") {
      for (let depth = 0; at < code.length; ) {
        if (code[at] === "[") depth++;
        if (code[at++] === "]" && --depth === 0) break;
      }
    } else {
      return at;
    }
  }
}

/** Whether the code assigns to a variable, or takes its address for anything but an atomic load or the length of an array. */
function isWritten(name: string, text: string): boolean {
  const code = withoutComments(text);
  for (const { index } of code.matchAll(new RegExp(`(?<![\\w.])${name}\\b`, "g"))) {
    if (/>\s*$/.test(code.slice(0, index)) && /var\s*<[^>]*>\s*$/.test(code.slice(0, index))) continue;
    const before = code.slice(0, index);
    if (/&\s*$/.test(before) && !/&&\s*$/.test(before)) {
      if (!/\b(?:atomicLoad|arrayLength)\s*\(\s*&\s*$/.test(before) && !/[\w)\]]\s*&\s*$/.test(before)) return true;
      continue;
    }
    const after = code.slice(behindPlace(code, index + name.length));
    if (/^(?:=(?!=)|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<=|>>=|\+\+|--)/.test(after)) return true;
  }
  return false;
}

/** The buffers that a kernel binds read-write and nothing in `code` writes to. */
const onlyRead = (code: string): string[] => boundReadWrite(code).filter((name) => !isWritten(name, code));

/** A kernel's code and that of the parts in its folder: a part may be where the kernel writes its buffers. */
const wholeOf = (path: string) =>
  [path, ...wgsl.filter((part) => !isKernel(part) && dirname(part) === dirname(path))].map(read).join("\n");

describe("this file's search for writes to a buffer", () => {
  const kernel = (body: string) =>
    `@group(0) @binding(0) var<storage, read_write> cells: array<u32>; // cells = written
     @compute @workgroup_size(1) fn main() { ${body} }`;

  test.each([
    "let x = cells[0];",
    "let x = cells[cells[1]] == 3u;",
    "if (cells[0] <= 1u) { return; }",
    "let x = atomicLoad(&cells[0]);",
    "let n = arrayLength(&cells);",
    "let x = 7u & cells[0];",
    "let x = true && cells[0] > 1u;",
    "other.cells[0] = 1u;",
    "var subcells = 1u; subcells = 2u;",
  ])("finds none in `%s`", (body) => {
    expect(onlyRead(kernel(body))).toEqual(["cells"]);
  });

  test.each([
    "cells[0] = 1u;",
    "cells[cells[1] + 2u] += 1u;",
    "cells[0].x = 1u;",
    "cells [i] . y[2] <<= 1u;",
    "cells[0]++;",
    "atomicAdd(&cells[0], 1u);",
    "atomicStore(&cells[0].count, 1u);",
    "let p = &cells[0]; *p = 1u;",
    "fill(&cells);",
  ])("finds one in `%s`", (body) => {
    expect(onlyRead(kernel(body))).toEqual([]);
  });
});

test("this file finds more than 20 kernels, which bind more than 20 buffers read-write", () => {
  expect(wgsl.filter(isKernel).length).toBeGreaterThan(20);
  expect(wgsl.filter(isKernel).flatMap((path) => boundReadWrite(read(path))).length).toBeGreaterThan(20);
});

test.each(wgsl.filter(isKernel))("%s binds the buffers that it only reads as read-only", (path) => {
  const code = read(path);
  expect(boundReadWrite(code).filter((name) => !isWritten(name, wholeOf(path)))).toEqual([]);
});
