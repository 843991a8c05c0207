import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { useFolder } from "../sources/fixtures.ts";
import { root } from "./command.ts";

const disk = useFolder();
const LAUNCHER = "cli/launch.js";
const PARTS = "cli/parts.js";
/** The folders that the launcher watches, of which only cli/ and run/ have anything to build. */
const WATCHED = readFileSync(join(root, PARTS), "utf8").match(/SOURCES = \[([^\]]*)/)?.[1] ?? "";

/** A checkout of few lines: the launcher, a program of two files, and how to build them. */
function checkout(): string {
  const folder = join(disk.root, "checkout");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [, path] of WATCHED.matchAll(/"([^"]+)"/g)) write(`${path}/some.ts`, "");
  for (const path of [LAUNCHER, PARTS, "cli/lock.js"]) {
    write(path, "");
    cpSync(join(root, path), join(folder, path));
  }
  for (const path of ["depthloom.ts", "package.json", "package-lock.json"]) write(path, '{ "type": "module" }');
  write("cli/main.ts", 'import { says } from "../run/report/says.ts";\nconsole.log(says);\n');
  write("run/report/says.ts", 'export const says: string = "as it was";\n');
  write(
    "config/lib.config.ts",
    'export default { build: { ssr: true, outDir: "dist", emptyOutDir: false, rollupOptions: { input: { cli: "cli/main.ts" } } } };\n',
  );
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

test("a checkout never runs stale code, and builds only when a source has changed", () => {
  const folder = checkout();
  const run = () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, LAUNCHER), "--help"], {
      encoding: "utf8",
    });
    return { status, stdout, stderr, built: statSync(join(folder, "dist/cli.js")).mtimeMs };
  };
  const source = join(folder, "run/report/says.ts");
  const text = readFileSync(source, "utf8");
  const first = run();
  expect([first.status, first.stderr, first.stdout]).toEqual([0, "", "as it was\n"]);
  expect(run().built).toBe(first.built);

  writeFileSync(source, text.replace("as it was", "changed"));
  expect(run().stdout).toBe("changed\n");

  // An older file put back is a change, too, and so is a deleted file.
  writeFileSync(source, text);
  utimesSync(source, 0, 0);
  expect(run().stdout).toBe("as it was\n");

  rmSync(source);
  const broken = run();
  expect(broken.status).toBe(1);
  expect(broken.stderr).toContain(basename(source));
});
