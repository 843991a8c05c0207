import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { openGpu } from "../../pipeline/device/open.ts";
import { hardwareDrivers } from "../../pipeline/device/vulkan.ts";
import { built, root } from "../cli/command.ts";
import { type Contents, tumContents, useFolder } from "../sources/fixtures.ts";

// hardwareDrivers finds the Vulkan drivers before Dawn is asked, here in folders that look like a system's; and whatever drivers there
// are, the program is quiet.

const disk = useFolder();
const manifest = (library: string) => JSON.stringify({ file_format_version: "1.0.0", ICD: { library_path: library } });
const icd = (name: string) => `usr/share/vulkan/icd.d/${name}_icd.json`;
/** As Debian's mesa-vulkan-drivers installs them, all together. */
const MESA: Contents = Object.fromEntries(
  ["intel", "intel_hasvk", "lvp", "radeon"].map((name) => [icd(name), manifest(`libvulkan_${name}.so`)]),
);
const NVIDIA: Contents = { "etc/vulkan/icd.d/nvidia_icd.json": manifest("libGLX_nvidia.so.0") };
const gpuOf = (vendor: string): Contents => ({ "sys/class/drm/renderD128/device/vendor": `${vendor}\n` });

/** The drivers found in a system of these files, by their manifests' names. */
function found(files: Contents, env: (at: (path: string) => string) => Record<string, string> = () => ({})): string[] {
  const place = disk.folder(files, "system");
  const own = env((path) => join(place, path));
  const drivers = hardwareDrivers({ env: { HOME: join(place, "home"), ...own }, root: place });
  return drivers.map((path) => basename(path));
}

describe("hardwareDrivers finds the drivers whose hardware is there:", () => {
  test.each<[string, Contents, string[]]>([
    ["none in an empty system", {}, []],
    ["none of Mesa's drivers without a GPU", MESA, []],
    ["Mesa's drivers with an Intel GPU", { ...MESA, ...gpuOf("0x8086") }, ["intel_icd.json", "intel_hasvk_icd.json"]],
    ["Mesa's driver for AMD with an AMD GPU", { ...MESA, ...gpuOf("0x1002") }, ["radeon_icd.json"]],
    ["none of Mesa's drivers with a virtual GPU", { ...MESA, ...gpuOf("0x15ad") }, []],
    ["NVIDIA's driver beside Mesa's", { ...MESA, ...NVIDIA, "dev/nvidiactl": "" }, ["nvidia_icd.json"]],
    ["not NVIDIA's driver without its device", { ...NVIDIA, "dev/nvme0": "" }, []],
    ["an unknown driver", { [icd("new")]: manifest("libvulkan_new.so") }, ["new_icd.json"]],
    ["no driver whose library is gone", { [icd("new")]: manifest("/nowhere/libvulkan_new.so") }, []],
    ["no driver whose library is missing", { [icd("new")]: manifest("./new.so"), [icd("new.so")]: "" }, []],
    ["no driver whose manifest is damaged", { [icd("new")]: "{" }, []],
  ])("%s", (_, files, drivers) => {
    expect(found(files).sort()).toEqual([...drivers].sort());
  });

  test("those that the user names in environment variables", () => {
    const files = { "a/one.json": manifest("one.so"), "b/two.json": manifest("two.so"), [icd("x")]: manifest("x.so") };
    expect(found(files, (at) => ({ VK_ICD_FILENAMES: at("a/one.json") }))).toEqual(["one.json"]);
    const both = (at: (path: string) => string) => ({ VK_ICD_FILENAMES: at("a/one.json"), VK_DRIVER_FILES: at("b") });
    expect(found(files, both)).toEqual(["two.json"]);
    expect(found(files, (at) => ({ VK_ADD_DRIVER_FILES: at("a/one.json") }))).toEqual(["one.json", "x_icd.json"]);
    expect(found(files, (at) => ({ XDG_DATA_DIRS: at("elsewhere") }))).toEqual([]);
  });
});

describe.runIf(process.platform === "linux")("no message of Dawn reaches standard error", () => {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "depthloom");
  const NATIVE = /dawn|vulkan|vkCreate|loader/i;
  let recording = "";
  let loader = "";

  beforeAll(async () => {
    // SwiftShader's package brings a Vulkan loader; opening the GPU has unpacked both.
    (await openGpu("software"))?.destroy();
    loader = join(cache, readdirSync(cache).find((name) => /^swiftshader-[\d.]+$/.test(name)) ?? "");
    recording = disk.folder(tumContents(1));
    await built();
  });

  const run = (env: NodeJS.ProcessEnv, ...args: string[]) =>
    spawnSync(process.execPath, [join(root, "cli/launch.js"), ...args], { env, encoding: "utf8" });

  test.each<[string, Contents, boolean]>([
    ["without a loader", {}, false],
    ["with a loader without a driver", {}, true],
    ["with a loader and Mesa's software driver", { "lvp_icd.json": manifest("libvulkan_lvp.so") }, true],
  ])("%s", (_, drivers, withLoader) => {
    const folder = disk.folder(drivers, "icd.d");
    const only = { VK_ICD_FILENAMES: folder, VK_DRIVER_FILES: folder };
    const env = { ...process.env, ...only, ...(withLoader && { LD_LIBRARY_PATH: loader }) };
    const replay = run(env, "replay", recording, "--backend", "auto", "--json");
    expect([replay.status, replay.stderr]).toEqual([0, expect.not.stringMatching(NATIVE)]);
    expect(JSON.parse(replay.stdout)).toMatchObject({ frames: 1, backend: "cpu" });
    const info = run(env, "info", "--json");
    expect([info.status, info.stderr]).toEqual([0, expect.not.stringMatching(NATIVE)]);
    const hardware = run(env, "info", "--adapter", "hardware");
    expect(hardware.stderr).toMatch(/^depthloom: no hardware WebGPU adapter here: .*\n$/);
  });
});
