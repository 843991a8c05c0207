// The API pages, out of the doc comments of what the package exports.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import "./typescript.js";

/** The package's modules, by their entries in the sources. */
const MODULES = {
  "pipeline/index.ts": "depthloom/pipeline",
  "sources/index.ts": "depthloom/sources",
  "stages/index.ts": "depthloom/stages",
  "stages/core/index.ts": "depthloom/stage",
  "viewer/element/index.ts": "depthloom/element",
  "measure/index.ts": "depthloom/measure",
  "viewer/overlay/index.ts": "depthloom/overlay",
  "viewer/three/index.ts": "depthloom/three",
  "write/index.ts": "depthloom/write",
  "run/publish/index.ts": "depthloom/publish",
  "scan/index.ts": "depthloom/scan",
  // Last, since a name belongs to the first module that has it: this one lists where all of them are.
  "depthloom.ts": "depthloom",
};

/**
 * Writes the API pages to `out`, each under a policy of its own. Throws where an export or a member has no doc comment, and where a public
 * signature names a type that is not exported.
 * @param {string} root the repository
 * @param {string} out
 * @param {Readonly<Record<string, { schema: Readonly<Record<string, { summary: string }>> }>>} stages the stages' factories, by name
 */
export async function writeApi(root, out, stages) {
  const { Application, Comment, ReflectionKind } = await import("typedoc");
  const app = await Application.bootstrap({
    entryPoints: Object.keys(MODULES).map((path) => join(root, path)),
    // TypeDoc empties this folder before it writes; its default is docs/.
    out,
    tsconfig: join(root, "tsconfig.json"),
    basePath: root,
    name: "Depthloom",
    readme: "none",
    // `npm run check` is where types are checked.
    skipErrorChecking: true,
    disableSources: true,
    excludePrivate: true,
    excludeInternal: true,
    excludeExternals: true,
    // Types take the names of scenes, views, sensors, drivers and forms from these four, which nobody outside needs.
    intentionallyNotExported: ["CAMERA_MOTIONS", "SCENES", "SENSORS", "DRIVERS", "FORMS"],
    validation: { notExported: true, invalidLink: true, notDocumented: true },
    // TypeDoc's filters have inline styles, which the policy refuses. What they would hide is not on the pages in any case.
    visibilityFilters: {},
    navigationLinks: { Site: "../index.html" },
    logLevel: "Warn",
  });
  const project = await app.convert();
  if (!project) throw new Error("TypeDoc makes no pages of the sources");
  for (const module of project.children ?? [])
    module.name = MODULES[`${module.name}/index.ts`] ?? MODULES[`${module.name}.ts`] ?? module.name;
  // A stage's parameters have their words in its schema.
  for (const property of project.getReflectionsByKind(ReflectionKind.Property)) {
    const [, stage, name] = /stages\.(\w+)\.__type\.(\w+)$/.exec(property.getFullName()) ?? [];
    const text = stages[stage]?.schema[name]?.summary;
    if (text) property.comment ??= new Comment([{ kind: "text", text }]);
  }
  app.validate(project);
  if (app.logger.hasWarnings())
    throw new Error("a doc comment is missing or wrong, or a type that a signature names is not exported (see above)");
  await app.generateDocs(project, out);
  for (const name of readdirSync(out, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".html")) restrict(join(out, name));
  }
}

/** Puts a page under a policy that allows its own inline scripts, by their hashes, and no others. */
function restrict(file) {
  const html = readFileSync(file, "utf8");
  const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const hashes = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, code]) => hashOf(code));
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(" ")}`,
    // The theme's script adds one style element, which stays empty.
    `style-src 'self' ${hashOf("")}`,
    "img-src 'self' data:",
    // The page unpacks its index for the search out of a data: address.
    "connect-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const tag = `<meta http-equiv="Content-Security-Policy" content="${policy}"/>`;
  writeFileSync(
    file,
    html.replace(/<meta charset="utf-8"\/>/i, (charset) => charset + tag),
  );
}
