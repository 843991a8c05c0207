import { defineConfig } from "vitest/config";
import { wasm } from "./vite.wasm.ts";
import { wat } from "./vite.wat.ts";

/**
 * Their files share a process and its modules, which saves half a second each, but where a long run asks how much memory is taken. The
 * others have one of their own: most have a GPU, and a server of pages may leave files open that a browser has not read to their ends.
 */
const sharing = [
  ...["bench", "cli", "live"].map((room) => `tests/${room}/**/*.test.ts`),
  "tests/sources/!(*rowser).test.ts",
];

export default defineConfig(({ mode }) => ({
  plugins: [wasm(), wat()],
  test: {
    projects: [
      { extends: true, mode, test: { name: "sharing", include: sharing, isolate: mode === "long" } },
      { extends: true, mode, test: { name: "alone", include: ["tests/**/*.test.ts"], exclude: sharing } },
    ],
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
}));
