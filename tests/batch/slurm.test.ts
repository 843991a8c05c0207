import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { depthloom, root } from "../cli/command.ts";
import { useFolder } from "../sources/fixtures.ts";
import { writeFleet } from "./makers.ts";
import { freePort } from "./port.ts";
import { resultsOf } from "./results.ts";

// The examples of docs/examples/fleet. slurm.sh runs on a cluster of one node if Slurm's daemons are installed (Debian's slurm-wlm)
// and the process is root. Of the other examples only the options are checked.

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
  const env = { ...(await cluster()), DEPTHLOOM: `${process.execPath} ${join(root, "viewer/cli/launch.js")}` };
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

const PYTHON = spawnSync("python3", ["--version"], { stdio: "ignore" }).status === 0;
test.skipIf(!PYTHON).each(["ray_batch.py", "airflow_batch.py"])("the example %s is valid Python", (name) => {
  const code = "import ast, sys; ast.parse(open(sys.argv[1]).read())";
  const { status, stderr } = spawnSync("python3", ["-c", code, join(examples, name)], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});
