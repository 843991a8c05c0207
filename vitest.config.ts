import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { assembly } from "./vite.assembly.ts";
import { wasm } from "./vite.wasm.ts";

/** Stages with more than one file of tests. */
const STAGES = "bilateralGrid,compact,dofSplat,paint,temporal,track";
/** Of the pipeline's tests and of those of faults, those that lose no GPU and watch no memory. */
const PIPELINE = "edge,governor,misuse,order,retune,statistics,twinCheck";
const FAULTS = "crafted,messageValues,values";

/**
 * Test files that share a process and its modules, which saves most of a second each; except in long runs (mode "long"), which measure
 * memory. Those that drive a browser share another one, and save two seconds each: Playwright and Vite take long to load, and a page's
 * server may leave files open that a browser has not read fully. All other files have a process of their own: they lose GPUs, measure
 * memory or watch who makes it or starts threads.
 */
const sharing = [
  `tests/{batch,bench,cli,count,examples,live,${STAGES}}/**/!(sameMemory|thread).test.ts`,
  `tests/pipeline/{${PIPELINE}}.test.ts`,
  `tests/fault/{${FAULTS}}.test.ts`,
  "tests/package/lock.test.ts",
  "tests/!(site).test.ts",
  "tests/sources/**/!(*rowser).test.ts",
];

const browsers = [
  "tests/browser/**/*.test.ts",
  "tests/package/{examples,installed}.test.ts",
  "tests/site.test.ts",
  "tests/sources/**/*rowser.test.ts",
];

export default defineConfig(({ mode }) => ({
  plugins: [wasm(), assembly()],
  // The examples in docs/ import the package by its name, which stands for the sources here.
  resolve: { alias: { "depthloom/stage": fileURLToPath(new URL("stages/core/index.ts", import.meta.url)) } },
  test: {
    projects: [
      { extends: true, mode, test: { name: "sharing", include: sharing, isolate: mode === "long" } },
      { extends: true, mode, test: { name: "browsers", include: browsers, isolate: mode === "long" } },
      {
        extends: true,
        mode,
        test: { name: "alone", include: ["tests/**/*.test.ts"], exclude: [...sharing, ...browsers] },
      },
    ],
    globalSetup: "tests/browser/builds.ts",
    // On two cores that have ten times too much to do, the slowest test and a hook that builds and packs take more than a minute.
    // What takes longer says so at the test. Long runs take as long as they are told to.
    testTimeout: mode === "long" ? 0 : 120_000,
    hookTimeout: 180_000,
    // Three workers take as long as two on two cores, since Dawn's software device uses every core by itself.
    pool: "forks",
    maxWorkers: 2,
    // Node loads packages itself, except those that it does not understand or whose named exports it does not find.
    server: { deps: { inline: [/\.wasm\?base64$/, /@foxglove\/ws-protocol/] } },
    reporters: ["default", "./tests/reporter.ts"],
  },
}));
