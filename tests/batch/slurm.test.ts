import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { depthloom, root } from "../cli/command.ts";
import { useFolder } from "../sources/fixtures.ts";
import { writeFleet } from "./makers.ts";
import { freePort } from "./port.ts";
import { resultsOf } from "./results.ts";

// The examples of docs/examples/fleet. slurm.sh runs on a cluster of one node if Slurm's daemons are installed (Debian's slurm-wlm)
// and the process is root. The others run with stand-ins for their engines.

const disk = useFolder();
const examples = join(root, "docs/examples/fleet");
const has = (name: string) => spawnSync(name, ["-V"], { stdio: "ignore" }).error === undefined;
const SLURM = ["slurmctld", "slurmd", "sbatch"].every(has) && process.getuid?.() === 0;

const daemons: ChildProcess[] = [];
afterAll(async () => {
  for (const daemon of daemons) {
    const closed = new Promise((resolve) => daemon.on("close", resolve));
    daemon.kill("SIGKILL");
    await closed;
  }
});

/** Starts a Slurm cluster of this machine alone. Returns the environment for Slurm's commands. */
async function cluster(): Promise<NodeJS.ProcessEnv> {
  const place = join(disk.root, "slurm");
  mkdirSync(join(place, "state"), { recursive: true });
  mkdirSync(join(place, "spool"));
  const [host] = hostname().split(".");
  const conf = {
    ...{
      ClusterName: "test",
      SlurmctldHost: `${host}(127.0.0.1)`,
      SlurmctldPort: await freePort(),
      SlurmdPort: await freePort(),
    },
    ...{ AuthType: "auth/none", CredType: "cred/none", SlurmUser: "root", SlurmdUser: "root" },
    ...{ StateSaveLocation: `${place}/state`, SlurmdSpoolDir: `${place}/spool` },
    ...{ SlurmctldPidFile: `${place}/ctld.pid`, SlurmdPidFile: `${place}/d.pid`, MpiDefault: "none" },
    ...{ ProctrackType: "proctrack/pgid", TaskPlugin: "task/none", JobAcctGatherType: "jobacct_gather/none" },
    ...{ SelectType: "select/cons_tres", SelectTypeParameters: "CR_Core", ReturnToService: 2 },
    SchedulerParameters: "batch_sched_delay=1,sched_interval=1",
  };
  const lines = Object.entries(conf).map(([name, value]) => `${name}=${value}`);
  const nodes = [
    `NodeName=${host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN`,
    `PartitionName=all Nodes=${host} Default=YES State=UP`,
  ];
  writeFileSync(join(place, "slurm.conf"), [...lines, ...nodes, ""].join("\n"));
  const env = { ...process.env, SLURM_CONF: join(place, "slurm.conf") };
  for (const name of ["slurmctld", "slurmd"]) daemons.push(spawn(name, ["-D"], { env, stdio: "ignore" }));
  return env;
}

test.skipIf(!SLURM)("slurm.sh gives each task of a job array a part of the recordings", async () => {
  const fleet = join(disk.root, "fleet");
  const { keys, damaged } = writeFleet(fleet, 4, 1);
  const out = join(disk.root, "out");
  const env = { ...(await cluster()), DEPTHLOOM: `${process.execPath} ${join(root, "cli/launch.js")}` };
  const log = join(disk.root, "task-%a.log");
  const args = [
    "--wait",
    "--array=0-1",
    `--output=${log}`,
    join(examples, "slurm.sh"),
    fleet,
    out,
    "--stages",
    "median",
  ];
  // The daemons need a moment to find each other: sbatch waits for the controller, and the job waits for the node.
  const status = await new Promise((resolve) => spawn("sbatch", args, { env, stdio: "ignore" }).on("close", resolve));
  const logs = readdirSync(disk.root).filter((name) => /^task-\d\.log$/.test(name));
  const said = logs.map((name) => readFileSync(join(disk.root, name), "utf8")).join("\n");
  expect(status, said).toBe(0);
  expect(said).toMatch(/part 1 of 2 \(SLURM_ARRAY_TASK_ID\)/);
  expect(said).toMatch(/part 2 of 2 \(SLURM_ARRAY_TASK_ID\)/);
  expect(Object.keys(resultsOf(out))).toEqual(keys);
  expect(said.match(/^failed: \S+/gm)).toEqual(damaged.map((key) => `failed: ${key}:`));
});

