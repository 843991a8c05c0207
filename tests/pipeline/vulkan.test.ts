import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { openGpu } from "../../pipeline/device/open.ts";
import { hardwareDrivers } from "../../pipeline/device/vulkan.ts";
import { depthloom, root } from "../cli/command.ts";
import { type Contents, tumContents, useFolder } from "../sources/fixtures.ts";

// Which Vulkan drivers there are is found out before Dawn is asked, in folders that look like a system's; and whatever there
// is, the program is quiet.

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

describe("a driver counts where its hardware is", () => {
  test.each<[string, Contents, string[]]>([
    ["nothing at all", {}, []],
    ["Mesa's drivers without a GPU", MESA, []],
    ["and with an Intel GPU", { ...MESA, ...gpuOf("0x8086") }, ["intel_icd.json", "intel_hasvk_icd.json"]],
    ["and with an AMD GPU", { ...MESA, ...gpuOf("0x1002") }, ["radeon_icd.json"]],
    ["and with a virtual GPU that none of them drives", { ...MESA, ...gpuOf("0x15ad") }, []],
    ["NVIDIA's driver beside Mesa's", { ...MESA, ...NVIDIA, "dev/nvidiactl": "" }, ["nvidia_icd.json"]],
    ["NVIDIA's driver without its device", { ...NVIDIA, "dev/nvme0": "" }, []],
    ["a driver that nobody has heard of", { [icd("new")]: manifest("libvulkan_new.so") }, ["new_icd.json"]],
    ["a driver whose library is gone", { [icd("new")]: manifest("/nowhere/libvulkan_new.so") }, []],
    ["a library beside its manifest", { [icd("new")]: manifest("./new.so"), [icd("new.so")]: "" }, []],
    ["a manifest that is none", { [icd("new")]: "{" }, []],
  ])("%s", (_, files, drivers) => {
    expect(found(files).sort()).toEqual([...drivers].sort());
  });

  test("and where the user states that it is", () => {
    const files = { "a/one.json": manifest("one.so"), "b/two.json": manifest("two.so"), [icd("x")]: manifest("x.so") };
    expect(found(files, (at) => ({ VK_ICD_FILENAMES: at("a/one.json") }))).toEqual(["one.json"]);
    const both = (at: (path: string) => string) => ({ VK_ICD_FILENAMES: at("a/one.json"), VK_DRIVER_FILES: at("b") });
    expect(found(files, both)).toEqual(["two.json"]);
    expect(found(files, (at) => ({ VK_ADD_DRIVER_FILES: at("a/one.json") }))).toEqual(["one.json", "x_icd.json"]);
    expect(found(files, (at) => ({ XDG_DATA_DIRS: at("elsewhere") }))).toEqual([]);
  });
});

describe.runIf(process.platform === "linux")("nothing of Dawn's reaches standard error", () => {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "depthloom");
  const NATIVE = /dawn|vulkan|vkCreate|loader/i;
  let recording = "";
  let loader = "";

  beforeAll(async () => {
    // SwiftShader's package brings a Vulkan loader, too: opening it has unpacked both.
    (await openGpu("software"))?.destroy();
    loader = join(cache, readdirSync(cache).find((name) => /^swiftshader-[\d.]+$/.test(name)) ?? "");
    recording = disk.folder(tumContents(1));
    await depthloom("--version");
  });

  const run = (env: NodeJS.ProcessEnv, ...args: string[]) =>
    spawnSync(process.execPath, [join(root, "viewer/cli/launch.js"), ...args], { env, encoding: "utf8" });

  test.each<[string, Contents, boolean]>([
    ["without a loader", {}, false],
    ["of a loader without a driver", {}, true],
    ["of a loader with Mesa's software driver", { "lvp_icd.json": manifest("libvulkan_lvp.so") }, true],
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
