import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { linkedFiles } from "../config/wgsl.ts";
import { GpuMesh } from "../scan/mesh/gpuMesh.ts";
import { GpuVolume } from "../scan/volume/gpuVolume.ts";
import type { ParameterValues } from "../stages/core/parameters.ts";
import { registry, stageNamed } from "../stages/registry.ts";
import { frames, givenTo, inputOn, shapeFor, usePlainStages, valuesOf } from "./formFrames.ts";
import { useGpu } from "./gpu.ts";
import { read, root, walk } from "./house.ts";
import { newVolume } from "./scan/world.ts";

// Firefox compiles WGSL with naga, which refuses some things that Dawn takes: Chrome has Dawn, and so have all other tests. The package
// naga-wasm reads the kernels as they are written; Deno, which has naga too, makes their pipelines. (naga-wasm asks for a newer Node than
// Depthloom, but runs in 20.19; package-lock.json leaves out what it asks for, or npm would warn of it.)

const gpu = useGpu();
usePlainStages();

/** Without the drivers that were chosen for Dawn. */
const { VK_DRIVER_FILES: _, VK_ICD_FILENAMES: __, ...env } = process.env;
/** Runs a script in Deno. The exit status is not 0 where Deno is missing, or an adapter for its WebGPU. */
const deno = (script: string) => {
  const input = `const adapter = await navigator.gpu.requestAdapter(); if (!adapter) Deno.exit(1); ${script}`;
  return spawnSync("deno", ["run", "--unstable-webgpu", "--quiet", "-"], { input, encoding: "utf8", env });
};
const hasNaga = deno("").status === 0;

/** A kernel as a stage has it compiled. */
interface Heard {
  readonly label: string;
  readonly code: string;
  readonly constants: Readonly<Record<string, number>>;
}

/** A device that makes nothing, and adds the kernels that it is asked for to `heard`. */
function listening(vendor: string, heard: Map<string, Heard>): GPUDevice {
  const made = (descriptor: object) => ({ ...descriptor, destroy() {}, createView: () => ({}) });
  const device = {
    limits: gpu.device.limits,
    adapterInfo: { vendor },
    features: new Set(),
    queue: { writeBuffer() {} },
    pushErrorScope() {},
    popErrorScope: async () => null,
    createBuffer: made,
    createTexture: made,
    createBindGroup: made,
    createBindGroupLayout: made,
    createPipelineLayout: made,
    createShaderModule: ({ code }: Heard) => ({ code, getCompilationInfo: async () => ({ messages: [] }) }),
    async createComputePipelineAsync({ label = "", compute }: GPUComputePipelineDescriptor) {
      const { module, constants = {} } = compute as { module: unknown; constants?: Record<string, number> };
      const kernel = { label, code: (module as Heard).code, constants };
      heard.set(JSON.stringify(kernel), kernel);
      return made({});
    },
  };
  return device as unknown as GPUDevice;
}

/** The kernels of all stages and of a scan, with the constants of each stage's defaults and of each choice of its parameters. */
async function allKernels(): Promise<Heard[]> {
  const heard = new Map<string, Heard>();
  const [depth] = frames(33, 17);
  // On NVIDIA's GPUs `compact` takes another kernel than on the others.
  for (const device of ["nvidia", "amd"].map((vendor) => listening(vendor, heard))) {
    for (const name of registry.keys()) {
      const { schema } = stageNamed(name);
      const chosen = Object.keys(schema).filter((key) => schema[key].choices || schema[key].initial === true);
      const ways = chosen.flatMap((key) => valuesOf(schema[key]).map((value): ParameterValues => ({ [key]: value })));
      for (const way of [{}, ...ways]) {
        const stage = stageNamed(name);
        stage.set(way);
        const shape = shapeFor(stage, depth);
        const { input } = inputOn(device, givenTo(stage, depth, shape, 0));
        await stage.build({ device, shape, input });
      }
    }
    await GpuMesh.create(await GpuVolume.open(device, newVolume({}, true).options), 2 ** 20);
  }
  return [...heard.values()];
}

/** Runs `npm run wgsl` in the folder `cwd`: each kernel below its shaders/ is written with its imports to `into`, and compiled by naga. */
const written = (cwd: string, into: string) =>
  spawnSync(process.execPath, [join(root, "config/printWgsl.js"), "--into", into], { cwd, encoding: "utf8" });

test("each kernel is legal WGSL to naga where it lies with its imports in one file, and a broken one is named", () => {
  const folder = mkdtempSync(join(tmpdir(), "depthloom-wgsl-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { stderr, status } = written(root, folder);
  expect([stderr, status]).toEqual(["", 0]);
  const kernels = walk("shaders").filter((path) => path.endsWith(".wgsl") && /\bfn main\(/.test(read(path)));
  const lying = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".wgsl"));
  expect(lying.map((name) => join("shaders", name)).sort()).toEqual(kernels.sort());
  mkdirSync(join(folder, "shaders"));
  writeFileSync(join(folder, "shaders/broken.wgsl"), "@compute @workgroup_size(1) fn main() { let x: u32 = 1.5; }\n");
  const broken = written(folder, "out");
  expect([broken.stderr, broken.status]).toEqual([expect.stringMatching(/^out\/broken\.wgsl: error: .*u32/), 1]);
});

test.skipIf(!hasNaga)(
  "naga compiles the kernels of all stages, but for one of subgroups, which it does not know",
  async () => {
    const kernels = await allKernels();
    const codes = new Set(kernels.map(({ code }) => code));
    const files = walk("shaders").filter((path) => path.endsWith(".wgsl") && /\bfn main\(/.test(read(path)));
    const unheard = files.filter((path) => !codes.has([...linkedFiles(join(root, path)).values()].join("\n")));
    expect(unheard).toEqual(["shaders/stereo/pathsOfSubgroups.wgsl"]);
    const { stdout, status } = deno(`
    const { maxStorageBuffersPerShaderStage } = adapter.limits;
    const device = await adapter.requestDevice({ requiredLimits: { maxStorageBuffersPerShaderStage } });
    for (const { label, code, constants } of ${JSON.stringify(kernels)}) {
      console.log(label);
      device.pushErrorScope("validation");
      const module = device.createShaderModule({ label, code });
      device.createComputePipeline({ label, layout: "auto", compute: { module, entryPoint: "main", constants } });
      const error = await device.popErrorScope();
      if (error) console.log(error.message);
    }
  `);
    expect(stdout.trim().split("\n")).toEqual(kernels.map(({ label }) => label));
    expect(status).toBe(0);
  },
);