test("the examples use only options that `batch` and `worker` have", async () => {
  const helps = await Promise.all(["batch", "worker"].map((name) => depthloom(name, "--help")));
  const known = new Set(helps.flatMap(({ stdout }) => stdout.match(/--[a-z-]+/g) ?? []));
  const files = readdirSync(examples).filter((name) => /\.(sh|yaml|py)$/.test(name));
  expect(files.length).toBeGreaterThan(4);
  for (const name of files) {
    const text = readFileSync(join(examples, name), "utf8")
      .replace(/^#SBATCH.*$/gm, "")
      .replace(/--yes/g, "");
    const options: string[] = text.match(/(?<=[\s"[])--[a-z-]+/g) ?? [];
    expect(name.startsWith("workers") || options.includes("--out"), name).toBe(true);
    expect(
      options.filter((option) => !known.has(option)),
      name,
    ).toEqual([]);
  }
});

const works = (name: string, ...args: string[]) => spawnSync(name, args, { stdio: "ignore" }).status === 0;
test.skipIf(!works("shellcheck", "--version"))("slurm.sh has no fault that shellcheck finds", () => {
  expect(spawnSync("shellcheck", [join(examples, "slurm.sh")], { encoding: "utf8" })).toMatchObject({ stdout: "" });
});

// Stand-ins for npx, which ends as the environment says, and for the engines, which run the commands that they are given.
const bin = disk.folder(
  {
    npx: '#!/bin/sh\n[ "$STATUS" -lt 128 ] || kill -9 $$\nexit "$STATUS"\n',
    "ray.py": `remote = lambda **_: lambda f: type("Task", (), {"remote": staticmethod(f)})
init = lambda: None
get = list`,
    "airflow/sdk.py": "import contextlib\nDAG = lambda *_, **__: contextlib.nullcontext()",
    "airflow/providers/standard/operators/bash.py": `import subprocess
class BashOperator:
    partial = classmethod(lambda cls, **_: cls)
    expand = classmethod(lambda cls, bash_command: [cls(bash_command=one) for one in bash_command][0])
    def __init__(self, bash_command, **_): subprocess.run(["bash", "-c", bash_command], check=True)
    def __rshift__(self, other): pass`,
    "job.py": `import subprocess, sys, yaml
[one] = yaml.safe_load(open(sys.argv[1]))["spec"]["template"]["spec"]["containers"]
sys.exit(subprocess.run([*one["command"], *one["args"]]).returncode)`,
  },
  "bin",
);
chmodSync(join(bin, "npx"), 0o755);

const PYTHON = works("python3", "-c", "import yaml");
describe.skipIf(!PYTHON).each([
  ["slurm.sh", "sh", join(examples, "slurm.sh"), "in", "out"],
  ["ray_batch.py", "python3", join(examples, "ray_batch.py"), "in", "out", "2"],
  ["airflow_batch.py", "python3", join(examples, "airflow_batch.py")],
  ["indexed-job.yaml", "python3", join(bin, "job.py"), join(examples, "indexed-job.yaml")],
])("the example %s", (_, program, ...args) => {
  test.each([
    [0, true],
    [1, true],
    [2, false],
    [3, true],
    [4, false],
    [5, false],
    [137, false],
  ])("takes the status %i for success: %s", (status, isSuccess) => {
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, PYTHONPATH: bin, STATUS: String(status) };
    const ended = spawnSync(program, args, { env, encoding: "utf8" });
    expect(ended.status === 0, ended.stderr).toBe(isSuccess);
  });
});
