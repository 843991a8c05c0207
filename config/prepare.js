// `npm ci`, and the first `npx depthloom` in a checkout: builds what the package holds, unless it was built from these sources.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fingerprint, isBuilt, PACKAGE, root } from "../cli/parts.js";

const from = fingerprint(PACKAGE);
if (!isBuilt(PACKAGE, from)) {
  const { status } = spawnSync("npm", ["run", "-s", "build"], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(PACKAGE.stamp, from);
}
