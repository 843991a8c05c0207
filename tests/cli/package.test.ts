import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { tumContents, useFolder } from "../sources/fixtures.ts";
import { root } from "./command.ts";

const disk = useFolder();
const app = join(disk.root, "app");
const installed = join(app, "node_modules", "depthloom");

const EXAMPLE = `
import { openRecording } from "depthloom/sources";
import { createPipeline } from "depthloom/pipeline";
import { bilateralGrid, compact, dofSplat, median } from "depthloom/stages";

const recording = await openRecording(process.argv[2] ?? "");
const pipeline = await createPipeline({
  stages: [median({ size: 3 }), bilateralGrid({ sigmaSpacePx: 16, sigmaDepthMm: 50 }), compact(), dofSplat({ focusM: 1.2, fNumber: 2 })],
});
recording.frames$.pipe(pipeline.process("lossless")).subscribe((frame) => {
  frame.waitUntil(frame.readDepth().then((depth) => console.log(frame.index, depth.shape.join("x"), depth.get(0, 0))));
});
`;

/** Packs the package and unpacks it into another folder's node_modules, as `npm install` does, without the network. */
beforeAll(() => {
  const npm = (...args: string[]) =>
    execFileSync("npm", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  npm("run", "-s", "build");
  const [packed] = JSON.parse(npm("pack", "--json", "--ignore-scripts", "--pack-destination", disk.root)) as {
    filename: string;
  }[];
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["xzf", join(disk.root, packed?.filename ?? ""), "-C", installed, "--strip-components", "1"]);
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: object };
  for (const name of ["typescript", "@types/node", "@webgpu/types", ...Object.keys(dependencies)]) {
    mkdirSync(join(app, "node_modules", name, ".."), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(app, "node_modules", name));
  }
  writeFileSync(join(app, "package.json"), '{ "type": "module" }');
}, 180_000);

describe("the package, installed in another folder", () => {
  test("runs the example of its README", () => {
    writeFileSync(join(app, "example.js"), EXAMPLE);
    const args = ["example.js", disk.folder(tumContents(3))];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: app, encoding: "utf8" });
    expect([stderr, status]).toEqual(["", 0]);
    expect(stdout).toBe("0 5x7 0\n1 5x7 0\n2 5x7 0\n");
  });

  test.each([
    ["bundlers", ["--module", "esnext", "--moduleResolution", "bundler"]],
    ["Node", ["--module", "nodenext"]],
  ])("has types, as %s find them", (_, options) => {
    writeFileSync(join(app, "right.ts"), EXAMPLE);
    writeFileSync(
      join(app, "wrong.ts"),
      EXAMPLE.replace("size: 3", 'size: "three"').replace("frame.index", "frame.indices"),
    );
    const tsc = (file: string) => {
      const args = ["node_modules/typescript/bin/tsc", "--strict", "--noEmit", "--target", "es2022", "--types", "node"];
      return spawnSync(process.execPath, [...args, ...options, file], { cwd: app, encoding: "utf8" }).stdout;
    };
    expect(tsc("right.ts")).toBe("");
    expect(tsc("wrong.ts").match(/error TS\d+/g)).toHaveLength(2);
  });

  test("has the command", () => {
    const { bin } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { bin: { depthloom: string } };
    const path = join(installed, bin.depthloom);
    expect(readFileSync(path, "utf8").startsWith("#!/usr/bin/env node\n")).toBe(true);
    expect(spawnSync(process.execPath, [path, "--help"], { cwd: app, encoding: "utf8" }).stdout).toContain("replay");
  });

  test("brings its own files and no others", () => {
    const listed = execFileSync("find", [installed, "-type", "f"], { encoding: "utf8" }).trim().split("\n");
    const names = listed.map((path) => path.slice(installed.length + 1));
    const strange = names.filter(
      (name) => !/^(dist\/(chunks\/)?[\w-]+\.js|dist\/types\/.*\.d\.ts|package\.json|[A-Z]+(\.md)?)$/.test(name),
    );
    expect(strange).toEqual([]);
    expect(names.filter((name) => name.startsWith("dist/types/tests"))).toEqual([]);
  });
});
