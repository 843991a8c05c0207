import { join } from "node:path";
import { expect, test } from "vitest";
import { registry } from "../../stages/registry.ts";
import { useStages } from "../../viewer/replay/useStages.ts";
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
  ["missing", /^--use missing: no such package in .* or above; install it, or give its path$/],
  ["./nothing.js", /^--use \.\/nothing\.js: there is no such file or folder in .*; check the path$/],
  ["beside", /: no such package in .* or above; install it, or give its path: \.\/beside$/],
  [
    "./beside",
    /^--use \.\/beside: this folder has no index\.js, and no package\.json whose "main" names a file in it;/,
  ],
  ["needy", /^--use needy: Cannot find module 'nothing-of-this-name'/],
  ["empty", "--use empty: it exports no stages: it needs a default export, or one named stages"],
  ["wrong", "--use wrong: its export number 2 was not made by defineStage"],
  ["taken", "--use taken: a stage is called median already: the other one needs another name"],
  ["broken", "--use broken: it has a bad day"],
  ["closed", '--use closed: its package.json needs "exports" with a "default"'],
])("--use refuses the package %s and says why", async (name, message) => {
  const before = [...registry.keys()];
  await expect(useStages([name], folder)).rejects.toThrow(message);
  expect([...registry.keys()]).toEqual(before);
});

test("`stages --use` of a package without stages is wrong usage", async () => {
  const { status, stderr } = await depthloom("stages", "--use", join(folder, "node_modules/empty/index.js"));
  expect(status).toBe(2);
  expect(stderr).toContain("it exports no stages");
});
