import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

// A buffer that a kernel only reads is bound read-only: a compiler that cannot prove that nobody writes to it may bypass a cache.

const root = fileURLToPath(new URL("..", import.meta.url));
const withoutComments = (code: string) => code.replace(/\/\*.*?\*\//gs, "").replace(/\/\/.*$/gm, "");

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

const files = ["shaders", "stages"].flatMap((tree) =>
  readdirSync(join(root, tree), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".wgsl"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name))),
);
const read = (path: string) => readFileSync(join(root, path), "utf8");
const isKernel = (path: string) => /\bfn main\s*\(/.test(withoutComments(read(path)));
/** A kernel's code and that of the parts in its folder: a part may be where the kernel writes its buffers. */
const wholeOf = (path: string) =>
  [path, ...files.filter((part) => !isKernel(part) && dirname(part) === dirname(path))].map(read).join("\n");

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
  expect(files.filter(isKernel).length).toBeGreaterThan(20);
  expect(files.filter(isKernel).flatMap((path) => boundReadWrite(read(path))).length).toBeGreaterThan(20);
});

test.each(files.filter(isKernel))("%s binds the buffers that it only reads as read-only", (path) => {
  const code = read(path);
  expect(boundReadWrite(code).filter((name) => !isWritten(name, wholeOf(path)))).toEqual([]);
});
