import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { sharedBrowser } from "../browser/chromium.ts";
import { PYTHON, python, running } from "../python/python.ts";
import { useFolder } from "../sources/fixtures.ts";
import { install, packed } from "./install.ts";

// The wheel as its users have it: built, and installed by pip in an environment of its own, whose other packages are the system's.

const disk = useFolder();
const root = fileURLToPath(new URL("../..", import.meta.url));
const command = join(disk.root, "venv/bin/python");
/** Nothing of this repository's sources. */
const env = { PYTHONPATH: "", DEPTHLOOM: "" };
const hasTools = spawnSync(python ?? "python3", ["-c", "import build, ensurepip"]).status === 0;

describe.skipIf(!python || !hasTools)("the wheel", () => {
  let installed = "";
  beforeAll(async () => {
    installed = install(await packed(), disk.root);
    const wheels = join(disk.root, "wheels");
    mkdirSync(wheels);
    const how = { cwd: disk.root, encoding: "utf8", env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" } } as const;
    execFileSync(python ?? "", ["-m", "build", "--wheel", "--no-isolation", "--outdir", wheels, PYTHON], how);
    execFileSync(python ?? "", ["-m", "venv", "--system-site-packages", "venv"], how);
    const args = ["-m", "pip", "install", "--no-index", "--find-links", wheels, "depthloom"];
    execFileSync(command, args, how);
  });

  test("has its metadata, and is whole", () => {
    const check = ["-m", "pip", "check"];
    const told = execFileSync(command, ["-m", "pip", "show", "-f", "depthloom"], { encoding: "utf8" });
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    expect(told).toContain(`Version: ${version}`);
    expect(told).toContain("Requires: numpy, websockets");
    expect(told).toMatch(/depthloom\/page\/assets\/[\w-]+\.wasm/);
    expect(spawnSync(command, check, { encoding: "utf8" }).stdout).not.toMatch(/^depthloom /m);
  });

  test("shows depth in a browser by the first program of docs/python.md, which has six lines", async () => {
    const [, program = ""] = /```python\n(.*?)```/s.exec(readFileSync(join(root, "docs/python.md"), "utf8")) ?? [];
    expect(program.split("\n").filter(Boolean)).toHaveLength(6);
    const save = "import numpy as np; np.save('depth.npy', np.full((120, 160), 1500, np.uint16))";
    execFileSync(command, ["-c", save], { cwd: disk.root });
    const { line, child, ended } = running(program, { command, env, cwd: disk.root });
    const page = await (await sharedBrowser(["--disable-gpu-compositing"])).newPage();
    onTestFinished(() => page.close());
    await page.goto(`${await line()}&backend=cpu#governor=false&detail=0.25`);
    await expect.poll(() => page.locator("#transport .time").textContent()).toMatch(/^live · /);
    expect(await page.locator("#masthead h1").textContent()).toBe("Python");
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ status: 0 });
  });

  test("filters by the packed command: noise goes, holes stay, each frame comes out", async () => {
    writeFileSync(
      join(disk.root, "filtered.py"),
      `
import warnings, numpy as np, depthloom
made = np.random.default_rng(1)
frames = [1.2 + made.normal(0, 0.004, (120, 160)) for _ in range(8)]
for frame in frames:
    frame[40:60, 40:60] = np.nan
out = list(depthloom.filtered(frames, K=[150, 150, 79.5, 59.5], options=["--backend", "cpu"]))
print(len(out), out[0].dtype, out[0].shape, np.nanstd(out[-1]) < 0.001, bool(np.isnan(out[-1][45:55, 45:55]).all()))
# A wall that leans by a millimetre a pixel: where the lens bends by k1, pixel 159 ought to see what pixel 152.3 saw.
wall = np.tile(np.arange(1000, 1160, dtype=np.uint16), (120, 1))
[bent] = depthloom.filtered([wall], K=[150, 150, 79.5, 59.5], distortion=[-0.3, 0, 0, 0], options=["--stages", "undistort"])
print(abs(float(bent[60, 159]) - 1.1523) < 0.001, round(float(bent[60, 80]), 3))
# Where no stage takes the bend out, the command's warning is a warning here, in the program's own thread, where it may be an error.
try:
    warnings.simplefilter("error")
    list(depthloom.filtered([wall], K=[150, 150, 79.5, 59.5], distortion=[-0.3, 0, 0, 0], options=["--stages", "median,track", "--backend", "cpu"]))
except UserWarning as warning:
    print("add the stage undistort" in str(warning))
finally:
    warnings.simplefilter("default")
print([half.shape for half in depthloom.filtered([wall] * 3, options=["--stages", "decimate"])])
try:
    list(depthloom.filtered(frames, preset="none"))
except RuntimeError as error:
    print("Allowed choices" in str(error))
`,
    );
    const all = { ...process.env, ...env, DEPTHLOOM: join(installed, "dist/cli.js") };
    const told = spawnSync(command, ["filtered.py"], { cwd: disk.root, encoding: "utf8", env: all });
    expect([told.stdout, told.stderr]).toEqual([
      "8 float32 (120, 160) True True\nTrue 1.08\nTrue\n[(60, 80), (60, 80), (60, 80)]\nTrue\n",
      "",
    ]);
  });
});
