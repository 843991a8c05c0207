import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOMS } from "../config/rooms.ts";
import { linkedFiles } from "../config/wgsl.ts";
import { read, root, walk, withoutComments } from "./house.ts";

// What holds for all shaders: where bindings, overrides and structs are declared.

const files = [...ROOMS, "tests"].flatMap(walk);
const wgsl = files.filter((path) => path.endsWith(".wgsl"));
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
  const kernels = wgsl.filter(isKernel).map((path) => [path, [...linkedFiles(join(root, path)).values()]] as const);

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

  test("hides the constants of exact.wgsl, whose sums are 0 otherwise", () => {
    const exact = kernels.filter(([, texts]) => texts.some((text) => text.includes("fn hideConstants(")));
    expect(exact.length).toBeGreaterThan(5);
    expect(exact.filter(([path]) => !/fn main\([^{]*\{\s*hideConstants\(/.test(withoutComments(read(path))))).toEqual(
      [],
    );
  });
});
