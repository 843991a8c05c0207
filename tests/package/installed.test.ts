import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page as Tab } from "playwright-core";
import { build, type PreviewServer, preview } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedBrowser } from "../browser/chromium.ts";
import { tumZip } from "../browser/recordings.ts";
import { colorPng, depthPng, tgzOf, useFolder } from "../sources/fixtures.ts";
import { install, manifestOf, packed } from "./install.ts";

// The package as its users have it: packed, and installed in an empty folder with its dependencies and nothing else.

const disk = useFolder();
const root = fileURLToPath(new URL("../..", import.meta.url));
const plain = join(disk.root, "plain");
const withGpu = join(disk.root, "gpu");
let installed = "";
let zip = "";

beforeAll(async () => {
  const tarball = await packed();
  installed = install(tarball, plain);
  // The packages with Node's WebGPU and with a software GPU.
  install(tarball, withGpu, ["webgpu", "@sparticuz/chromium"]);
  for (const folder of [plain, withGpu]) {
    cpSync(join(root, "tests/package/page"), folder, { recursive: true });
    cpSync(join(root, "docs/examples/own-stage"), join(folder, "node_modules", "depthloom-crop"), { recursive: true });
  }
  zip = disk.file("tiny.zip", tumZip(3));
});

function node(folder: string, ...args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  return { stdout, stderr, status };
}

