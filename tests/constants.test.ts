import { dirname } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { ROOMS } from "../config/rooms.ts";
import { read, walk } from "./house.ts";

// A kernel and its twin name their constants alike, and a name has one value in both.

/** The constants of a file by their texts: `7`, `0xffffu`, `fround(0.04)`, `2 ** 9`, `HIDDEN + BACK`; not those read from a shader. */
const constantsOf = (code: string) =>
  [...code.matchAll(/^(?:export )?const (\w+)(?:: \w+)? = (?!.*\bconstantOf\()([^;]+?)(?: as const)?;/gm)].map(
    ([, name = "", text = ""]) => [name, text] as const,
  );

/** The numbers of a constant: one, or those of a vector or an array; "?" where its text has none. `texts` has the other constants. */
function numbersOf(text: string, texts: ReadonlyMap<string, string>): string {
  const list = /^[\w.]*[([]([^()[\]]*)[)\]]$/.exec(text)?.[1];
  return (list?.split(",") ?? [text]).map((one) => numberOf(one, texts)).join();
}

function numberOf(text: string, texts: ReadonlyMap<string, string>): number | "?" {
  const plain = text
    .replace(/\b(0x[\da-f]+[ui]|[\d.]+(?:e-?\d+)?[uif])\b/gi, (number) => number.slice(0, -1))
    .replace(/\b[A-Z]\w*/g, (name) => `(${numbersOf(texts.get(name) ?? "?", texts)})`);
  return /^(?:0x[\da-f]+|[\d.]+(?:e-?\d+)?|[-+*/()\s])+$/i.test(plain) ? Number(runInNewContext(plain)) : "?";
}

const shaders = walk("shaders").filter((path) => path.endsWith(".wgsl"));
/** A stage's name, or that of a room that has kernels. */
const stemOf = (shader: string) => shader.match(/^shaders\/([^/.]+)/)?.[1] ?? "";
const stems = [...new Set(shaders.map(stemOf))];
/** The files where the twins of a stem's kernels are: the stage's or, of a room, those of the folders that import its kernels. */
function homeOf(stem: string): readonly string[] {
  // What stages share is shaders/core and stages/core.
  const isRoom = ROOMS.includes(stem) && stem !== "core";
  const files = walk(isRoom ? stem : `stages/${stem}`).filter((path) => path.endsWith(".ts"));
  if (!isRoom) return files;
  const hosts = files.filter((path) => read(path).includes(`shaders/${stem}/`)).map((path) => dirname(path));
  return files.filter((path) => hosts.some((folder) => path.startsWith(`${folder}/`)));
}

/** What the files give each constant, by its name. */
function valuesIn(paths: readonly string[]): Map<string, Set<string>> {
  const constants = paths.flatMap((path) => constantsOf(read(path)));
  const [texts, values] = [new Map(constants), new Map<string, Set<string>>()];
  for (const [name, text] of constants) values.set(name, (values.get(name) ?? new Set()).add(numbersOf(text, texts)));
  return values;
}

/** The constants that both a stage's shaders and its own files name. assembly/ takes its constants from the twin. */
function sharedBy(stem: string): [name: string, kernel: Set<string>, twin: Set<string>][] {
  const own = shaders.filter((path) => stemOf(path) === stem);
  const [kernel, twin] = [valuesIn(own), valuesIn(homeOf(stem).filter((path) => !path.includes("/assembly/")))];
  return [...kernel].flatMap(([name, values]) => {
    const same = twin.get(name);
    return same ? [[name, values, same]] : [];
  });
}

test("this file reads the numbers of constants in WGSL and in TypeScript", () => {
  const code = `const A = 7u;\nexport const B = 0xff;\nconst C = Math.fround(0.5);\nconst D = 2 ** B; // d\nconst E = f(x);
const F: f32 = 2.5e-3f;\nconst G = A + 2 * L;\n  const H = 1;\nexport const I = -1;\nconst J = vec2f(0.5, A);\nconst K = [9, 1] as const;
const L = 0xfffu;\nconst M = { a: 1 };`;
  const texts = new Map(constantsOf(code));
  expect([...texts].map(([name, text]) => `${name} ${numbersOf(text, texts)}`)).toEqual([
    "A 7",
    "B 255",
    "C 0.5",
    `D ${2 ** 255}`,
    "E ?",
    "F 0.0025",
    "G 8197",
    "I -1",
    "J 0.5,7",
    "K 9,1",
    "L 4095",
    "M ?",
  ]);
});

test("this file finds more than 50 constants that kernels and twins share", () => {
  expect(stems.flatMap(sharedBy).length).toBeGreaterThan(50);
});

test.each(stems.filter((stem) => sharedBy(stem).length > 0))(
  "a constant that kernel and twin name has one value in %s",
  (stem) => {
    for (const [name, kernel, twin] of sharedBy(stem))
      expect(
        [...kernel, ...twin].every((value, _, [first]) => value === first && !value.includes("?")),
        `${name}: ${[...kernel]} in the kernel, ${[...twin]} in the twin`,
      ).toBe(true);
  },
);
