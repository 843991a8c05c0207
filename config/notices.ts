import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { COMPILED_IN } from "./licences.ts";

const FILE = "THIRD-PARTY-NOTICES.md";
const HEAD = "# Third-party notices\n\nThese packages are in the files of this folder, whole or in part.\n";

/** Terms that several packages have word by word: they stand below, once, and a sentence takes their place. */
const TERMS = {
  "MIT terms": /Permission is hereby granted[\s\S]*/,
  "Apache terms": /TERMS AND CONDITIONS FOR USE[\s\S]*END OF TERMS AND CONDITIONS/,
};

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly author?: string | { readonly name?: string };
}

/**
 * Writes the licences of all packages that a build puts into its files, beside them. (Vite's `build.license` passes over workers.)
 * `workers` goes among the plugins of the workers' builds, which end before the build that they belong to writes its files.
 */
export function notices(): { readonly main: Plugin; readonly workers: () => Plugin } {
  const folders = new Set<string>();
  const collect = (ids: Iterable<string>) => {
    for (const id of ids) {
      const folder = packageOf(id);
      if (folder) folders.add(folder);
    }
  };
  const plugin = (name: string, generateBundle: NonNullable<Plugin["generateBundle"]>): Plugin => ({
    name,
    generateBundle,
  });
  return {
    workers: () =>
      plugin("depthloom-notices-workers", (_, bundle) => {
        for (const chunk of Object.values(bundle)) if (chunk.type === "chunk") collect(chunk.moduleIds);
      }),
    main: plugin("depthloom-notices", function (_, bundle) {
      for (const chunk of Object.values(bundle)) if (chunk.type === "chunk") collect(chunk.moduleIds);
      const licences = new Map<string, string>();
      for (const folder of [...folders].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
        const text = licenceOf(folder);
        if (!text) this.error(`${folder} is bundled, and it does not come with the text of its licence`);
        licences.set(folder, text);
      }
      const shared = Object.entries(TERMS).flatMap(([name, pattern]) => {
        const [terms] = [ownLicence(), ...licences.values()].map((text) => pattern.exec(text)?.[0]).filter(Boolean);
        return terms ? [[name, terms] as const] : [];
      });
      const sections = [...licences].map(([folder, text]) => {
        const own = shared.reduce(
          (left, [name, terms]) =>
            left.replace(anyLines(terms), `Permission is hereby granted by the terms below, "${name}".`),
          text,
        );
        const { name, version, license } = manifestOf(folder);
        const within = COMPILED_IN[name ?? ""];
        return `\n## ${name} ${version} (${license})\n\n${own}\n${within ? `\nWith it, compiled:\n\n${within}\n` : ""}`;
      });
      const terms = shared.map(([name, text]) => `\n# ${name}\n\n${text}\n`);
      this.emitFile({ type: "asset", fileName: FILE, source: [HEAD, ...sections, ...terms].join("") });
    }),
  };
}

/** Finds the same words, however their lines are broken. */
const anyLines = (text: string) =>
  new RegExp(
    text
      .split(/\s+/)
      .map((word) => word.replace(/[^\w]/g, "\\$&"))
      .join("\\s+"),
  );

/** The folder of the package that a module is from: the nearest manifest with a name, where the module is in node_modules. */
function packageOf(id: string): string | undefined {
  // Modules that a bundler makes of others have their path behind a zero byte, and a query behind it.
  const path = id.replace(/^\0/, "").replace(/\?.*$/s, "");
  if (!path.includes("/node_modules/")) return undefined;
  for (let folder = dirname(path); basename(folder) !== "node_modules"; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json")) && manifestOf(folder).version) return folder;
  }
  return undefined;
}

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
const nameOf = (folder: string) => manifestOf(folder).name ?? "";

/** The text in the package's own licence file; for a package without a file that names the MIT licence and its author, that licence. */
function licenceOf(folder: string): string | undefined {
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name));
  if (file) return readFileSync(join(folder, file), "utf8").trim();
  const { license, author } = manifestOf(folder);
  const holder = typeof author === "string" ? author : author?.name;
  if (license !== "MIT" || !holder) return undefined;
  return ownLicence().replace(/^Copyright .*$/m, `Copyright (c) ${holder}`);
}

const ownLicence = () => readFileSync(fileURLToPath(new URL("../LICENSE", import.meta.url)), "utf8").trim();