describe("the installed package", () => {
  test("depends on few packages, and installs neither those for a GPU nor those for the viewer", () => {
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(installed);
    expect(Object.keys(dependencies).sort().join(" ")).toBe("@types/ndarray commander meshoptimizer ndarray rxjs");
    const optional = Object.keys(peerDependencies).sort().join(" ");
    expect(optional).toBe("@aws-sdk/client-s3 bullmq ioredis koffi three webgpu");
    for (const name of Object.keys(peerDependencies)) expect(peerDependenciesMeta[name]).toEqual({ optional: true });
    for (const name of ["koffi", "three", "webgpu"]) expect(existsSync(join(plain, "node_modules", name))).toBe(false);
  });

  test("holds only the files that it should", () => {
    const listed = execFileSync("find", [installed, "-type", "f"], { encoding: "utf8" }).trim().split("\n");
    const names = listed.map((path) => path.slice(installed.length + 1));
    const own =
      /^(dist\/app\/(index\.html|(assets\/)?[\w.-]+\.(js|css))|dist\/(app\/|browser\/)?THIRD-PARTY-NOTICES\.md|dist\/(browser\/)?((chunks|vendor)\/)?[\w-]+\.js|dist\/(browser\/)?chunks\/[\w-]+\.wasm|docs\/(\w+\.md|examples\/.*)|dist\/types\/.*\.d\.ts|package\.json|[A-Z]+(\.md)?)$/;
    expect(names.filter((name) => !own.test(name))).toEqual([]);
    expect(names.filter((name) => name.startsWith("dist/types/tests"))).toEqual([]);
  });

  test("has modules for pages that import nothing of Node's", () => {
    const browser = join(installed, "dist", "browser");
    const files = readdirSync(browser, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
    expect(files).toEqual(
      expect.arrayContaining(["overlay.js", "pipeline.js", "sources.js", "stage.js", "stages.js", "three.js"]),
    );
    const code = files.map((name) => readFileSync(join(browser, name), "utf8"));
    const imports = /(?:^|[;}\n])(?:import|export)\b[^"'`;]*["']([^"']+)["']|\bimport\(\s*["'`]([^"'`]+)/gm;
    const imported = code.flatMap((text) => [...text.matchAll(imports)].map(([, name, dynamic]) => name ?? dynamic));
    const packages = new Set(imported.filter((name) => !name?.startsWith(".")));
    expect([...packages].sort()).toEqual(["rxjs", "three", "three/tsl", "three/webgpu"]);
    for (const text of code)
      expect(text).not.toMatch(/["']node:|\brequire\(|\bprocess\.env|import\.meta\.env|\b__(?:dir|file)name\b/);
  });
});

describe("the package in Node", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const example = /## Use it as a library\n+```ts\n(.*?)```/s.exec(readme)?.[1] ?? "";

  test("runs the README's example", () => {
    const name = /openRecording\("([^"]+)"\)/.exec(example)?.[1] ?? "";
    const depth = (i: number) => depthPng(new Uint16Array(640 * 480).fill(5000 + i), 640, 480);
    writeFileSync(
      join(plain, name),
      tgzOf({
        "depth.txt": "1.0 depth/1.png\n2.0 depth/2.png\n",
        "rgb.txt": "1.0 rgb/1.png\n2.0 rgb/2.png\n",
        "depth/1.png": depth(0),
        "depth/2.png": depth(1),
        "rgb/1.png": colorPng(1, 3, 640, 480),
        "rgb/2.png": colorPng(2, 3, 640, 480),
      }),
    );
    writeFileSync(join(plain, "example.js"), example);
    expect(node(plain, "example.js")).toEqual({ stdout: "0 5000\n1 5001\n", stderr: "", status: 0 });
  });

  test("takes the classes of RxJS from the caller's copy", () => {
    const program = `
import { syntheticRoom } from "depthloom/sources";
import { Observable } from "rxjs";
console.log(syntheticRoom().frames$ instanceof Observable);`;
    expect(node(plain, "--input-type=module", "--eval", program)).toMatchObject({ stdout: "true\n", stderr: "" });
  });

  test("has every export for `require`, too", () => {
    const { exports: all } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { exports: object };
    // Three.js is not installed here.
    const names = Object.keys(all).flatMap((path) => (path === "./three" ? [] : path.replace(".", "depthloom")));
    const program = `console.log(${JSON.stringify(names)}.filter((name) => Object.keys(require(name)).length === 0)); process.exit()`;
    expect(node(plain, "--input-type=commonjs", "--eval", program)).toEqual({ stdout: "[]\n", stderr: "", status: 0 });
  });

  test("names the package to install when a GPU is wanted without `webgpu`", () => {
    const { status, stderr } = node(plain, "node.js", zip, '{ "backend": "webgpu" }');
    expect(status).toBe(1);
    expect(stderr).toMatch(/AdapterError: .*npm install webgpu/);
    const command = node(plain, "node_modules/depthloom/dist/cli.js", "replay", zip, "--backend", "webgpu");
    expect(command.stderr).toMatch(/^depthloom: .*npm install webgpu\n$/);
  });

  test.each([
    ["bundlers", ["--module", "esnext", "--moduleResolution", "bundler"]],
    ["Node", ["--module", "nodenext"]],
  ])("has types in the module resolution of %s", (_, options) => {
    const more = `
import { LatencyOverlay } from "depthloom/overlay";
import type { CpuPicture, FrameResources, Pipeline } from "depthloom/pipeline";
import { choice, createKernel, defineStage, type Twin } from "depthloom/stage";
import { type Parameter, ParameterError, type Stage, type StageFactory } from "depthloom/stages";
new LatencyOverlay(pipeline).watch();
median().set({ size: 5 });
pipeline.run;
export type Named = [CpuPicture, FrameResources, Pipeline, Twin, Parameter, Stage, StageFactory, ParameterError];
export const own = defineStage({
  name: "own",
  summary: "leaves depth as it is",
  schema: { way: choice("near", ["near", "far"], "which") },
  async build({ device, input: { depth } }) {
    await createKernel(device, { label: "own", code: "", resources: { depth: depth.buffer } });
    return { output: { depth }, encode() {} };
  },
  twin: () => ({ run() {} }),
});
own().set({ way: "far" });
`;
    writeFileSync(join(plain, "right.ts"), example + more);
    const mistaken = [
      ["size: 3", 'size: "three"'],
      ["frame.index", "frame.indices"],
      ["(pipeline)", "(recording)"],
      ["set({ size: 5 })", "set({ sizes: 5 })"],
      ["pipeline.run;", "pipeline.begin;"],
      ['way: "far"', 'way: "wide"'],
    ] as const;
    const wrong = mistaken.reduce((text, [right, other]) => text.replace(right, other), example + more);
    writeFileSync(join(plain, "wrong.ts"), wrong);
    const args = [join(root, "node_modules/typescript/bin/tsc"), "--strict", "--noEmit", "--target", "es2022"];
    const { stdout } = node(plain, ...args, "--types", "", ...options, "right.ts", "wrong.ts");
    expect(stdout.match(/^.*error TS\d+/gm)?.map((line) => line.split("(")[0])).toEqual(mistaken.map(() => "wrong.ts"));
  });

  test("takes a stage from another package by `--use`", () => {
    const depthloom = (...args: string[]) => node(plain, join(installed, "dist/cli.js"), ...args);
    expect(depthloom("stages", "--use", "depthloom-crop").stdout).toMatch(
      /^crop \(filter, place \d+\): keeps the middle/m,
    );
    const stages = ["--stages", "crop,median", "--set", "crop.shape=circle", "--set", "crop.marginPx=8"];
    const { stdout, stderr } = depthloom("replay", zip, "--use", "depthloom-crop", ...stages, "--json");
    expect(stderr).not.toMatch(/error/i);
    const told = JSON.parse(stdout) as { stages: { name: string }[]; outputs: { validIn: number; validOut: number }[] };
    expect(told.stages.map(({ name }) => name)).toEqual(["crop", "median"]);
    for (const { validIn, validOut } of told.outputs) {
      expect(validOut).toBeGreaterThan(0);
      expect(validOut).toBeLessThan(validIn / 2);
    }
    expect(depthloom("replay", zip, ...stages).stderr).toContain('there is no stage "crop"');
  });

  test("has the command `depthloom`", () => {
    const { bin } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { bin: { depthloom: string } };
    const path = join(installed, bin.depthloom);
    expect(readFileSync(path, "utf8").startsWith("#!/usr/bin/env node\n")).toBe(true);
    expect(node(plain, path, "--help").stdout).toContain("replay");
  });

  test("has the viewer that `depthloom view` serves", async () => {
    const child = spawn(process.execPath, [join(installed, "dist/cli.js"), "view", "--no-open", "--port", "0"], {
      cwd: plain,
    });
    const address = await new Promise<string>((resolve, reject) => {
      let text = "";
      child.stderr.setEncoding("utf8").on("data", (more: string) => {
        text += more;
        const [found] = text.match(/http:\/\/\S+/) ?? [];
        if (found) resolve(found);
      });
      child.on("close", () => reject(new Error(text)));
    });
    const page = await (await fetch(address)).text();
    const [, script] = page.match(/src="\.\/(assets\/[\w-]+\.js)"/) ?? [];
    expect((await fetch(address + script)).headers.get("content-type")).toContain("javascript");
    child.kill("SIGINT");
  });
});

interface Told {
  readonly backend: string;
  readonly hashes: readonly string[];
}

/** The functions that page/page.js gives the tests. */
declare const page: { run(options: object, inWorker?: boolean): Promise<Told>; gpu(): Promise<string | null> };

describe("the package in a page whose policy forbids eval", () => {
  const complaints: string[] = [];
  let server: PreviewServer | undefined;
  let browser: Browser | undefined;
  let tab: Tab;

  beforeAll(async () => {
    await build({ root: plain, configFile: false, logLevel: "error", build: { target: "es2023" } });
    server = await preview({ root: plain, configFile: false, preview: { host: "127.0.0.1", port: 0 } });
    browser = await sharedBrowser();
    tab = await browser.newPage();
    tab.on("pageerror", (error) => complaints.push(error.message));
    tab.on("console", (message) => complaints.push(message.text()));
    await tab.goto(server.resolvedUrls?.local[0] ?? "");
    await tab.setInputFiles("#recording", zip);
    await tab.waitForFunction(() => "page" in window);
  });
  afterAll(async () => {
    await tab?.close();
    await server?.close();
    expect(complaints).toEqual([]);
  });

  const software = process.env.DEPTHLOOM_TEST_ADAPTER !== "hardware";
  const toldInNode = new Map<string, Told>();
  /** The result of the same run in a Node process, kept for each set of options. */
  const inNode = (options: object): Told => {
    const asked = JSON.stringify(options);
    const known = toldInNode.get(asked);
    if (known) return known;
    const { stdout, stderr } = node(withGpu, "node.js", zip, asked);
    expect(stderr).toBe("");
    const told = JSON.parse(stdout) as Told;
    toldInNode.set(asked, told);
    return told;
  };

  test.each([
    ["on the CPU", { backend: "cpu" }, false],
    ["on the CPU, in a worker", { backend: "cpu" }, true],
    ["on the GPU", { backend: "webgpu", adapter: software ? "software" : "hardware" }, false],
  ])("runs a zip through the four stages %s with Node's result", async (_, options, inWorker) => {
    const workers: string[] = [];
    tab.on("worker", (worker) => workers.push(worker.url()));
    const told = await tab.evaluate(([given, apart]) => page.run(given, apart), [options, inWorker] as const);
    expect(told).toEqual(inNode(options));
    expect(told.backend).toBe(options.backend);
    expect(new Set(told.hashes).size).toBe(3);
    // One worker reads the recording, and with `inWorker` another runs the stages: the page's bundler has found both.
    const found: unknown = expect.stringMatching(/^http:.*\/assets\/worker-.*\.js$/);
    expect(workers).toEqual(inWorker ? [found, found] : [found]);
    tab.removeAllListeners("worker");
  });

  test("shows the latency overlay with its style and its numbers", async () => {
    const overlay = tab.locator(".depthloom-latency").last();
    const names = () => overlay.locator("tbody th").allTextContents();
    await expect.poll(names).toEqual(["Median", "Smooth surfaces", "Make points", "Draw picture"]);
    expect(await overlay.locator(".clock").textContent()).toMatch(software ? /clock/ : /^GPU clock/);
    const box = overlay.locator("details");
    expect(await box.evaluate((details) => getComputedStyle(details).borderRadius)).toBe("12px");
    const bar = overlay.locator("tbody .p50").first();
    expect(await bar.evaluate((i) => getComputedStyle(i).transform)).toMatch(/^matrix\(0\.\d+|^matrix\(1/);
  });

  test.each([
    ["on the CPU", { backend: "cpu", circle: 8 }],
    ["on the GPU", { backend: "webgpu", adapter: software ? "software" : "hardware", circle: 8 }],
  ])("runs a stage from another package %s with Node's result", async (_, options) => {
    const told = await tab.evaluate((given) => page.run(given), options);
    expect(told).toEqual(inNode(options));
    const { circle, ...without } = options;
    expect(told.hashes).not.toEqual(inNode(without).hashes);
  });

  test.runIf(software)("takes a software GPU only when asked for it", async () => {
    expect(await tab.evaluate(() => page.gpu())).toBe(null);
    expect((await tab.evaluate(() => page.run({}))).backend).toBe("cpu");
  });
});
