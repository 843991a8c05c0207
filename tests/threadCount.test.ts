import { afterEach, expect, test, vi } from "vitest";
import { threadCount } from "../stages/core/threads.ts";

const { getBuiltinModule } = process;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test.each([
  [1, "", 1],
  [2, "", 2],
  [64, "", 8],
  [64, "12", 12],
  [4, "12", 4],
  [4, "1", 1],
])("a machine of %i cores with DEPTHLOOM_THREADS=%s has %i threads for a frame", (cores, asked, count) => {
  const os = { availableParallelism: () => cores };
  vi.spyOn(process, "getBuiltinModule").mockImplementation((id: string) =>
    id === "node:os" ? os : getBuiltinModule(id),
  );
  vi.stubEnv("DEPTHLOOM_THREADS", asked);
  expect(threadCount()).toBe(count);
});

test.each(["0", "-1", "1.5", "two"])("DEPTHLOOM_THREADS=%s is refused with what it must be", (asked) => {
  vi.stubEnv("DEPTHLOOM_THREADS", asked);
  expect(threadCount).toThrow(`DEPTHLOOM_THREADS must be a whole number from 1, not "${asked}"`);
});
