import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { findPackage, tarEntries } from "../../pipeline/device/dawn.ts";

/**
 * The flags under which a headless Chromium draws WebGPU on SwiftShader and its screenshots show the canvas;
 * with other flags the canvas stays blank or the device is lost.
 */
const SOFTWARE = [
  "--use-webgpu-adapter=swiftshader",
  "--enable-features=Vulkan",
  "--use-vulkan=swiftshader",
  "--use-angle=swiftshader",
  // On a busy machine software drawing takes longer than Chromium's watchdog waits before it ends the GPU process.
  "--disable-gpu-watchdog",
  // As in Node (pipeline/device/dawn.ts): with this feature SwiftShader takes three times as long to compile.
  "--disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension",
];

/** Flags with which Chromium draws on a real GPU, tried with an NVIDIA one under Linux. Elsewhere Chromium finds the GPU by itself. */
const HARDWARE =
  process.platform === "linux" ? ["--enable-features=Vulkan", "--use-angle=vulkan", "--disable-vulkan-surface"] : [];

/**
 * A headless browser with WebGPU: by default the one in @sparticuz/chromium, so that `npm ci` suffices.
 * DEPTHLOOM_TEST_BROWSER: "installed" for the machine's own Chrome or Chromium, or the path of one.
 * DEPTHLOOM_TEST_ADAPTER=hardware: its hardware adapter in place of SwiftShader. `more` are flags that one test needs.
 */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  const wanted = process.env.DEPTHLOOM_TEST_BROWSER;
  const hardware = process.env.DEPTHLOOM_TEST_ADAPTER === "hardware";
  const backend = hardware ? HARDWARE : SOFTWARE;
  const args = ["--no-sandbox", "--enable-unsafe-webgpu", ...backend, ...more];
  if (wanted) return chromium.launch({ args, executablePath: wanted === "installed" ? findInstalled() : wanted });
  const { executablePath, env } = unpackBrowser();
  return chromium.launch({ args, executablePath, env });
}

const shared = new Map<string, Promise<Browser>>();

/**
 * The browser with these flags that all test files of this process share; it ends with the process. A test that crashes its browser takes
 * one of its own from `launchBrowser`.
 */
export function sharedBrowser(more: readonly string[] = []): Promise<Browser> {
  const key = more.join();
  const known = shared.get(key) ?? launchBrowser(more);
  shared.set(key, known);
  return known;
}

/** Ends all shared browsers, since one may hang after a test that failed: the next test gets a new one. */
export async function endSharedBrowsers(): Promise<void> {
  const all = [...shared.values()];
  shared.clear();
  // A browser that hangs does not answer either.
  const patience = new Promise((resolve) => setTimeout(resolve, 5000).unref());
  for (const browser of all) await Promise.race([browser.then((it) => it.close()).catch(() => {}), patience]);
}

function findInstalled(): string {
  const names = ["google-chrome-stable", "google-chrome", "chrome", "chromium", "chromium-browser"];
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/Applications/Google Chrome.app/Contents/MacOS"];
  const candidates = folders.flatMap((folder) => [...names, "Google Chrome"].map((name) => join(folder, name)));
  const found = candidates.find((path) => existsSync(path));
  if (!found) throw new Error("no Chrome or Chromium in PATH: give its path in DEPTHLOOM_TEST_BROWSER, or unset it");
  return found;
}

/** Unpacks the package's browser, its fonts and the libraries it may lack, once per version, into the user's cache. */
function unpackBrowser(): { executablePath: string; env: Record<string, string> } {
  const packageFolder = findPackage("@sparticuz/chromium");
  if (!packageFolder) throw new Error("@sparticuz/chromium is not installed: run npm ci");
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as { version: string };
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const folder = join(cache, "depthloom", `chromium-${version}`);
  if (!existsSync(folder)) {
    const fresh = `${folder}.${process.pid}`;
    unpack(join(packageFolder, "bin"), fresh, folder);
    try {
      renameSync(fresh, folder);
    } catch {
      rmSync(fresh, { recursive: true });
    }
  }
  const executablePath = join(folder, "chromium");
  const env = { ...definedEnvironment(), FONTCONFIG_FILE: join(folder, "fonts", "fonts.conf") };
  // The package's libraries (NSS and expat) are for machines without them: a machine's own libraries fit it better.
  const runs = spawnSync(executablePath, ["--version"], { env }).status === 0;
  return { executablePath, env: runs ? env : { ...env, LD_LIBRARY_PATH: join(folder, "lib") } };
}

/** Unpacks into `folder`, which is then moved to `home`: fontconfig needs that absolute path. */
function unpack(bin: string, folder: string, home: string): void {
  const archive = (name: string) => brotliDecompressSync(readFileSync(join(bin, name)));
  const extract = (name: string, into: string) => {
    mkdirSync(into, { recursive: true });
    for (const entry of tarEntries(archive(name))) writeFileSync(join(into, basename(entry.name)), entry.data);
  };
  extract("swiftshader.tar.br", folder);
  extract("al2023.tar.br", join(folder, "lib"));
  extract("fonts.tar.br", join(folder, "fonts"));
  const dirs = [join(home, "fonts"), "/usr/share/fonts", "/usr/local/share/fonts"];
  const lines = [...dirs.map((dir) => `<dir>${dir}</dir>`), `<cachedir>${join(home, "fonts", "cache")}</cachedir>`];
  writeFileSync(join(folder, "fonts", "fonts.conf"), `<fontconfig>${lines.join("")}</fontconfig>\n`);
  writeFileSync(join(folder, "chromium"), archive("chromium.br"));
  chmodSync(join(folder, "chromium"), 0o755);
}

function definedEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).flatMap(([key, value]) => (value ? [[key, value]] : [])));
}
