import { defineConfig } from "vitest/config";
import { wat } from "./vite.wat.ts";

export default defineConfig({
  plugins: [wat()],
  test: {
    include: ["tests/**/*.test.ts"],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // One process at a time has the GPU: Dawn's software device uses every core by itself.
    pool: "forks",
    maxWorkers: 2,
    reporters: ["default", "./tests/reporter.ts"],
  },
});
