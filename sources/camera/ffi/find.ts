/** Where to look for shared libraries, and how to list a folder there. */
export interface SearchPlace {
  readonly platform: string;
  readonly arch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The names in a folder; none where it cannot be read. */
  list(folder: string): readonly string[];
  /** Sets an environment variable that a library will read. */
  setenv(name: string, value: string): void;
}

const TRIPLES: Readonly<Record<string, string>> = {
  x64: "x86_64-linux-gnu",
  arm64: "aarch64-linux-gnu",
  arm: "arm-linux-gnueabihf",
};

/** The folders in which the system looks for shared libraries, those that the user names in the environment first. */
function libraryFolders({ platform, arch, env }: SearchPlace): readonly string[] {
  const named = (name: string, by: string) => (env[name] ?? "").split(by).filter((folder) => folder !== "");
  if (platform === "win32") {
    const sdk = "C:\\Program Files (x86)\\Intel RealSense SDK 2.0\\bin\\x64";
    return [...named("OPENNI2_REDIST64", ";"), ...named("PATH", ";"), sdk];
  }
  if (platform === "darwin") return [...named("DYLD_LIBRARY_PATH", ":"), "/opt/homebrew/lib", "/usr/local/lib"];
  const triple = TRIPLES[arch];
  const multi = triple ? [`/usr/local/lib/${triple}`, `/usr/lib/${triple}`, `/lib/${triple}`] : [];
  return [...named("LD_LIBRARY_PATH", ":"), "/usr/local/lib", ...multi, "/usr/lib64", "/usr/lib", "/lib"];
}

/** The file name of a shared library by its stem, with the version that Linux and macOS put into it. */
function nameOf(stem: string, platform: string): RegExp {
  if (platform === "win32") return new RegExp(`^(lib)?${stem}\\.dll$`, "i");
  if (platform === "darwin") return new RegExp(`^lib${stem}(?:\\.(?<version>[\\d.]+))?\\.dylib$`);
  return new RegExp(`^lib${stem}\\.so(?:\\.(?<version>[\\d.]+))?$`);
}

/**
 * Finds the library of a stem, "realsense2". If the first folder that has the library has several versions, the newest is taken: systems
 * keep the name without a version for compilers alone, so it is often not there. With `folder`, such as "fakenect", it looks in this folder
 * of each place.
 */
export function findLibrary(place: SearchPlace, stem: string, folder?: string): string | undefined {
  const separator = place.platform === "win32" ? "\\" : "/";
  const pattern = nameOf(stem, place.platform);
  for (const root of libraryFolders(place)) {
    const where = folder === undefined ? root : `${root}${separator}${folder}`;
    const found = place.list(where).flatMap((name) => {
      const match = pattern.exec(name);
      return match ? [{ name, version: match.groups?.version ?? "" }] : [];
    });
    const newest = found.sort((a, b) => compareVersions(b.version, a.version))[0];
    if (newest) return `${where}${separator}${newest.name}`;
  }
  return undefined;
}

function compareVersions(a: string, b: string): number {
  const [p, q] = [a, b].map((text) => text.split(".").map(Number));
  for (let i = 0; i < Math.max(p.length, q.length); i++) {
    const step = (p[i] ?? -1) - (q[i] ?? -1);
    if (step !== 0) return step;
  }
  return 0;
}
