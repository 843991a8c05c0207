import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedBrowser } from "../browser/chromium.ts";
import { tumZip } from "../browser/recordings.ts";
import { useFolder } from "../sources/fixtures.ts";
import { install, packed } from "./install.ts";
import { serveStrictly } from "./strictServer.ts";

// The installed package in a page that other bundlers than Vite have built, as docs/bundlers.md says. They come from the registry, into a
// folder above the app's, since `npm ci` should not bring them to everybody.

const root = fileURLToPath(new URL("../..", import.meta.url));
const disk = useFolder();
const app = join(disk.root, "app");
const servers: Server[] = [];
let zip = "";
let inNode: unknown;

const run = (cwd: string, command: string, ...args: string[]) => spawnSync(command, args, { cwd, encoding: "utf8" });
const BUNDLERS = ["esbuild@0.28.2", "webpack@5.113.0"];
const got = run(disk.root, "npm", "install", "--no-audit", "--no-fund", "--prefix", disk.root, ...BUNDLERS);

const WEBPACK = `
import webpack from "webpack";
const output = { path: process.cwd() + "/webpack", filename: "page.js" };
const options = { mode: "production", performance: false, optimization: { minimize: false } };
webpack({ ...options, entry: "./page.js", output }, (error, stats) => {
  if (error || stats.hasErrors() || stats.hasWarnings()) console.log(error ?? stats.toString("errors-warnings"));
  process.exit(error || stats.hasErrors() ? 1 : 0);
});`;

const BUILDS = {
  esbuild: () => {
    const options = ["--bundle", "--format=esm", "--splitting", "--outdir=esbuild", "--log-level=warning"];
    const built = run(app, "../node_modules/.bin/esbuild", "page.js", ...options);
    cpSync(join(app, "node_modules/depthloom/dist/browser/chunks"), join(app, "esbuild"), { recursive: true });
    return built;
  },
  webpack: () => run(app, process.execPath, "--input-type=module", "--eval", WEBPACK),
};

/** The functions that page/page.js gives the tests. */
declare const page: { run(options: object, inWorker: boolean): Promise<unknown> };

describe.skipIf(got.status !== 0)("a page with the package, built by", () => {
  beforeAll(async () => {
    mkdirSync(app);
    install(await packed(), app);
    cpSync(join(root, "tests/package/page"), app, { recursive: true });
    cpSync(join(root, "docs/examples/own-stage"), join(app, "node_modules/depthloom-crop"), { recursive: true });
    zip = disk.file("tiny.zip", tumZip(3));
    inNode = JSON.parse(run(app, process.execPath, "node.js", zip, '{ "backend": "cpu" }').stdout);
  }, 600_000);
  afterAll(() => {
    for (const server of servers) server.close();
  });

  test("esbuild, has of the whole library the one stage that it imports", () => {
    writeFileSync(join(app, "one.js"), 'import { median } from "depthloom"; console.log(median);');
    const options = ["--bundle", "--minify", "--format=esm", "--splitting", "--external:rxjs", "--outdir=one"];
    run(app, "../node_modules/.bin/esbuild", "one.js", ...options);
    const loaded = new Set(["one.js"]);
    for (const name of loaded)
      for (const [, other = ""] of readFileSync(join(app, "one", name), "utf8").matchAll(
        /\b(?:from|import)"\.\/([^"]+)"/g,
      ))
        loaded.add(other);
    const bytes = [...loaded].map((name) => statSync(join(app, "one", name)).size);
    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(41_000);
  });

  test.each(Object.entries(BUILDS))("%s, reads and filters with Node's result, in workers", async (name, build) => {
    const { status, stdout, stderr } = build();
    expect({ status, said: stdout.trim() + stderr }).toEqual({ status: 0, said: "" });
    cpSync(join(app, "index.html"), join(app, name, "index.html"));
    const { url, server } = await serveStrictly(join(app, name));
    servers.push(server);
    const complaints: string[] = [];
    const tab = await (await sharedBrowser()).newPage();
    tab.on("pageerror", (error) => complaints.push(error.message));
    tab.on("console", (message) => complaints.push(message.text()));
    await tab.goto(`${url}/index.html`);
    await tab.setInputFiles("#recording", zip);
    await tab.waitForFunction(() => "page" in window);
    expect(await tab.evaluate(() => page.run({ backend: "cpu" }, true))).toEqual(inNode);
    await tab.close();
    expect(complaints).toEqual([]);
  });
});
