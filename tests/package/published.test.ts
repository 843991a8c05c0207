import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { build } from "vite";
import { beforeAll, describe, expect, test } from "vitest";
import { useFolder } from "../sources/fixtures.ts";
import { install, packed } from "./install.ts";

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

test("publint finds no fault in the package", async () => {
  const bytes = Uint8Array.from(tarball);
  const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  expect(messages).toEqual([]);
});

test("arethetypeswrong finds no fault for ES modules, in Node and for bundlers", async () => {
  const told = await checkPackage(createPackageFromTarballData(tarball));
  const problems = told.types ? told.problems : ["there are no types"];
  // CommonJS and Node 10 are left out: the package has no CommonJS, and Node 10 did not know `exports`.
  const elsewhere = /"resolutionKind":"(node10|node16-cjs)"/;
  expect(problems.filter((problem) => !elsewhere.test(JSON.stringify(problem)))).toEqual([]);
});

// kB of minified code that a page loads at once, without three.
test.each([
  ["one stage", 45, { stages: "median" }],
  [
    "a pipeline for Three.js",
    130,
    { pipeline: "createPipeline", stages: "compact, median", three: "createDepthPoints" },
  ],
  ["all stages", 430, { stages: "* as stages" }],
])("%s is at most %i kB in a page", async (_, most, names) => {
  const input = join(disk.root, `page-${most}.js`);
  const used = Object.entries(names).map(([part, name]) => {
    const one = name.startsWith("*") ? name : `{ ${name} }`;
    return `import ${one} from "depthloom/${part}"; console.log(${name.replace("* as ", "")});`;
  });
  writeFileSync(input, used.join("\n"));
  const rolldownOptions = { input, external: /^three/ };
  const options = { write: false, target: "esnext", minify: true, rolldownOptions } as const;
  const built = [await build({ root: disk.root, configFile: false, logLevel: "error", build: options })].flat();
  const files = built.flatMap((part) => ("output" in part ? part.output : []));
  const code = files.find((file) => file.type === "chunk" && file.isEntry);
  if (code?.type !== "chunk") throw new Error("the page has no script");
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;
  console.info(`${kilobytes(code.code.length)}, ${kilobytes(gzipSync(code.code).length)} with gzip`);
  expect(code.code.length / 1000).toBeLessThan(most);
});

describe.each(["", "browser"])("the notices in dist/%s", (folder) => {
  const read = () => readFileSync(join(dist, folder, "THIRD-PARTY-NOTICES.md"), "utf8");
  /** The packages whose modules are in the files, by the bundler's comments. (The bundler leaves none in workers.) */
  const bundled = () => {
    const files = ["", "chunks", "vendor"].flatMap((part) => {
      const place = join(dist, folder, part);
      const names = part === "" || readdirSync(join(dist, folder)).includes(part) ? readdirSync(place) : [];
      return names.filter((name) => name.endsWith(".js")).map((name) => readFileSync(join(place, name), "utf8"));
    });
    const modules = /^\/\/(?:#region)? .*?node_modules\/((?:@[^/]+\/)?[^/\n]+)\/[^\n]*$/gm;
    return [...new Set(files.flatMap((text) => [...text.matchAll(modules)].map(([, name = ""]) => name)))];
  };

  test("have the licence of every bundled package", () => {
    const sections = new Map(
      read()
        .split(/^## (?=\S+ \d+\.\d+\.\d+ \()/m)
        .slice(1)
        .map((section) => [section.split(" ")[0], section]),
    );
    const names = bundled();
    // Pages' workers read recordings with the same packages as Node does.
    const readers = ["@foxglove/rosmsg", "@foxglove/wasm-lz4", "@foxglove/wasm-zstd", "@mcap/core", "heap-js"];
    expect(names).toEqual(expect.arrayContaining(folder ? ["rxjs", "webgpu-utils"] : readers));
    const grants = /Permission is hereby granted|Redistribution and use|Permission to use, copy|Apache License/;
    const without = [...names, ...readers].filter((name) => !grants.test(sections.get(name) ?? ""));
    expect(without).toEqual([]);
  });

  test("have the licences of the C libraries in the bundled WebAssembly", () => {
    for (const line of ["Copyright (c) 2011-2020, Yann Collet", "For Zstandard software"])
      expect(read()).toContain(line);
  });
});
