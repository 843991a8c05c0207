import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";

// As in tests/mode.ts, which only tests can load.
const LEFT = " (left to test:rest)";
const MISSING = " (its recordings are missing)";

/**
 * Ends the run with plain lines: how many tests passed, failed and were skipped, and where and why; what the quick run leaves to
 * `npm run test:rest`; and how many tests ran on a GPU.
 */
export default class CountReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest) {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const counts = modules.map(count);
    const total = (key: keyof ReturnType<typeof count>) => counts.reduce((sum, c) => sum + c[key], 0);
    console.log(`\n${total("passed")} passed, ${total("failed")} failed, ${total("skipped")} skipped`);
    const skipping = modules.flatMap((module, i) => (counts[i].skipped > 0 ? [whereAndWhy(module, counts[i])] : []));
    if (skipping.length > 0) console.log(`skipped in ${skipping.join("; ")}`);
    if (this.#vitest?.vite.config.mode === "quick") {
      const sampled = modules.filter(({ moduleId }) => /\bQUICK\b|\bsampled\(/.test(readFileSync(moduleId, "utf8")));
      const slow = await slowFiles(this.#vitest);
      console.log(
        `left to test:rest: tests: ${total("left")}, slow files (vitest.config.ts says why): ${slow.length} (${byFolder(slow)}), files that sampled a sweep: ${sampled.length}`,
      );
    }
    console.log(`${total("gpu")} GPU tests ran (${process.env.DEPTHLOOM_TEST_ADAPTER ?? "software"} adapter)`);
  }
}

/** The files of tests that are in no project of this run. */
async function slowFiles({ projects }: Vitest): Promise<string[]> {
  const found = await Promise.all(projects.map((project) => project.globTestFiles()));
  const taken = new Set(found.flatMap(({ testFiles }) => testFiles.map((path) => resolve(path))));
  const all = ["tests", "bench/tests"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  return all.filter((path) => path.endsWith(".test.ts") && !taken.has(resolve(path)));
}

/** "tests/browser 30, tests/fault 8" */
function byFolder(paths: readonly string[]): string {
  const folders = paths.map(dirname);
  return [...new Set(folders)].map((folder) => `${folder} ${folders.filter((f) => f === folder).length}`).join(", ");
}

/** A file, how many of its tests were skipped, and why: recordings that are missing, and the conditions that the file writes. */
function whereAndWhy({ moduleId, children }: TestModule, { skipped }: { readonly skipped: number }): string {
  const conditions: string[] = readFileSync(moduleId, "utf8").match(/\b(skipIf|runIf)\(.*?\)(?=[(.]|$)/gm) ?? [];
  if ([...children.allTests("skipped")].some(({ name }) => name.endsWith(MISSING)))
    conditions.unshift("without recordings");
  return `${relative("", moduleId)}: ${skipped} (${[...new Set(conditions)].join(", ") || "by the test itself, or by -t"})`;
}

function count(module: TestModule): Record<"passed" | "failed" | "skipped" | "left" | "gpu", number> {
  const tests = [...module.children.allTests()];
  const of = (wanted: string) => tests.filter((test) => test.result().state === wanted).length;
  const [passed, skipped] = [of("passed"), of("skipped")];
  // A file that does not load, or whose last hook throws, fails without a failed test in it.
  const failed = of("failed") || (module.ok() ? 0 : 1);
  // Tests that use the GPU report that themselves: see gpu.ts.
  const left = tests.filter(({ name }) => name.endsWith(LEFT)).length;
  return { passed, failed, skipped: skipped - left, left, gpu: tests.filter((test) => test.meta().gpu).length };
}
