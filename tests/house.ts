import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

// The files of the repository and what they import, for the tests that hold its layout.

export const root = fileURLToPath(new URL("..", import.meta.url));

/** The paths of all files in a folder, from the root. */
export function walk(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : walk(path);
    return [path];
  });
}

export const read = (path: string) => readFileSync(join(root, path), "utf8");
export const withoutComments = (code: string) => code.replace(/\/\*.*?\*\//gs, "").replace(/(^|\s)\/\/.*$/gm, "");
export const withoutStrings = (code: string) => code.replace(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, '""');

/** What a file with this code imports: the files of this repository as paths from the root, the rest as "node:fs" or "npm:three". */
export function importsIn(path: string, code: string): string[] {
  const found = withoutComments(code).matchAll(/(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*"([^"?\n]+)/g);
  return [...found].map(([, name = ""]) => {
    if (name.startsWith(".")) return relative(root, join(root, dirname(path), name));
    if (name.startsWith("depthloom-bench/")) return `${name.slice("depthloom-".length)}.ts`;
    return name.includes(":") ? name : `npm:${name}`;
  });
}

export const importsOf = (path: string) => importsIn(path, read(path));
