// `npm run -s wgsl shaders/track/align.wgsl`: prints a shader with the files that it imports, as compilers and other tools of WGSL take it.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const { linkedFiles } = (await runnerImport(fileURLToPath(new URL("wgsl.ts", import.meta.url)))).module;
console.log([...linkedFiles(resolve(process.argv[2] ?? "")).values()].join("\n"));
