import { defineConfig } from "vitest/config";
import { wasm } from "./vite.wasm.ts";
import { wat } from "./vite.wat.ts";

export default defineConfig({
  plugins: [wasm(), wat()],
  test: {
    include: ["tests/**/*.test.ts"],
    globalSetup: "tests/browser/builds.ts",
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Three took as long on two cores: Dawn's software device uses every core by itself.
    pool: "forks",
    maxWorkers: 2,
    // What is in packages is Node's to load, but for what Node does not know, or gets without its names.
    server: { deps: { inline: [/\.wasm\?base64$/, /@foxglove\/ws-protocol/] } },
    reporters: ["default", "./tests/reporter.ts"],
  },
});
