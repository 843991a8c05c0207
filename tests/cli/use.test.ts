import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { usePackages } from "../../run/replay/usePackages.ts";
import { registry } from "../../stages/registry.ts";
import { useFolder } from "../sources/fixtures.ts";
import { depthloom } from "./command.ts";

// --use with packages that offer no stages. tests/package has one that does.

const disk = useFolder();
const manifest = (exported: object | string) => JSON.stringify({ type: "module", exports: exported });
const named = (name: string) =>
  `Object.assign(() => {}, { stageName: "${name}", role: "filter", place: 0, schema: {}, presets: {} })`;

const folder = disk.folder({
  "node_modules/empty/package.json": manifest("./index.js"),
  "node_modules/empty/index.js": "export const others = [];",
  "node_modules/wrong/package.json": manifest("./index.js"),
  "node_modules/wrong/index.js": `export const stages = [${named("fine")}, 5];`,
  "node_modules/taken/package.json": manifest("./index.js"),
  "node_modules/taken/index.js": `export default ${named("median")};`,
  "node_modules/broken/package.json": manifest("./index.js"),
  "node_modules/broken/index.js": "throw new Error('it has a bad day');",
  "beside/package.json": manifest("./stages.js"),
  "beside/stages.js": "export default [];",
  "node_modules/needy/index.js": "require('nothing-of-this-name');",
  "node_modules/closed/package.json": manifest({ import: "./index.js" }),
  "node_modules/closed/index.js": "export default [];",
});

test.each([
  ["missing", /^use missing: no such package in .* or above; install it, or give its path$/],
  ["./nothing.js", /^use \.\/nothing\.js: there is no such file or folder in .*; check the path$/],
  ["beside", /: no such package in .* or above; install it, or give its path: \.\/beside$/],
  ["./beside", /^use \.\/beside: this folder has no index\.js, and no package\.json whose "main" names a file in it/],
  ["needy", /^use needy: Cannot find module 'nothing-of-this-name'/],
  ["empty", "use empty: it exports no stages, formats or cameras"],
  ["wrong", "use wrong: its export number 2 was not made by defineStage"],
  ["taken", "use taken: a stage is called median already: the other one needs another name"],
  ["broken", "use broken: it has a bad day"],
  ["closed", 'use closed: its package.json needs "exports" with a "default"'],
])("use refuses the package %s and says why", async (name, message) => {
  const before = [...registry.keys()];
  await expect(usePackages([name], folder)).rejects.toThrow(message);
  expect([...registry.keys()]).toEqual(before);
});

describe("a package with a format and a camera", () => {
  const url = (path: string) => JSON.stringify(new URL(`../../node_modules/${path}`, import.meta.url).href);
  const own = disk.folder({
    "index.js": `
import ndarray from ${url("ndarray/ndarray.js")};
import { interval, map } from ${url("rxjs/dist/esm/index.js")};
const intrinsics = { fx: 4, fy: 4, cx: 1.5, cy: 0.5, width: 4, height: 2 };
const frame = (index, value) => ({
  ...{ index, timestamp: 10 * index, metresPerUnit: 0.001, intrinsics },
  depth: ndarray(new Uint16Array(8).fill(value), [2, 4]),
});
export const formats = [{
  name: "dots",
  sign: "files that begin with DOTS",
  async open(input) {
    if (input.kind !== "file" || String.fromCharCode(...input.head.subarray(0, 4)) !== "DOTS") return undefined;
    const timestampOf = (index) => 10 * index;
    const pose = async () => undefined;
    return { length: 3, fps: 100, warnings: [], facts: [], read: async (index) => frame(index, 1000), timestampOf, pose };
  },
}];
export const cameras = [{
  name: "dots",
  open: async (which) => ({
    ...{ name: "dots " + which, format: "dots", fps: 100, facts: [], warnings: [], close: async () => {} },
    frames$: interval(10).pipe(map((index) => frame(index, 2000))),
  }),
}];
`,
    "package.json": manifest("./index.js"),
    "data/a.dots": "DOTS and more",
  });
  const use = ["--use", join(own, "index.js")];

  test.each([
    [["info", join(own, "data/a.dots"), ...use], /format +dots/],
    [["convert", join(own, "data/a.dots"), join(own, "a.mcap"), "--to", "mcap", ...use], /3 of 3 frames/],
    [["batch", join(own, "data"), "--out", join(own, "out"), "--dry-run", ...use], /a\.dots/],
    [["replay", "camera:dots:7", "--frames", "2", "--stages", "median", "--backend", "cpu", ...use], /2 frames/],
  ])("is used by %j", async (args, says) => {
    const { status, stdout, stderr } = await depthloom(...args);
    expect(stdout + stderr).toMatch(says);
    expect(status).toBe(0);
  });
});
