import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { LAW, ROOMS, roomOf } from "../config/rooms.ts";
import { imageExtensions, recordingExtensions } from "../sources/format/extensions.ts";
import type { StageFactory } from "../stages/core/define.ts";
import { defaultStages } from "../stages/index.ts";
import { defaultNames, registry } from "../stages/registry.ts";
import { drawRooms } from "./drawRooms.ts";
import { importsIn, importsOf, read, root, walk, withoutComments, withoutStrings } from "./house.ts";

// The layout of the repository: where files belong, and which files may import which.

/** A motion that moves nothing, which a stage's page calls "identity". */
const IDENTITY = "1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1";
const TREES = [...ROOMS, "tests"].sort();
const files = TREES.flatMap(walk);
const typescript = files.filter((path) => path.endsWith(".ts"));
const wgsl = files.filter((path) => path.endsWith(".wgsl"));

describe("the stage", () => {
  const folders = walk("stages").flatMap((path) => path.match(/^stages\/([^/]+)\//)?.[1] ?? []);
  const shaders = wgsl.flatMap((path) => path.match(/^shaders\/([^/.]+)/)?.[1] ?? []);
  // stages/core holds code that several stages use; shaders of a room's name belong to that room.
  const stems = [...new Set([...folders, ...shaders])].filter((stem) => !ROOMS.includes(stem)).sort();

  test.each(stems)("%s has an index, a twin, shaders, a test and two pages", (stem) => {
    const parts = [`stages/${stem}/index.ts`, `tests/${stem}.test.ts`, `docs/${stem}.md`, `docs/lab/${stem}.md`];
    const orphanOf = parts.filter((path) => !existsSync(join(root, path)));
    if (!shaders.includes(stem)) orphanOf.push(`shaders/${stem}.wgsl`);
    // A stage of several rooms has a twin in each.
    if (!files.some((path) => path.startsWith(`stages/${stem}/`) && path.endsWith("/cpu.ts"))) orphanOf.push("cpu.ts");
    expect(orphanOf).toEqual([]);
  });

  /** What the first lines of a kernel say of it. */
  const ROW =
    /Kernel (\d+) \(pipeline\/README\.md\)\. An invocation: (.*?)\. A workgroup: (.*?)\. It leaves: (.*?)\.(?:\s|$)/;

  test("pipeline/README.md has a row for each kernel, in order (vitest -u writes them)", async () => {
    const kernels = wgsl.filter(
      (path) => /\bfn main\(/.test(read(path)) && stems.includes(path.split(/[/.]/)[1] ?? ""),
    );
    const told = kernels.map((path) => {
      const [, stem = "", kernel = ""] = path.split(/[/.]/);
      const [, number, ...cells] = ROW.exec(read(path).replaceAll("\n// ", " ")) ?? [];
      expect(cells, `${path} has no row`).toHaveLength(3);
      const name = path.split("/").length > 2 ? `${stem}, ${kernel}` : stem;
      return { stem, number: Number(number), row: `   | ${[name, ...cells].join(" | ")} |` };
    });
    const rows = [...registry.keys()].flatMap((name) =>
      told.filter(({ stem }) => stem === name).sort((a, b) => a.number - b.number),
    );
    const table = rows.map(({ row }) => `${row}\n`).join("");
    const page = read("pipeline/README.md").replace(/(?<=\| leaves \|\n {3}\|[-|]+\n)(?: {3}\|.*\n)+/, table);
    await expect(page).toMatchFileSnapshot("../pipeline/README.md");
  });

  test.each(stems)("%s begins its index with a map of its files, which are there", (stem) => {
    const map = (read(`stages/${stem}/index.ts`).match(/^(\/\/ .*\n)+/)?.[0] ?? "").replaceAll("\n//", "");
    expect(map).toMatch(
      /^\/\/ Kernels?: .* Twin: .* (Fast form: .* )?Tests: .*tests\/forms\.test\.ts\. Pages: docs\/\w+\.md and docs\/lab\//,
    );
    const named = [...map.matchAll(/\b(?:shaders|stages|tests|docs)\/[\w/.]+\w\/?/g)].map(([path]) => path);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(named.length).toBeGreaterThan(2);
  });

  test.each(stems)("%s has a page with the default and the range of each of its parameters", (stem) => {
    const page = read(`docs/${stem}.md`);
    const rows = Object.entries(registry.get(stem)?.schema ?? {}).map(
      ([name, { initial, expects }]) =>
        `| \`${name}\` | ${String(initial) === IDENTITY ? "identity" : initial} | ${expects} | `,
    );
    expect(rows.filter((row) => !page.includes(row))).toEqual([]);
  });

  test("registry lists exactly the stages that have folders", () => {
    expect([...registry.keys()].sort()).toEqual(stems);
  });

  test("docs/README.md has a row for each stage, in order (vitest -u writes them)", async () => {
    const row = ({ stageName, summary, byDefault }: StageFactory) =>
      `| [${stageName}](${stageName}.md) | ${summary} | ${byDefault ? "yes " : ""}|`;
    const rows = [...registry.values()].map(row).join("\n");
    const page = read("docs/README.md").replace(/(?<=\| by default \|\n\|[-|]+\n)(?:\|.*\n)+/, `${rows}\n`);
    await expect(page).toMatchFileSnapshot("../docs/README.md");
  });

  test("stages/byDefault.ts has the registry's default stages, in order (vitest -u writes them)", async () => {
    const names = defaultNames();
    const imports = names.toSorted().map((name) => `import { ${name} } from "./${name}/index.ts";\n`);
    const why =
      "Written by tests/layout.test.ts from the stages' `byDefault`. Bundlers leave out the stages that are not named here.";
    const code = `// ${why}\n\n${imports.join("")}\nexport const byDefault = [${names.join(", ")}];\n`;
    await expect(code).toMatchFileSnapshot("../stages/byDefault.ts");
    expect(defaultStages().map(({ name }) => name)).toEqual(names);
  });

  test("place is another for each stage of a role", () => {
    const all = [...registry.values()];
    const twice = all.filter((a) => all.some((b) => a !== b && a.role === b.role && a.place === b.place));
    expect(twice.map(({ stageName, role, place }) => `${stageName}: ${role}, place ${place}`)).toEqual([]);
  });
});

const pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...walk("docs"), ...files].filter((path) =>
  path.endsWith(".md"),
);

test("links in pages lead to files", () => {
  const broken = pages.flatMap((path) =>
    [...read(path).matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
      .filter(([, target = ""]) => !existsSync(join(root, dirname(path), target)))
      .map(([, target]) => `${path} → ${target}`),
  );
  expect(broken).toEqual([]);
});

test("lines of pages are at most 140 characters wide, but for tables, images and code", () => {
  const isWide = (line: string) => line.length > 140 && !/^ *(\||!\[|<)/.test(line);
  const withoutCode = (page: string) => page.replace(/^ *```.*?^ *```$/gms, "");
  expect(pages.filter((path) => withoutCode(read(path)).split("\n").some(isWide))).toEqual([]);
});

test("the repository has exactly the known folders", () => {
  const generated = new Set(
    read(".gitignore")
      .split("\n")
      .flatMap((line) => line.match(/^(\w[^/*]*)\/$/)?.[1] ?? []),
  );
  const found = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !generated.has(entry.name))
    .map((entry) => entry.name);
  expect(found.filter((name) => !["docs", "config", "python"].includes(name)).sort()).toEqual(TREES);
});

test("AssemblyScript is in folders of its own, each with the tsconfig.json that editors look for", () => {
  const folders = new Set(files.filter((path) => path.includes("/assembly/")).map(dirname));
  const settings = (folder: string) => ({
    extends: join(relative(folder, "."), "config/tsconfig.assembly.json"),
    include: ["."],
  });
  expect(folders.size).toBeGreaterThan(0);
  for (const folder of folders) {
    expect(JSON.parse(read(`${folder}/tsconfig.json`)), folder).toEqual(settings(folder));
  }
  const imported = typescript.flatMap((path) =>
    [...read(path).matchAll(/from "(\.[^"]+)\?wasm/g)].map(([, name]) => name),
  );
  expect(imported.filter((name) => !/^\.{1,2}\/assembly\/\w+\.ts$/.test(name ?? ""))).toEqual([]);
});

test("no file is over 300 lines", () => {
  const code = files.filter((path) => /\.(ts|js|wgsl|css|html)$/.test(path));
  const long = code.map((path) => [path, read(path).trimEnd().split("\n").length] as const).filter(([, n]) => n > 300);
  expect(long).toEqual([]);
});

test("no comment is wider than 140 columns", () => {
  const commented = [...files, ...walk("config")].filter((path) => /\.(ts|js|wgsl)$/.test(path));
  const wide = (path: string) =>
    read(path)
      .split("\n")
      .filter((line) => line.length > 140 && /^\s*(\/\/|\/?\*|;;)/.test(line))
      .map((line) => `${path}: ${line.trim()}`);
  expect(commented.flatMap(wide)).toEqual([]);
});

test("no type is any", () => {
  const anyType = /(?:[:<,|&(=]|=>|\bas|\bsatisfies)\s*any\b(?!\s*[(:])|\bany\[\]/;
  expect(anyType.test("const x: any = 1") && anyType.test("f(x as any)") && anyType.test("type T = any[]")).toBe(true);
  expect(typescript.filter((path) => anyType.test(withoutStrings(withoutComments(read(path)))))).toEqual([]);
});

test("no file replaces process.env: native code reads the process's own variables, not those of another object", () => {
  const replaced = /\bprocess\.env\s*=(?!=)/;
  expect(["process.env = before", "process.env.HOME = home"].map((code) => replaced.test(code))).toEqual([true, false]);
  expect(typescript.filter((path) => replaced.test(withoutStrings(withoutComments(read(path)))))).toEqual([]);
});

describe("extensions of recordings", () => {
  const all = [...recordingExtensions, ...imageExtensions];

  test("are listed in no other file", () => {
    // Two extensions side by side, in a regular expression or in an array.
    const one = `(?:${all.map((extension) => extension.replace("tiff", "tiff?")).join("|")}|np\\[yz\\])`;
    const list = new RegExp(`\\b${one}\\|${one}\\b|"\\.?${one}", "\\.?${one}"`);
    const sample = ["/\\.(bag|mcap)$/i", '["zip", ".mkv", ".oni"]', "np[yz]|png", '["mcap", "tum", "png"]'];
    expect(sample.map((code) => list.test(code))).toEqual([true, true, true, false]);
    const own = typescript.filter((path) => !/^(bench|tests)\//.test(path));
    const others = own.filter((path) => path !== "sources/format/extensions.ts");
    expect(others.filter((path) => list.test(withoutComments(read(path))))).toEqual([]);
  });

  test("are named in the viewer's masthead and in docs/formats.md", () => {
    const missing = (path: string) =>
      recordingExtensions.filter((name) => !new RegExp(`[.\`]${name}\\b`).test(read(path)));
    expect(missing("viewer/live/shell/masthead.ts")).toEqual([]);
    expect(missing("docs/formats.md")).toEqual([]);
  });
});

describe("dependencies point one way:", () => {
  /** What a file imports against the law, each as "who → what". */
  function breaches(path: string, imported: readonly string[]): string[] {
    const room = roomOf(path);
    const law = room === undefined ? undefined : LAW[room];
    if (!law) return [`${path} is in no room`];
    const allowed = (name: string) => {
      if (name.startsWith("node:")) return law.node === true || (law.node ?? []).includes(path);
      const other = roomOf(name);
      return other === undefined || other === room || law.imports.includes(other);
    };
    return imported.filter((name) => !allowed(name)).map((name) => `${path} → ${name}`);
  }
  const own = files.filter((path) => /\.[tj]s$/.test(path) && roomOf(path) !== "tests");

  test("no import is against the law of the rooms", () => {
    expect(own.flatMap((path) => breaches(path, importsOf(path)))).toEqual([]);
  });

  test.each(Object.keys(LAW))("a wrong import planted in %s is found", (room) => {
    const path = `${room}/planted.ts`;
    const { imports, node } = LAW[room] ?? { imports: [] };
    const wrong = [...Object.keys(LAW), "tests"].filter((other) => other !== room && !imports.includes(other));
    const way = (other: string) => `./${relative(room, `${other}/x.ts`)}`;
    const lines = [
      ...wrong.map((other) => `import "${way(other)}";`),
      `const later = () => import("${way("nowhere")}");`,
      ...(node === true ? [] : ['import { readFileSync } from "node:fs";']),
    ];
    const found = breaches(path, importsIn(path, lines.join("\n")));
    expect(found).toHaveLength(lines.length);
  });

  test("bench, a workspace of its own, is imported by its name alone", () => {
    const byPath = /(?:from|import\()\s*"\.[^"]*\/bench\/(?!tests)/;
    const others = own.filter((path) => !path.startsWith("bench/"));
    expect(others.filter((path) => byPath.test(withoutComments(read(path))))).toEqual([]);
  });

  test("the law allows nothing that nobody does", () => {
    const done = new Set(own.flatMap((path) => importsOf(path).map((name) => `${roomOf(path)} → ${roomOf(name)}`)));
    const unused = Object.entries(LAW).flatMap(([room, { imports }]) => imports.map((other) => `${room} → ${other}`));
    expect(unused.filter((arrow) => !done.has(arrow))).toEqual([]);
    const named = Object.values(LAW).flatMap(({ node }) => (Array.isArray(node) ? node : []));
    expect(named.filter((path) => !importsOf(path).some((name) => name.startsWith("node:")))).toEqual([]);
  });

  test("the picture in CONTRIBUTING.md shows these imports (vitest -u draws it)", async () => {
    await expect(drawRooms(own)).toMatchFileSnapshot("../docs/architecture.svg");
  });

  test("a stage imports no other stage", () => {
    const folder = (path: string) => path.match(/^stages\/(\w+)\//)?.[1];
    const ofStages = typescript.filter((path) => folder(path) !== undefined && folder(path) !== "core");
    const others = ofStages.flatMap((path) =>
      importsOf(path)
        .map((imported) => [folder(imported) ?? "core", `${path} → ${imported}`] as const)
        .filter(([stem]) => stem !== "core" && stem !== folder(path)),
    );
    expect(others.map(([, way]) => way)).toEqual([]);
  });

  test("no file imports itself by way of others", () => {
    const needs = new Map(typescript.map((path) => [path, importsOf(path)]));
    const circles: string[] = [];
    const done = new Set<string>();
    const walkFrom = (path: string, way: readonly string[]) => {
      if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(" → "));
      if (done.has(path) || way.includes(path)) return;
      for (const next of needs.get(path) ?? []) walkFrom(next, [...way, path]);
      done.add(path);
    };
    for (const path of typescript) walkFrom(path, []);
    expect(circles).toEqual([]);
  });
});

test("no message of a library's room names a flag of the command line, which a page and a program have not", () => {
  const stringsOf = (path: string) => withoutComments(read(path)).match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? [];
  const flagsIn = (text: string) => text.match(/(?<![\w"-])--[a-z][a-z-]*/g) ?? [];
  const inRoom = (rooms: RegExp) => typescript.filter((path) => rooms.test(path));
  const flags = new Set(inRoom(/^cli\//).flatMap((path) => read(path).match(/--[a-z][a-z-]*/g) ?? []));
  expect(flags.size).toBeGreaterThan(50);
  // What run/ tells a terminal has the flags beside a library's words. A text may quote a command whole, CSS has properties of such names,
  // what begins with a flag is part of another program's command, and a comment stands in a file. A fact that nobody tells
  // (depthFormat.ts) names all ways to give it, the flag in quotes.
  const engine = /^run\/(?!report\/(failure|place|terminal)\.ts$)/;
  const libraries = [...inRoom(/^(core|sources|stages|write|pipeline|scan|measure|viewer)\//), ...inRoom(engine)];
  const named = libraries.flatMap((path) =>
    stringsOf(path)
      .filter((text) => !/depthloom \w+ --|^"# /.test(text) && (engine.test(path) || !/^["`]--/.test(text)))
      .filter((text) => flagsIn(text).some((flag) => flags.has(flag)))
      .map((text) => `${path}: ${text}`),
  );
  expect(named).toEqual([]);
});
