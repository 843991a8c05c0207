// TypeDoc works with TypeScript up to 6, and the project has 7: TypeDoc is given the older TypeScript that @arethetypeswrong/core brings.
import { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";

const owner = createRequire(import.meta.url).resolve("@arethetypeswrong/core");
const typescript = pathToFileURL(createRequire(owner).resolve("typescript")).href;
const hook = `export const resolve = (name, context, next) =>
  name === "typescript" ? { url: ${JSON.stringify(typescript)}, format: "commonjs", shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
