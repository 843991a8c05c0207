import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, homedir } from "node:os";
import { delimiter, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { type AdapterChoice, AdapterError, type GpuEntry, type GpuOptions } from "./gpu.ts";
import { hardwareDrivers } from "./vulkan.ts";

/**
 * Node's WebGPU: Dawn, from the npm package `webgpu`, which is asked for by name where it is not installed.
 * "software" makes it find SwiftShader and nothing else, the others hardware and nothing else.
 */
export async function openDawn(choice: AdapterChoice, { enabledToggles = [] }: GpuOptions): Promise<GpuEntry | null> {
  // Dawn is large: it is not loaded where it would find nothing.
  if (choice === "auto" && !showHardware()) return null;
  const dawn = await loadDawn();
  if (!dawn) {
    if (choice === "auto") return null;
    throw new AdapterError("a GPU in Node takes the package webgpu, which is not installed: npm install webgpu");
  }
  if (choice === "software" ? !showSwiftShader() : choice === "hardware" && !showHardware()) return null;
  const { create, globals } = dawn;
  Object.assign(globalThis, globals);
  // Unless told not to, Dawn rounds timestamps to 65.536 µs, which is longer than most of our stages.
  const disabled = ["timestamp_quantization"];
  // Where this clears workgroup memory SwiftShader takes three times as long to compile as with the loop that Dawn writes without it.
  if (choice === "software") disabled.push("use_vulkan_zero_initialize_workgroup_memory_extension");
  const flags = [`disable-dawn-features=${disabled.join(",")}`];
  if (enabledToggles.length > 0) flags.push(`enable-dawn-features=${enabledToggles.join(",")}`);
  const entry: { gpu: GPU | undefined } = { gpu: create(flags) };
  const restore = choice === "software" ? askSeldom() : () => {};
  return {
    get gpu() {
      if (!entry.gpu) throw new Error("this GPU was released");
      return entry.gpu;
    },
    clockResolutionUs: 0.001,
    // Node does not exit while the object that create() made is held.
    release() {
      entry.gpu = undefined;
      restore();
    },
  };
}

let softwareUsers = 0;
let immediately: typeof setImmediate;

/**
 * While a promise of Dawn's is pending it asks by setImmediate, over and over, whether it is done: a core spins, which a GPU
 * that is this very processor needs itself (the three filters took 42 ms of a frame instead of 27). Once in a millisecond
 * will do. Dawn's callbacks are native functions: so they are known, and nobody else's wait. Returns what undoes it.
 */
function askSeldom(): () => void {
  if (softwareUsers++ === 0) {
    immediately = globalThis.setImmediate;
    const isNative = (callback: unknown) => Function.prototype.toString.call(callback).includes("[native code]");
    const seldom = (callback: (...args: unknown[]) => void, ...args: unknown[]) =>
      isNative(callback) ? setTimeout(callback, 1, ...args) : immediately(callback, ...args);
    globalThis.setImmediate = Object.assign(seldom, immediately) as unknown as typeof setImmediate;
  }
  return () => {
    if (--softwareUsers === 0) globalThis.setImmediate = immediately;
  };
}

/** `undefined` where the package is not installed. */
async function loadDawn(): Promise<typeof import("webgpu") | undefined> {
  try {
    return await import("webgpu");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** What the user has set, before we set anything. */
const environment = { ...process.env };

/** Makes the Vulkan loader see these drivers and no others. Newer loaders ask the first variable, all know the second. */
function showDrivers(manifests: readonly string[]): void {
  process.env.VK_DRIVER_FILES = manifests.join(delimiter);
  process.env.VK_ICD_FILENAMES = process.env.VK_DRIVER_FILES;
}

/** Makes the Vulkan loader see the hardware's drivers. False on a Linux that has no loader, no driver or no hardware. */
function showHardware(): boolean {
  if (process.platform !== "linux") return true;
  const drivers = hardwareDrivers({ env: environment, root: "/" });
  if (drivers.length === 0 || load("libvulkan.so.1", constants.dlopen.RTLD_LAZY)) return false;
  showDrivers(drivers);
  return true;
}

/**
 * Unpacks SwiftShader out of @sparticuz/chromium (once per version, into the user's cache) and makes the Vulkan loader
 * see it. False if the package is not installed.
 *
 * The loader has to be in the process before Dawn asks for "libvulkan.so.1", and LD_LIBRARY_PATH is only read when a
 * process starts. So it is opened here by path and kept: RTLD_NODELETE holds it although Node, finding no addon in it,
 * throws and closes it; Dawn's own request then finds it by its name.
 */
function showSwiftShader(): boolean {
  const folder = unpackSwiftShader();
  if (!folder) return false;
  showDrivers([join(folder, "vk_swiftshader_icd.json")]);
  const RTLD_NODELETE = 0x1000;
  const failure = load(join(folder, "libvulkan.so.1"), constants.dlopen.RTLD_NOW | RTLD_NODELETE);
  if (failure) throw failure;
  return true;
}

/** Loads a library that is no addon of Node's; gives the error if there is none. */
function load(library: string, flags: number): Error | undefined {
  try {
    process.dlopen({ exports: {} }, library, flags);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error.message.includes("did not self-register") ? undefined : error;
  }
}

function unpackSwiftShader(): string | undefined {
  const packageFolder = findPackage("@sparticuz/chromium");
  if (!packageFolder) return undefined;
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as { version: string };
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const folder = join(cache, "depthloom", `swiftshader-${version}`);
  if (existsSync(folder)) return folder;
  // Unpacked beside and renamed, so that two processes that start together never see half of it.
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  const tar = brotliDecompressSync(readFileSync(join(packageFolder, "bin", "swiftshader.tar.br")));
  for (const { name, data } of tarEntries(tar)) writeFileSync(join(fresh, name), data);
  try {
    renameSync(fresh, folder);
  } catch {
    rmSync(fresh, { recursive: true });
  }
  return folder;
}

/** The folder of an installed npm package. */
export function findPackage(name: string): string | undefined {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.map((folder) => join(folder, name)).find((folder) => existsSync(join(folder, "package.json")));
}

/** The plain files of a ustar archive, without their folders. */
export function* tarEntries(tar: Buffer): Generator<{ name: string; data: Buffer }> {
  const text = (from: number, to: number) => tar.toString("latin1", from, to).replace(/\0.*$/s, "");
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, at + 136), 8) || 0;
    const name = text(at, at + 100)
      .split("/")
      .pop();
    if (name && size > 0) yield { name, data: tar.subarray(at + 512, at + 512 + size) };
    at += 512 + Math.ceil(size / 512) * 512;
  }
}
