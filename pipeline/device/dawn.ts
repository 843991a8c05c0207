import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, homedir } from "node:os";
import { delimiter, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { type AdapterChoice, AdapterError, type GpuEntry, type GpuOptions } from "./gpu.ts";
import { hardwareDrivers } from "./vulkan.ts";

/**
 * Opens Node's WebGPU: Dawn, from the npm package `webgpu`. "software" lets Dawn find SwiftShader only, the other choices hardware only.
 * Gives `null` where there is no such adapter; throws an `AdapterError` if a GPU was asked for and the package is not installed.
 */
export async function openDawn(choice: AdapterChoice, { enabledToggles = [] }: GpuOptions): Promise<GpuEntry | null> {
  // Dawn is large, so it is not loaded where it would find no hardware.
  if (choice === "auto" && !showHardware()) return null;
  const dawn = await loadDawn();
  if (!dawn) {
    if (choice === "auto") return null;
    throw new AdapterError("a GPU in Node needs the package webgpu, which is not installed: npm install webgpu");
  }
  if (choice === "software" ? !showSwiftShader() : choice === "hardware" && !showHardware()) return null;
  const { create, globals } = dawn;
  Object.assign(globalThis, globals);
  // By default Dawn rounds timestamps to 65.536 µs, which is longer than most of our stages take.
  const disabled = ["timestamp_quantization"];
  // With this extension SwiftShader compiles three times as long as with the loop that Dawn otherwise writes to clear workgroup memory.
  if (choice === "software") disabled.push("use_vulkan_zero_initialize_workgroup_memory_extension");
  const flags = [`disable-dawn-features=${disabled.join(",")}`];
  if (enabledToggles.length > 0) flags.push(`enable-dawn-features=${enabledToggles.join(",")}`);
  const entry: { gpu: GPU | undefined } = { gpu: create(flags) };
  const restore = choice === "software" ? askSeldom() : () => {};
  let used: GPUDevice | undefined;
  return {
    get gpu() {
      if (!entry.gpu) throw new Error("this GPU was released");
      return entry.gpu;
    },
    clockResolutionUs: 0.001,
    use(device) {
      used = device;
      if (devices.size === 0) process.on("exit", destroyAll);
      devices.add(device);
    },
    found() {
      const drivers = process.env.VK_DRIVER_FILES ?? "";
      return ` with the driver ${drivers}${drivers.split(delimiter).every((path) => existsSync(path)) ? "" : ", which is gone"}`;
    },
    // Node does not exit while anything holds the object that create() returned.
    release() {
      entry.gpu = undefined;
      if (used && devices.delete(used) && devices.size === 0) process.off("exit", destroyAll);
      restore();
    },
  };
}

/** The devices that are open now. */
const devices = new Set<GPUDevice>();

/**
 * Destroys the devices when the process exits, because Dawn then waits for submitted work. Without this the process crashes: the driver's
 * threads still run while the driver is unloaded.
 */
function destroyAll(): void {
  for (const device of devices) device.destroy();
}

let softwareUsers = 0;
let immediately: typeof setImmediate;

/**
 * Makes Dawn poll less often. While a promise of Dawn's is pending, Dawn asks through setImmediate over and over whether it is settled; a
 * core spins, which a software GPU needs itself (three filters took 42 ms per frame instead of 27). Polling once in a millisecond is
 * enough. Dawn's callbacks are native functions, which tells them from all others. Returns a function that restores setImmediate.
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

/** Loads Dawn. Gives `undefined` where the package is not installed. */
async function loadDawn(): Promise<typeof import("webgpu") | undefined> {
  try {
    return await import("webgpu");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** The environment variables as the user set them, before this module changes any. */
const environment = { ...process.env };

/** Makes the Vulkan loader see these drivers only. Newer loaders read the first variable, all read the second. */
function showDrivers(manifests: readonly string[]): void {
  process.env.VK_DRIVER_FILES = manifests.join(delimiter);
  process.env.VK_ICD_FILENAMES = process.env.VK_DRIVER_FILES;
}

/** Makes the Vulkan loader see the hardware's drivers only. Returns false on Linux if there is no loader, no driver or no hardware. */
function showHardware(): boolean {
  if (process.platform !== "linux") return true;
  const drivers = hardwareDrivers({ env: environment, root: "/" });
  if (drivers.length === 0 || load("libvulkan.so.1", constants.dlopen.RTLD_LAZY)) return false;
  showDrivers(drivers);
  return true;
}

let swiftShader: string | undefined;

/**
 * Unpacks SwiftShader from @sparticuz/chromium (once per version, into the user's cache) and makes the Vulkan loader see SwiftShader only.
 * Returns false if the package is not installed.
 *
 * Dawn loads "libvulkan.so.1" by its name, but the folder is not on the linker's path, and LD_LIBRARY_PATH is read only when a process
 * starts. So this function opens the loader by its path first; Dawn's own request then finds it by its name. Node closes the library again,
 * since it is no addon; RTLD_NODELETE keeps it in the process.
 */
function showSwiftShader(): boolean {
  // One copy for all the process's life, since the Vulkan loader keeps what it has read; another where somebody has emptied the cache.
  if (!swiftShader || !isWhole(swiftShader)) swiftShader = unpackSwiftShader();
  if (!swiftShader) return false;
  const folder = swiftShader;
  showDrivers([join(folder, MANIFEST)]);
  const RTLD_NODELETE = 0x1000;
  const failure = load(join(folder, "libvulkan.so.1"), constants.dlopen.RTLD_NOW | RTLD_NODELETE);
  if (failure) throw failure;
  return true;
}

/** Loads a shared library that is not a Node addon. Returns the error if loading failed. */
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
  if (isWhole(folder)) return folder;
  // Unpack into a folder of another name and rename that: two processes that start together never see half of it.
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  const tar = brotliDecompressSync(readFileSync(join(packageFolder, "bin", "swiftshader.tar.br")));
  for (const { name, data } of tarEntries(tar)) writeFileSync(join(fresh, name), data);
  try {
    // What a cleaner of caches has left of an earlier copy.
    if (!isWhole(folder)) rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } catch {
    rmSync(fresh, { recursive: true });
  }
  return folder;
}

const isWhole = (folder: string) =>
  ["libvulkan.so.1", "libvk_swiftshader.so", MANIFEST].every((name) => existsSync(join(folder, name)));

const MANIFEST = "vk_swiftshader_icd.json";

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
