// Deletes the type declarations in dist/types that none of the package's entries reaches, which are more than half of them.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const { exports: entries } = JSON.parse(readFileSync("package.json", "utf8"));
const waiting = [...JSON.stringify(entries).matchAll(/dist\/types\/[^"]+\.d\.ts/g)].map(([path]) => normalize(path));
const reached = new Set();
for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
  if (reached.has(path)) continue;
  reached.add(path);
  for (const [, name] of readFileSync(path, "utf8").matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g))
    waiting.push(join(dirname(path), name.replace(/\.[jt]s$/, ".d.ts")));
}
for (const entry of readdirSync("dist/types", { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && !reached.has(path)) rmSync(path);
}
