import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { ROOMS } from "../config/rooms.ts";

// A kernel and its twin name their constants alike, and a name has one value in both.

const root = fileURLToPath(new URL("..", import.meta.url));

/** The constants of a file whose value is a number: 7, 0xffffu, 2.5e-3, fround(0.04), 2 ** 9. */
function constantsOf(code: string): [name: string, value: number][] {
  const found = code.matchAll(/^(?:export )?const (\w+)(?:: \w+)? = (?:(?:Math\.)?fround\(([^()]+)\)|([^;(]+));/gm);
  return [...found].flatMap(([, name = "", rounded, plain = ""]) => {
    const text = (rounded ?? plain).replace(/^(0x[\da-f]+|\d+)u$/i, "$1");
    const [base, exponent = 1] = text.split(" ** ").map(Number);
    return Number.isNaN(base ** exponent) ? [] : [[name, base ** exponent]];
  });
}

/** The files in a folder and below, as paths from the root. */
const within = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path));
const shaders = within("shaders").filter((path) => path.endsWith(".wgsl"));
/** A stage's name, or that of a room that has kernels. */
const stemOf = (shader: string) => shader.match(/^shaders\/([^/.]+)/)?.[1] ?? "";
const stems = [...new Set(shaders.map(stemOf))];
/** The files where the twins of a stem's kernels are: the stage's or, of a room, those of the folders that import its kernels. */
function homeOf(stem: string): readonly string[] {
  const files = within(ROOMS.includes(stem) ? stem : `stages/${stem}`).filter((path) => path.endsWith(".ts"));
  if (!ROOMS.includes(stem)) return files;
  const hosts = files.filter((path) => read(path).includes(`shaders/${stem}/`)).map((path) => dirname(path));
  return files.filter((path) => hosts.some((folder) => path.startsWith(`${folder}/`)));
}
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The numbers that the files give each constant, by its name. */
function valuesIn(paths: readonly string[]): Map<string, Set<number>> {
  const values = new Map<string, Set<number>>();
  for (const [name, value] of paths.flatMap((path) => constantsOf(read(path)))) {
    values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  return values;
}

/** The constants that both a stage's shaders and the files of its twin name. assembly/ takes its constants from the twin. */
function sharedBy(stem: string): [name: string, kernel: Set<number>, twin: Set<number>][] {
  const own = shaders.filter((path) => stemOf(path) === stem);
  const twins = homeOf(stem);
  const isTwin = (path: string) => !path.includes("/assembly/") && !read(path).includes('.wgsl"');
  const [kernel, twin] = [valuesIn(own), valuesIn(twins.filter(isTwin))];
  return [...kernel].flatMap(([name, values]) => {
    const same = twin.get(name);
    return same ? [[name, values, same]] : [];
  });
}

test("this file reads the numbers of constants in WGSL and in TypeScript", () => {
  const code = `const A = 7u;\nexport const B = 0xff;\nconst C = Math.fround(0.5);\nconst D = 2 ** 9; // d\nconst E = f(1);
const F: f32 = 2.5e-3;\nconst G = A + 1;\n  const H = 1;\nexport const I = -1;\nconst J = 0xffffu;`;
  expect(constantsOf(code)).toEqual([
    ...[["A", 7] as const, ["B", 255] as const, ["C", 0.5] as const, ["D", 512] as const, ["F", 0.0025] as const],
    ...[["I", -1] as const, ["J", 65535] as const],
  ]);
});

test("this file finds more than 50 constants that kernels and twins share", () => {
  expect(stems.flatMap(sharedBy).length).toBeGreaterThan(50);
});

describe("a constant that kernel and twin name has one value", () => {
  test.each(stems.filter((stem) => sharedBy(stem).length > 0))("in %s", (stem) => {
    for (const [name, kernel, twin] of sharedBy(stem))
      expect(
        [...kernel, ...twin].every((value, _, [first]) => value === first),
        `${name}: ${[...kernel]} in the kernel, ${[...twin]} in the twin`,
      ).toBe(true);
  });
});
