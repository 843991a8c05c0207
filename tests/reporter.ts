import type { Reporter, TestModule } from "vitest/node";

/** As in tests/mode.ts, which only tests can load. */
const LEFT = " (left to test:rest)";

/** Ends the run with plain lines: how many tests passed, failed and were skipped, and how many of them ran on a GPU. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = modules.map(count);
    const total = (key: keyof ReturnType<typeof count>) => counts.reduce((sum, c) => sum + c[key], 0);
    const left = total("left") > 0 ? `, ${total("left")} left to test:rest (besides slow files and sweeps)` : "";
    console.log(`\n${total("passed")} passed, ${total("failed")} failed, ${total("skipped")} skipped${left}`);
    console.log(`${total("gpu")} GPU tests ran (${process.env.DEPTHLOOM_TEST_ADAPTER ?? "software"} adapter)`);
  }
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
