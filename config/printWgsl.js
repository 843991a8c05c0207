// `npm run -s wgsl shaders/track/align.wgsl`: prints a shader with the files that it imports, as compilers and other tools of WGSL take it.
import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const { linkedFiles } = (await runnerImport(fileURLToPath(new URL("wgsl.ts", import.meta.url)))).module;
const [, , path = ""] = process.argv;
if (path.endsWith(".wgsl") && existsSync(path)) {
  const files = [...linkedFiles(resolve(path))].map(([file, text]) => `// ${relative("", file)}\n${text}`);
  console.log(files.join("\n"));
} else {
  console.error(`usage: npm run -s wgsl shaders/track/align.wgsl (there is no shader ${path || "named"})`);
  process.exitCode = 2;
}
