import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isStageFactory, type StageFactory } from "../../stages/core/define.ts";
import { register } from "../../stages/registry.ts";
import { UsageError } from "../report/failure.ts";

/**
 * Imports packages, by the names under which they are installed in `folder` or above it, or by paths relative to it. Registers the stages
 * that they export as `stages` or by default. Throws a `UsageError` that names the package and what is wrong with it.
 */
export async function useStages(packages: readonly string[], folder = process.cwd()): Promise<void> {
  const require = createRequire(join(folder, "from-here.js"));
  for (const name of packages) {
    try {
      register(factoriesIn(await import(/* @vite-ignore */ pathToFileURL(require.resolve(name)).href)));
    } catch (error) {
      throw new UsageError(`--use ${name}: ${said(error, folder)}`);
    }
  }
}

/** The factories that a package exports, one or a list, as `stages` or by default. */
function factoriesIn({ stages, default: byDefault }: Readonly<Record<string, unknown>>): StageFactory[] {
  const exported = [stages ?? byDefault ?? []].flat();
  const wrong = exported.findIndex((one) => !isStageFactory(one));
  if (wrong >= 0) throw new Error(`its export number ${wrong + 1} was not made by defineStage`);
  if (exported.length === 0) throw new Error("it exports no stages: it needs a default export, or one named stages");
  return exported.filter(isStageFactory);
}

function said(error: unknown, folder: string): string {
  if (!(error instanceof Error)) return String(error);
  if (!("code" in error)) return error.message;
  if (error.code === "MODULE_NOT_FOUND") return `no such package in ${folder} or above; install it, or give its path`;
  if (error.code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return `its package.json needs "exports" with a "default"`;
  return error.message;
}
