import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for what the browser tests of this run build. */
    builds: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "depthloom-builds-"));
  project.provide("builds", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
