import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Redis, SERVER } from "../batch/redis.ts";
import { useFolder } from "../sources/fixtures.ts";
import { install, packed } from "./install.ts";

// Every command as installed: a package that only the checkout has is missing here.

const disk = useFolder();
const plain = join(disk.root, "plain");
const withQueue = join(disk.root, "queue");

interface Ended {
  readonly status: number | null;
  /** Standard output and standard error together. */
  readonly said: string;
}

/** Runs a command; one that serves is interrupted as soon as it has said `until`. */
function depthloom(folder: string, line: string, until?: string): Promise<Ended> {
  const args = [join(folder, "node_modules/depthloom/dist/cli.js"), ...line.split(" ")];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  let isOver = false;
  const hear = (text: string) => {
    said += text;
    if (isOver || until === undefined || !said.includes(until)) return;
    // A second signal would end it without a word.
    isOver = true;
    child.kill("SIGINT");
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", hear);
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, said })));
}

const SYNTH = "synth scene --frames 2 --size 64x48";

beforeAll(async () => {
  const tarball = await packed();
  install(tarball, plain);
  install(tarball, withQueue, ["bullmq", "ioredis"]);
  expect(await depthloom(plain, SYNTH)).toMatchObject({ status: 0 });
});

/** A command line, its exit status, and its output; for a command that serves, also the output after which it is interrupted. */
const ends = (line: string, status: number, says: string, until?: string) => ({ line, status, says, until });

/** Without Node's WebGPU, commands that measure a GPU name its package. */
const LINES: readonly ReturnType<typeof ends>[] = [
  ends("stages", 0, "bilateralGrid (filter"),
  ends("cameras", 0, "npm install koffi"),
  ends("info", 0, "GPU           none"),
  ends("info scene", 0, "64×48"),
  ends("check scene", 0, "fill rate"),
  ends("measure scene", 0, "mean of"),
  ends("align scene scene", 0, "100 % with camera 1"),
  ends("scan scene --voxel 5cm --out model.glb", 0, "triangles of 2 frames"),
  ends("replay scene --out replayed --ply", 0, "2 frames, 0 dropped, on CPU"),
  ...["mcap", "tum", "png", "zip", "ply"].map((to) => ends(`convert scene as.${to} --to ${to}`, 0, `(${to})`)),
  ends("filter scene --to filtered.mcap --backend cpu", 0, "filtered.mcap"),
  ends("batch scene --out results --to mcap", 0, "1 of 1 done"),
  ends("worker redis://127.0.0.1:1", 2, "npm install bullmq ioredis"),
  ends("bench threshold --sizes 64x48 --trials 1 --backend cpu", 0, "checked"),
  ends("tune median", 1, "npm install webgpu"),
  ends("report", 1, "npm install webgpu"),
  ends("serve scene --port 0", 130, "ws://", "ws://"),
  ends("view scene --no-open --port 0", 130, "http://", "http://"),
];

describe.concurrent("as installed, depthloom", () => {
  test("has no command that is not tried here", async ({ expect }) => {
    const { said } = await depthloom(plain, "--help");
    const named = [...said.slice(said.indexOf("Commands:")).matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
    const tried = new Set([SYNTH, ...LINES.map(({ line }) => line)].map((line) => line.split(" ")[0]));
    expect(named.filter((name) => name !== "help").sort()).toEqual([...tried].sort());
  });

  test.each(LINES)("$line", async ({ line, status, says, until }) => {
    const ended = await depthloom(plain, line, until);
    expect(ended.said).toContain(says);
    expect(ended.status, ended.said).toBe(status);
  });
});

test("an error that nobody catches stands below a statement, not below a whole file", () => {
  const program = 'import { openRecording } from "depthloom/sources"; await openRecording("none.bag");';
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { cwd: plain });
  expect(stderr.toString()).toContain("SourceError: none.bag: there is no such file or folder");
  expect(stderr.length).toBeLessThan(3000);
});

describe.skipIf(!SERVER)("as installed, with a Redis server", () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await Redis.start();
  });
  afterAll(() => redis.end());

  test("batch hands recordings out, and a worker works on them", async () => {
    const [batch, worker] = await Promise.all([
      depthloom(withQueue, `batch ../plain/scene --out results --queue ${redis.address}`),
      depthloom(withQueue, `worker ${redis.address} --idle 5`),
    ]);
    expect(worker).toMatchObject({ status: 0, said: expect.stringContaining("1 recordings done") });
    expect(batch).toMatchObject({ status: 0, said: expect.stringContaining("1 of 1 done") });
  });
});
