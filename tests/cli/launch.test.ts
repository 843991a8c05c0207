import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { useFolder } from "../sources/fixtures.ts";
import { root } from "./command.ts";

const disk = useFolder();
const PARTS = [
  "bench",
  "config",
  "pipeline",
  "shaders",
  "sources",
  "stages",
  "viewer",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "LICENSE",
];

// The command is built three times.
test("a checkout never runs stale code, and builds only when a source has changed", { timeout: 120_000 }, () => {
  const checkout = join(disk.root, "checkout");
  for (const part of PARTS) cpSync(join(root, part), join(checkout, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
  const run = () => {
    const launcher = join(checkout, "viewer/cli/launch.js");
    const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, "--help"], { encoding: "utf8" });
    return { status, stdout, stderr, built: statSync(join(checkout, "dist/cli.js")).mtimeMs };
  };
  const main = join(checkout, "viewer/cli/program.ts");
  const text = readFileSync(main, "utf8");
  const first = run();
  expect([first.status, first.stderr]).toEqual([0, ""]);
  expect(run().built).toBe(first.built);

  writeFileSync(main, text.replace("A real-time pipeline", "A changed pipeline"));
  const changed = run();
  expect(changed.stdout).toContain("A changed pipeline");

  // An older file put back is a change, too, and so is a deleted file.
  writeFileSync(main, text);
  utimesSync(main, 0, 0);
  expect(run().stdout).toContain("A real-time pipeline");

  rmSync(join(checkout, "viewer/report/failure.ts"));
  const broken = run();
  expect(broken.status).toBe(1);
  expect(broken.stderr).toContain(basename("viewer/report/failure.ts"));
});
