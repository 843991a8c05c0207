import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

// Finds the hardware drivers that the Vulkan loader would load on Linux. Dawn and the loader complain on standard error where there is
// none, or only Mesa's software driver, and cannot be silenced; so this module looks before Dawn is loaded.

/** Where to look. Tests use a folder of their own. */
interface VulkanPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** "/" outside tests. */
  readonly root: string;
}

interface Driver {
  readonly manifest: string;
  readonly library: string;
}

/** Paths of the manifests of drivers whose device is present. Unknown drivers count as present. */
export function hardwareDrivers(place: VulkanPlace): string[] {
  const vendors = pciVendors(place.root);
  const devices = listed(join(place.root, "dev"));
  const hasDevice = ({ library }: Driver) => {
    if (SOFTWARE.test(library)) return false;
    const known = KNOWN.find(({ name }) => name.test(library));
    if (!known) return true;
    const { vendor, device } = known;
    return vendor !== undefined ? vendors.has(vendor) : devices.some((name) => device?.test(name));
  };
  return manifests(place)
    .flatMap((manifest) => driverOf(manifest) ?? [])
    .filter(hasDevice)
    .map(({ manifest }) => manifest);
}

const SOFTWARE = /_lvp|lavapipe|llvmpipe|swiftshader|_null|_noop/i;

/** Known drivers, by the name of their library. Distributions install the PC drivers all together, with or without the hardware. */
const KNOWN: readonly { readonly name: RegExp; readonly vendor?: string; readonly device?: RegExp }[] = [
  { name: /vulkan_intel/, vendor: "0x8086" },
  { name: /vulkan_radeon|amdvlk/, vendor: "0x1002" },
  { name: /vulkan_nouveau/, vendor: "0x10de" },
  { name: /vulkan_virtio/, vendor: "0x1af4" },
  { name: /vulkan_dzn/, device: /^dxg$/ },
  { name: /nvidia/, device: /^nv(idia|host|map|gpu)/ },
];

/** The PCI vendor ids of the GPUs with a render node, from sysfs. */
function pciVendors(root: string): Set<string> {
  const drm = join(root, "sys/class/drm");
  const nodes = listed(drm).filter((name) => name.startsWith("renderD"));
  return new Set(nodes.flatMap((node) => readText(join(drm, node, "device/vendor"))?.trim() ?? []));
}

/** All driver manifests, in the order of the Vulkan loader (its LoaderInterfaceArchitecture.md). */
function manifests({ env, root }: VulkanPlace): string[] {
  const paths = (value: string | undefined) => (value ?? "").split(delimiter).filter(Boolean);
  const own = env.VK_DRIVER_FILES || env.VK_ICD_FILENAMES;
  if (own) return paths(own).flatMap(manifestsAt);
  const at = (...parts: string[]) => join(root, ...parts);
  const home = env.HOME ?? homedir();
  const folders = [
    env.XDG_CONFIG_HOME || join(home, ".config"),
    ...paths(env.XDG_CONFIG_DIRS || at("etc/xdg")),
    at("etc"),
    env.XDG_DATA_HOME || join(home, ".local/share"),
    ...paths(env.XDG_DATA_DIRS || `${at("usr/local/share")}${delimiter}${at("usr/share")}`),
    // NixOS builds its loader to look here.
    at("run/opengl-driver/share"),
  ];
  const standard = folders.map((folder) => join(folder, "vulkan/icd.d"));
  const found = [...paths(env.VK_ADD_DRIVER_FILES), ...standard].flatMap(manifestsAt);
  return [...new Set(found)];
}

/** The path itself if it is a manifest, else the manifests in that folder. */
function manifestsAt(path: string): string[] {
  if (path.endsWith(".json")) return [path];
  return listed(path)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => join(path, name));
}

/** Gives `undefined` if the manifest or its library is missing. A library without a folder is left for the linker to find. */
function driverOf(manifest: string): Driver | undefined {
  const library = /"library_path"\s*:\s*"([^"]+)"/.exec(readText(manifest) ?? "")?.[1];
  if (!library) return undefined;
  if (library.includes("/") && !existsSync(resolve(dirname(manifest), library))) return undefined;
  return { manifest, library };
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
