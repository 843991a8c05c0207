import { readdirSync, readFileSync } from "node:fs";
import type { Reporter, TestModule, Vitest } from "vitest/node";

/** As in tests/mode.ts, which only tests can load. */
const LEFT = " (left to test:rest)";

/**
 * Ends the run with plain lines: how many tests passed, failed and were skipped, what the quick run leaves to `npm run test:rest`, and how
 * many tests ran on a GPU.
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
    if (this.#vitest?.vite.config.mode === "quick") {
      const sampled = modules.filter(({ moduleId }) => /\bQUICK\b|\bsampled\(/.test(readFileSync(moduleId, "utf8")));
      const slow = await slowFiles(this.#vitest);
      console.log(
        `left to test:rest: tests: ${total("left")}, slow files: ${slow}, files that sampled a sweep: ${sampled.length}`,
      );
    }
    console.log(`${total("gpu")} GPU tests ran (${process.env.DEPTHLOOM_TEST_ADAPTER ?? "software"} adapter)`);
  }
}

/** How many files of tests are in no project of this run. */
async function slowFiles({ projects }: Vitest): Promise<number> {
  const found = await Promise.all(projects.map((project) => project.globTestFiles()));
  const all = ["tests", "bench/tests"].flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }));
  return (
    all.filter((path) => path.endsWith(".test.ts")).length - new Set(found.flatMap(({ testFiles }) => testFiles)).size
  );
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
