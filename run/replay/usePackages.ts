import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../core/caught.ts";
import { optionRules } from "../../sources/format/description.ts";
import type { Format } from "../../sources/format/format.ts";
import { registerFormats } from "../../sources/recorded/registered.ts";
import { isStageFactory, type StageFactory } from "../../stages/core/define.ts";
import { register } from "../../stages/registry.ts";
import { type RunOption, refused } from "../report/failure.ts";
import { addCameras, type OwnCamera } from "../report/place.ts";

/** The modules whose stages, formats and cameras were taken; a module is taken once. */
const used = new Set<Exported>();

/**
 * Imports packages, by the names under which they are installed in `folder` or above `folder`, or by paths from `folder`. Registers the
 * stages that they export as `stages` or by default, their `formats` and their `cameras`. Throws a `RequestError` that names the package
 * and what is wrong with it.
 */
export async function usePackages(packages: readonly string[], folder = process.cwd()): Promise<void> {
  for (const name of packages) {
    const exported = await importPackage("use", name, folder);
    try {
      if (!used.has(exported)) take(exported);
      used.add(exported);
    } catch (error) {
      throw refused("use", name, messageOf(error));
    }
  }
}

type Exported = Readonly<Record<string, unknown>>;

/**
 * Imports a package, by the name under which it is installed in `folder` or above `folder`, or by its path from `folder`. Throws a
 * `RequestError` that names the option by which it was given.
 */
export async function importPackage(option: RunOption, name: string, folder = process.cwd()): Promise<Exported> {
  const require = createRequire(join(folder, "from-here.js"));
  try {
    return await import(/* @vite-ignore */ pathToFileURL(found(name, folder, require)).href);
  } catch (error) {
    throw refused(option, name, messageOf(error));
  }
}

const isCameraDriver = (one: unknown): one is OwnCamera =>
  typeof one === "object" && one !== null && "name" in one && "open" in one && typeof one.open === "function";

/** Registers what a package exports. */
function take({ formats, cameras, ...exported }: Exported): void {
  if (formats !== undefined && !optionRules.formats.holds(formats))
    throw new Error(`its formats must be ${optionRules.formats.expects}`);
  const drivers = [cameras ?? []].flat();
  if (!drivers.every(isCameraDriver)) throw new Error("its cameras must be a list of { name, open }");
  const stages = factoriesIn(exported);
  if (stages.length === 0 && formats === undefined && drivers.length === 0)
    throw new Error("it exports no stages, formats or cameras: it needs a default export, or one with such a name");
  register(stages);
  registerFormats((formats ?? []) as Format[]);
  addCameras(drivers);
}

/** The factories that a package exports, one or a list, as `stages` or by default. */
function factoriesIn({ stages, default: byDefault }: Exported): StageFactory[] {
  const exported = [stages ?? byDefault ?? []].flat();
  const wrong = exported.findIndex((one) => !isStageFactory(one));
  if (wrong >= 0) throw new Error(`its export number ${wrong + 1} was not made by defineStage`);
  return exported.filter(isStageFactory);
}

/** The file that a package begins with. */
function found(name: string, folder: string, require: NodeJS.Require): string {
  try {
    return require.resolve(name);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "MODULE_NOT_FOUND") throw new Error(whyMissing(name, folder));
    if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED") throw new Error(`its package.json needs "exports" with a "default"`);
    throw error;
  }
}

function whyMissing(name: string, folder: string): string {
  const there = statSync(resolve(folder, name), { throwIfNoEntry: false });
  if (!/^\.{1,2}[/\\]/.test(name) && !isAbsolute(name)) {
    return `no such package in ${folder} or above; install it, or give its path${there ? `: ./${name}` : ""}`;
  }
  if (!there) return `there is no such file or folder in ${folder}; check the path`;
  return `this folder has no index.js, and no package.json whose "main" names a file in it; Node needs one of them where a package is given by its path`;
}
