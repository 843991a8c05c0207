import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const PYTHON = fileURLToPath(new URL("../../python", import.meta.url));

/** A Python that has what the package needs, the system's first; `undefined` where there is none. */
export const python = ["/usr/bin/python3", "python3"].find(
  (name) => spawnSync(name, ["-c", "import numpy, websockets"]).status === 0,
);

/** The stream that a viewer's page shows. */
export const streamOf = (address: string) => new URL(address).searchParams.get("source") ?? "";

/** Runs a program until the test ends. `line` resolves with its next line of output. */
export function running(
  program: string,
  { command = python ?? "", env = {}, args = [] as readonly string[], cwd = PYTHON } = {},
) {
  const all = {
    ...process.env,
    PYTHONPATH: PYTHON,
    PYTHONDONTWRITEBYTECODE: "1",
    PYTHONUNBUFFERED: "1",
    BROWSER: "true",
  };
  const child = spawn(command, ["-c", program, ...args], { cwd, env: { ...all, ...env } });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  const ended = new Promise<{ status: number | null } & typeof texts>((resolve) =>
    child.on("close", (status) => resolve({ status, ...texts })),
  );
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const line = () =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const [, first, rest] = /^(.*)\n([\s\S]*)$/m.exec(texts.stdout) ?? [];
        if (first === undefined) return false;
        texts.stdout = rest ?? "";
        resolve(first);
        child.stdout.off("data", look);
        return true;
      };
      if (look()) return;
      child.stdout.on("data", look);
      child.on("close", () => look() || reject(new Error(texts.stderr)));
    });
  return { child, ended, line };
}
