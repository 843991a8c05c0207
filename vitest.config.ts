import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { assembly } from "./config/assembly.ts";
import { wasm } from "./config/wasm.ts";
import { wgsl } from "./config/wgsl.ts";

/** Stages, whose tests may be a folder. */
const STAGES = readdirSync(new URL("stages", import.meta.url)).filter((name) => !name.includes("."));
/** Tests of faults that lose no GPU and watch no memory. */
const FAULTS = "crafted,messageValues,values";

/**
 * Test files that share a process and its modules, which saves most of a second each; except in long runs (mode "long"), which measure
 * memory. Files that drive a browser share another process, and save two seconds each: Playwright and Vite take long to load, and a page's
 * server may leave files open that a browser has not read fully. All other files have a process of their own: they lose GPUs, measure
 * memory, watch who makes it or starts threads, or register formats for the whole process.
 */
const sharing = [
  "bench/tests/**/*.test.ts",
  `tests/{batch,cli,examples,live,publish,python,scan,${STAGES}}/**/!(use).test.ts`,
  "tests/measure/!(long).test.ts",
  "tests/pipeline/!(dawn|end|exit|gpu|vulkan).test.ts",
  `tests/fault/{${FAULTS}}.test.ts`,
  "tests/package/lock.test.ts",
  "tests/!(site).test.ts",
  "tests/sources/**/!(*rowser).test.ts",
];

const browsers = [
  "tests/browser/**/*.test.ts",
  "tests/package/{bundlers,element,examples,installed,python}.test.ts",
  "tests/site.test.ts",
  "tests/sources/**/*rowser.test.ts",
];

/** The files of each list that are no part of the quick run: they start processes, damage whole files, or measure. */
const slow = {
  sharing: [
    "bench/tests/**/*.test.ts",
    "tests/batch/{command,fleet,queue,slurm}.test.ts",
    "tests/publish/long.test.ts",
    "tests/scan/gpuScan.test.ts",
    "tests/cli/{cameras,hang,interrupt,kill,live,peers,record,serve,tune}.test.ts",
  ],
  browsers: browsers.map((glob) => glob.replace("browser/**/*.", "browser/**/!(quick).")),
  alone: ["tests/{fault,package}/*.test.ts", "tests/{measure/long,pipeline/exit,pipeline/vulkan}.test.ts"],
};

/** Files of the quick run that take only a sample of a sweep there (tests/mode.ts): the sweep is part of mode "rest". */
const sweeps = {
  sharing: [
    "tests/{bilateralGrid,compact,despeckle,dofSplat,forms}.test.ts",
    "tests/{bilateralGrid/gpu,bilateralGrid/planesGpu,dofSplat/simd,scan/session,track/gpu,temporal/equal}.test.ts",
    "tests/{cli/convert,cli/measure,sources/formats/order}.test.ts",
    "tests/{measure/{align,measure,quality,rounding,volume},pipeline/{rebuild,sameBits},scan/{gpuMesh,scan}}.test.ts",
  ],
  browsers: [],
  alone: [],
};

/** Mode "quick" leaves out the slow files, "rest" runs those and the sweeps; in other modes all run. */
export default defineConfig(({ mode }) => {
  const project = (name: keyof typeof slow, all: readonly string[], others: readonly string[], isolate: boolean) => ({
    extends: true as const,
    mode,
    test: {
      name,
      include: mode === "rest" ? [...slow[name], ...sweeps[name]] : [...all],
      exclude: [...others, ...(mode === "quick" ? slow[name] : [])],
      isolate,
      // Playwright's own waits end after a third of this, and say what they waited for.
      ...(name === "browsers" && mode !== "long" && { testTimeout: 90_000 }),
      // What a test waits for comes late on a busy machine: two cores take a second or more to draw a page.
      expect: { poll: { timeout: name === "browsers" ? 30_000 : 20_000 } },
    },
  });
  return {
    plugins: [wasm(), assembly(), wgsl()],
    // The examples in docs/ import the package by its name; here this name leads to the sources.
    resolve: { alias: { "depthloom/stage": fileURLToPath(new URL("stages/core/index.ts", import.meta.url)) } },
    test: {
      projects: [
        project("sharing", sharing, [], mode === "long"),
        project("browsers", browsers, [], mode === "long"),
        project("alone", ["tests/**/*.test.ts"], [...sharing, ...browsers], true),
      ],
      globalSetup: "tests/browser/builds.ts",
      // Slow tests start processes; long runs take as long as their options say. A test that takes longer sets its own time-out.
      testTimeout: mode === "long" ? 0 : mode === "quick" ? 60_000 : 90_000,
      // Hooks build and pack.
      hookTimeout: 180_000,
      // Three workers take as long as two on two cores, since Dawn's software device uses every core by itself.
      pool: "forks" as const,
      maxWorkers: 2,
      // Node loads packages itself, except those that it does not understand or whose named exports it does not find.
      server: { deps: { inline: [/\.wasm\?file$/, /@foxglove\/ws-protocol/, /webgpu-utils/] } },
      reporters: ["default", "./tests/reporter.ts"],
    },
  };
});
