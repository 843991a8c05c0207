// `npm run -s wgsl shaders/track/align.wgsl`: prints a shader with the files that it imports, as compilers and other tools of WGSL take it.
// `npm run -s wgsl`: writes each kernel like this to dist/wgsl/, or to the folder named behind --into, and compiles it with naga.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const { linkedFiles } = (await runnerImport(fileURLToPath(new URL("wgsl.ts", import.meta.url)))).module;
const linked = (path) =>
  [...linkedFiles(resolve(path))].map(([file, text]) => `// ${relative("", file)}\n${text}`).join("\n");

const [, , path = "--into", into = "dist/wgsl"] = process.argv;
if (path === "--into") {
  const { parseWgsl, validate } = await import("naga-wasm");
  for (const name of readdirSync("shaders", { recursive: true, encoding: "utf8" }).sort()) {
    const code = name.endsWith(".wgsl") ? linked(`shaders/${name}`) : "";
    if (!/^(@compute .*)?fn main\(/m.test(code)) continue;
    mkdirSync(dirname(`${into}/${name}`), { recursive: true });
    writeFileSync(`${into}/${name}`, code);
    try {
      // naga takes kernels of subgroups, but not the line that asks for them.
      validate(parseWgsl(code.replace(/^enable subgroups;$/m, ""))).free();
    } catch ({ formatted }) {
      console.error(`${into}/${name}: ${formatted}`);
      process.exitCode = 1;
    }
  }
} else if (path.endsWith(".wgsl") && existsSync(path)) {
  console.log(linked(path));
} else {
  console.error(`usage: npm run -s wgsl shaders/track/align.wgsl (there is no shader ${path})`);
  process.exitCode = 2;
}
