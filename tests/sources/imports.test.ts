import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// What the files of sources/ import of each other, types included.

const root = fileURLToPath(new URL("../../sources", import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => join(root, name));
const imports = new Map(
  files.map((path) => {
    const named = readFileSync(path, "utf8").matchAll(/(?:from|import|import\(|new URL\()\s*"(\.[^"]*\.ts)"/g);
    return [path, [...named].map(([, name = ""]) => join(dirname(path), name))] as const;
  }),
);

/** All that a file needs, itself only where there is a circle. */
function needs(path: string): Set<string> {
  const found = new Set<string>();
  const visit = (from: string) => {
    for (const to of imports.get(from) ?? []) {
      if (found.has(to)) continue;
      found.add(to);
      visit(to);
    }
  };
  visit(path);
  return found;
}

test("every import is a file here", () => {
  expect([...imports.values()].flat().filter((path) => !imports.has(path))).toEqual([]);
  expect([...imports.values()].flat().length).toBeGreaterThan(100);
});

test("no file needs itself", () => {
  const circles = files.filter((path) => needs(path).has(path)).map((path) => path.slice(root.length + 1));
  expect(circles).toEqual([]);
});
