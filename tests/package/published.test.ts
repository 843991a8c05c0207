import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scan } from "../../scan/index.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { install, manifestOf, packed } from "./install.ts";

// The package's tarball: the findings of package checkers on it, the size of what a page imports from it, and the licences of the
// packages that are bundled in it.

const disk = useFolder();
let tarball: Buffer<ArrayBuffer>;
let dist = "";

beforeAll(async () => {
  const path = await packed();
  tarball = Buffer.from(readFileSync(path));
  dist = join(install(path, disk.root), "dist");
});

test("scan works on a thread of its own, to the same mesh as on the calling one, and hands on what the source throws", async () => {
  const scene = { scene: "desk", width: 160, height: 120, frames: 4, noise: false } as const;
  // Here, where the sources run unbuilt, no thread starts.
  const { mesh } = await scan(syntheticRoom(scene), { voxelM: 0.02, backend: "cpu" });
  const sum = createHash("sha1").update(mesh.positions).update(mesh.indices).digest("hex");
  const program = `
import { createHash } from "node:crypto";
import threads from "node:worker_threads";
import { scan } from "depthloom/scan";
import { syntheticRoom } from "depthloom/sources";
const names = [];
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(url, options) {
    names.push(options.name);
    super(url, options);
  }
};
const [desk, how] = [syntheticRoom(${JSON.stringify(scene)}), { voxelM: 0.02, backend: "cpu" }];
const { mesh } = await scan(desk, how);
const mine = new Error("mine");
const error = await scan({ ...desk, read: () => Promise.reject(mine) }, how).catch((reason) => reason);
const none = await scan({ ...desk, read: async () => undefined }, how).catch(({ code }) => code);
const sum = createHash("sha1").update(mesh.positions).update(mesh.indices).digest("hex");
console.log(JSON.stringify([names, sum, error === mine, none]));`;
  // Threads that took over --eval of the program that starts them would not start.
  const how = { cwd: disk.root, encoding: "utf8" } as const;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], how);
  const names = Array.from({ length: 3 }, () => "depthloom scan");
  expect([stderr, JSON.parse(stdout)]).toEqual(["", [names, sum, true, "DEPTHLOOM_FRAME"]]);
});

test("nothing in the packed package.json runs where the package is installed", () => {
  const { scripts } = manifestOf(join(dist, ".."));
  const run = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];
  expect(run.filter((name) => name in scripts)).toEqual([]);
});

test("package.json names no address of the repository while it has no public one", () => {
  const named = Object.keys(manifestOf(join(dist, "..")));
  expect(named.filter((name) => ["repository", "homepage", "bugs"].includes(name))).toEqual([]);
});

test("publint finds no fault in the package", async () => {
  const bytes = Uint8Array.from(tarball);
  const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  // An example is a package of its own.
  expect(messages.filter(({ args }) => !JSON.stringify(args ?? {}).includes("docs/examples/"))).toEqual([]);
});

test("arethetypeswrong finds no fault for ES modules, in Node and for bundlers", async () => {
  const told = await checkPackage(createPackageFromTarballData(tarball));
  const problems = told.types ? told.problems : ["there are no types"];
  // CommonJS and Node 10 are left out: the package has no CommonJS, and Node 10 did not know `exports`.
  const elsewhere = /"resolutionKind":"(node10|node16-cjs)"/;
  expect(problems.filter((problem) => !elsewhere.test(JSON.stringify(problem)))).toEqual([]);
});

/**
 * In kB: what a page loads at once of each import, minified, without three and, where a bundler does the work, without RxJS. `what` begins
 * its row in docs/library.md.
 */
const PAGES: readonly (readonly [what: string, most: number, names: Readonly<Record<string, string>>])[] = [
  ["`median`", 35, { stages: "median" }],
  [
    "`createPipeline`, `compact`, `median`, `createDepthPoints`",
    150,
    { pipeline: "createPipeline", stages: "compact, median", three: "createDepthPoints" },
  ],
  ["`defaultStages`", 300, { stages: "defaultStages" }],
  ["all stages", 300, { stages: "* as stages" }],
  ["`createPipeline`", 90, { pipeline: "createPipeline" }],
  ["the same from `depthloom`", 41, { "": "median" }],
  ["`openRecording`", 45, { sources: "openRecording" }],
  ["all of `depthloom/sources`", 150, { sources: "* as sources" }],
  ["`createDepthPoints`", 30, { three: "createDepthPoints" }],
  ["`LatencyOverlay`", 30, { overlay: "LatencyOverlay" }],
  ["`defineStage`", 15, { stage: "defineStage" }],
  ["`measure`", 90, { measure: "measure" }],
  ["`align`", 60, { measure: "align" }],
  ["all of `depthloom`", 450, { "": "* as depthloom" }],
];
const library = readFileSync("docs/library.md", "utf8");
const sizes: { part: string; kB: number; gzip: number; most: number }[] = [];
afterAll(() => console.table(sizes));

function expectSize(part: string, code: string | Uint8Array, most: number): void {
  const kB = (bytes: Uint8Array) => Math.round(bytes.length / 1000);
  const bytes = Buffer.from(code);
  sizes.push({ part, kB: kB(bytes), gzip: kB(gzipSync(bytes)), most });
  expect(bytes.length / 1000).toBeLessThan(most);
  const row = library.split("\n").find((line) => line.startsWith(`| ${part} `));
  const told = Number(/\| (\d+) \(/.exec(row ?? "")?.[1]);
  expect(Math.abs(told - kB(bytes)), `${part}: docs/library.md says ${told} kB`).toBeLessThan(
    2 + bytes.length / 50_000,
  );
}

test.each(PAGES)("%s is at most %i kB in a page", async (what, most, names) => {
  const input = join(disk.root, "page.js");
  const used = Object.entries(names).map(([part, name]) => {
    const one = name.startsWith("*") ? name : `{ ${name} }`;
    return `import ${one} from "depthloom${part && `/${part}`}"; console.log(${name.replace("* as ", "")});`;
  });
  writeFileSync(input, used.join("\n"));
  const rolldownOptions = { input, external: /^(three|rxjs)/ };
  const options = { write: false, target: "esnext", minify: true, rolldownOptions } as const;
  const built = [await build({ root: disk.root, configFile: false, logLevel: "error", build: options })].flat();
  const files = built.flatMap((part) => ("output" in part ? part.output : []));
  const loaded = new Set(files.flatMap((file) => (file.type === "chunk" && file.isEntry ? [file] : [])));
  for (const { imports } of loaded)
    for (const file of files) if (file.type === "chunk" && imports.includes(file.fileName)) loaded.add(file);
  expectSize(what, [...loaded].map(({ code }) => code).join("\n"), most);
});

test.each([
  ["element.js", 560],
  ["widget.js", 760],
])("the file %s, all stages and RxJS included, is at most %i kB", (name, most) => {
  expectSize(`the file \`${name}\`,`, readFileSync(join(dist, "browser", name)), most);
});

test("the links of packed pages lead to packed files, or to further files of the repository", () => {
  const root = join(dist, "..");
  const pages = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    /^[A-Z]+\.md$|^docs.*md$/.test(name),
  );
  const links = pages.flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)].map(([, to = ""]) =>
      join(page, "..", to),
    ),
  );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter((link) => !existsSync(join(root, link)) && !existsSync(link))).toEqual([]);
});

test("the package is at most 11.2 MB, with each WebAssembly of others once", () => {
  const files = readdirSync(join(dist, ".."), { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const bytes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
  expect(bytes.reduce((sum, size) => sum + size) / 1e6).toBeLessThan(11.2);
  const binaries = files.map(({ name }) => name).filter((name) => name.endsWith(".wasm"));
  expect(binaries.map((name) => name.replace(/-\w{8}\.wasm$/, "")).sort()).toEqual([
    "mozjpeg_dec",
    "sql-wasm",
    "wasm-lz4",
    "wasm-zstd",
  ]);
});

describe.each(["", "browser"])("the notices in dist/%s", (folder) => {
  const read = () => readFileSync(join(dist, folder, "THIRD-PARTY-NOTICES.md"), "utf8");
  test("have the licence of every bundled package", () => {
    const sections = new Map(
      read()
        .split(/^## (?=\S+ \d+\.\d+\.\d+ \()/m)
        .slice(1)
        .map((section) => [section.split(" ")[0], section]),
    );
    // Pages' workers read recordings with the same packages as Node does.
    const readers = [
      "@foxglove/rosmsg",
      "@foxglove/wasm-lz4",
      "@foxglove/wasm-zstd",
      "@mcap/core",
      "heap-js",
      "protobufjs",
    ];
    const names = [...readers, "rxjs", "webgpu-utils", "js-aruco2", ...(folder ? [] : ["ws"])];
    const grants = /Permission is hereby granted|Redistribution and use|Permission to use, copy|Apache License/;
    const without = names.filter((name) => !grants.test(sections.get(name) ?? ""));
    expect(without).toEqual([]);
    // Where many have the same terms, the file has these once, whole.
    const [, mit, apache] = read().split(/^# (?:MIT|Apache) terms$/m);
    expect(mit).toMatch(/^\s*Permission is hereby granted, free of charge[\s\S]*IN THE\s+SOFTWARE\.\s*$/);
    expect(apache).toMatch(/^\s*TERMS AND CONDITIONS FOR USE[\s\S]*END OF TERMS AND CONDITIONS\s*$/);
    expect(read().match(/END OF TERMS AND CONDITIONS/g)).toHaveLength(1);
  });

  test("have the licences of the C libraries in the bundled WebAssembly", () => {
    for (const line of ["Copyright (c) 2011-2020, Yann Collet", "For Zstandard software"])
      expect(read()).toContain(line);
  });
});
