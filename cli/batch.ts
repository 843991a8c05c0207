import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { isRemote } from "../core/address.ts";
import type { Done, Job } from "../run/batch/job/types.ts";
import type { BatchSettings, Target } from "../run/batch/settings.ts";
import type { Shard } from "../run/batch/shard.ts";
import { RequestError } from "../run/report/failure.ts";
import { checkLocal } from "../run/report/files.ts";
import { noteProgress, onInterrupt } from "../run/report/interrupt.ts";
import { notes, Progress, print } from "../run/report/terminal.ts";
import type { DepthCodec } from "../write/mcap.ts";
import { wholeFrom } from "./arguments.ts";
import { addChoice, type ChoiceFlags, namesOf } from "./choice.ts";
import { addFleet, type FleetFlags, logsOf, type Most, most, openMetrics } from "./fleetOptions.ts";
import { addOpening, type OpenFlags, openingOf } from "./opening.ts";

interface BatchFlags extends ChoiceFlags, OpenFlags, FleetFlags {
  readonly out: string;
  readonly to?: Target;
  readonly codec?: DepthCodec;
  readonly raw?: true;
  readonly start: number;
  readonly frames?: number;
  readonly require?: string;
  readonly shard?: string;
  readonly queue?: string;
  readonly priority?: number;
  readonly maxFailed?: Most;
  readonly dryRun?: true;
  readonly force?: true;
  readonly json?: true;
}

const NOTES = `
Recordings are found by their contents, in files, folders and quoted patterns ("data/**/*.bag"). Processes of their own work on them, as
many as there are cores, if memory allows. DIR/recordings/NAME/ is a recording's result, and appears when it is whole; NAME is
the recording's path below the inputs. A result depends on the recording, the options and depthloom's version alone.
The same command goes on where a run was stopped, and takes up what is new or has changed. A recording that fails is tried once more,
listed at the end with its reason, and stops no other; frames that cannot be read are counted and left out.
DIR/quality.html, .csv and .jsonl have a row for each recording; DIR/manifest.jsonl has the results' hashes. Without --to nothing else is
written. --require "valid>0.7 noise2m<10" marks recordings that fall short; docs/batch.md has the columns.
--shard 2/8 works on the second of eight parts. An Indexed Job of Kubernetes (with --shard /8), an array of Slurm and one of AWS Batch say
by themselves which part is theirs. --queue redis://host:port hands the recordings to "depthloom worker" on any machine that sees the same
paths; it needs the packages bullmq and ioredis. Depth is filtered by the CPU unless --backend says otherwise: then all machines get the same bytes.
Exit status: 0 all recordings are good or have a warning alone, 1 some failed or are left, 2 wrong usage, 3 some fall short of
--require or have frames that could not be read, 4 all failed, 5 more failed than --max-failed allows, 130 interrupted.`;

export function addBatch(program: Command): void {
  const command = program
    .command("batch <in...>")
    .description("work on many recordings: filter and write each, and tell in a table how good each is")
    .requiredOption(
      "--out <dir>",
      "the folder for all results, or s3://bucket/prefix: a new one, or that of an earlier run, which goes on",
    )
    .addOption(new Option("--to <which>", "what to write of each recording").choices(["mcap", "tum", "png", "ply"]))
    .addOption(new Option("--codec <which>", "of mcap (default: zstd)").choices(["zstd", "png", "rvl", "v2"]))
    .option("--raw", "with --to: write depth as it came, not filtered")
    .option("--start <n>", "the first frame of each recording, from 0", wholeFrom(0), 0)
    .option("--frames <n>", "how many frames of each recording at most", wholeFrom(1))
    .option("--require <what>", 'what every recording must have, such as "valid>0.7 noise2m<10"')
    .option("--shard <i/n>", "work on one of n parts of the recordings, counted from 1")
    .option(
      "--queue <address>",
      "hand the recordings to workers by a queue on Redis or Valkey, redis://host:port, and watch",
    )
    .option("--priority <n>", "with --queue: 1 before 2 before 3; without, before all", wholeFrom(1))
    .option("--max-failed <n|p%>", "begin no further recording when more than n, or than this share, have failed", most)
    .option("--dry-run", "list what would be done")
    .option("--force", "replace results of other settings or another version")
    .option("--json", "print one JSON document");
  addChoice(command, "cpu");
  addOpening(addFleet(command)).addHelpText("after", notes(NOTES)).action(runBatch);
}

async function settingsOf(flags: BatchFlags): Promise<BatchSettings> {
  const {
    to = null,
    codec = "zstd",
    raw = false,
    set = [],
    preset,
    noise,
    backend,
    adapter,
    use = [],
    start,
    frames = null,
  } = flags;
  const { readSettings } = await import("../run/replay/settings.ts");
  const { filtersOf } = await import("../run/batch/settings.ts");
  if (flags.codec && to !== "mcap")
    throw new RequestError(`--codec: it is of --to mcap, and ${to ?? "nothing"} is written`);
  if (raw && !to) throw new RequestError("--raw says how depth is written: give --to");
  if (backend === "cpu" && adapter !== "auto")
    throw new RequestError(`--backend cpu uses no adapter: leave out --adapter ${adapter}, or give --backend webgpu`);
  const settings = flags.settings === undefined ? null : readSettings(flags.settings);
  const stages = namesOf(flags) ?? null;
  const chosen: BatchSettings = {
    to,
    codec,
    raw,
    stages,
    set,
    settings,
    preset,
    noise,
    backend,
    adapter,
    start,
    frames,
    use: use.map((name) => (/^\.{1,2}[\\/]/.test(name) ? resolve(name) : name)),
    opening: openingOf(flags),
  };
  // Mistakes in the choice of stages are reported before recordings are searched.
  await filtersOf(chosen);
  return chosen;
}

async function runBatch(inputs: readonly string[], flags: BatchFlags): Promise<void> {
  const { requirementsOf } = await import("../run/batch/quality/require.ts");
  const { shardOf } = await import("../run/batch/shard.ts");
  const { planBatch } = await import("../run/batch/plan.ts");
  const { identityOf } = await import("../run/batch/settings.ts");
  checkQueueing(flags);
  const settings = await settingsOf(flags);
  const require = requirementsOf(flags.require ?? "");
  const shard = shardOf(flags.shard, process.env);
  const isBucket = /^s3:\/\//i.test(flags.out);
  if (!isBucket) checkLocal(flags.out);
  const out = isBucket ? flags.out.replace(/^s3/i, "s3").replace(/\/+$/, "") : resolve(flags.out);
  const request = { inputs, out, settings, shard };
  const progress = new Progress();
  const metrics = await openMetrics(flags.metrics);
  const { log, recordings } = logsOf(
    flags.log,
    (line) => progress.log(line),
    ({ outcome }) => outcome === "retry",
    (line) => metrics?.take(line),
  );
  if (metrics) log(`metrics are at ${metrics.address}`);
  if (inputs.some(isRemote)) log("looking for recordings at addresses …");
  const plan = await planBatch(request);
  for (const line of plan.leftOut) log(`warning: ${line}`);
  log(planLine(plan, shard));
  if (plan.jobs.length === 0 && !shard) throw new RequestError(`${inputs.join(", ")}: no recording is there`);
  if (flags.dryRun) return void (await print(plan.jobs.map((job) => listed(job, plan.done.has(job.key)))));
  const { queueingAt } = await import("../run/batch/queue/packages.ts");
  const queueing = flags.queue === undefined ? undefined : await queueingAt(flags.queue, flags.telemetry);
  let queue: Readonly<Record<string, number>> | undefined;
  const { openOut } = await import("../run/batch/out.ts");
  await openOut(out, settings, identityOf(settings), flags.force ?? false);
  const { Tally } = await import("../run/batch/tally.ts");
  const tally = new Tally(plan.jobs, plan.done);
  const interrupt = onInterrupt();
  const todo = plan.jobs.filter(({ key, fault }) => fault === undefined && !plan.done.has(key));
  // Recordings that failed before any work began count, too.
  const faults = plan.jobs.filter(({ fault }) => fault !== undefined);
  for (const job of faults) recordings.failed(job, job.fault ?? "", false);
  const mostFailed = flags.maxFailed?.of(plan.jobs.length) ?? Infinity;
  const maxFailed = mostFailed - faults.length;
  const telling = tellProgress(tally, flags.log === "text" && progress.stream.isTTY ? progress : { note: log });
  try {
    const listener = {
      signal: interrupt.signal,
      begun(job: Job) {
        for (const one of [tally, recordings]) one.begun(job);
      },
      done(job: Job, done: Done) {
        for (const one of [tally, recordings]) one.done(job, done);
      },
      failed(job: Job, reason: string, again: boolean) {
        for (const one of [tally, recordings]) one.failed(job, reason, again);
      },
    };
    if (queueing) {
      const { throughQueue } = await import("../run/batch/queue/watch.ts");
      queue = await throughQueue(queueing, todo, { ...listener, priority: flags.priority, maxFailed, log });
    } else {
      const { runAll, atOnceHere } = await import("../run/batch/run.ts");
      const { workInProcesses } = await import("../run/batch/process/fork.ts");
      const atOnce = flags.jobs ?? atOnceHere(settings.opening.maxMegabytes);
      const { work, end } = workInProcesses({ atOnce, timeoutSeconds: flags.timeout });
      await runAll(todo, { ...listener, atOnce, maxFailed, work }).finally(end);
    }
  } finally {
    metrics?.close();
    telling.end();
    await interrupt.release();
  }
  const { documentOf, rowsOf, statusOf, writeReport } = await import("../run/batch/report.ts");
  const { sweep } = await import("../run/batch/job/place.ts");
  await sweep(out);
  const rows = rowsOf(tally, require);
  const page = await writeReport(out, shard, tally, rows);
  const document = documentOf({ out, shard, passed: plan.passed, queue }, tally, rows);
  log(`${tally.line}; ${page}`);
  if (flags.log === "text") for (const { recording, reason } of document.failed) log(`failed: ${recording}: ${reason}`);
  for (const { recording, of } of document.short) log(`short: ${recording}: ${of}`);
  if (interrupt.status > 0)
    log(
      queueing
        ? "the recordings stay in the queue, and workers go on; the same command watches again"
        : "the same command goes on from there",
    );
  else if (document.counts.left > 0)
    log(`${document.counts.left} recordings are left: the same command goes on from there`);
  if (flags.json) await print([`${JSON.stringify(document, null, 2)}\n`]);
  noteProgress(document.counts.done, plan.jobs.length, "recordings");
  process.exitCode = statusOf(document, mostFailed);
}

/** Throws a `RequestError` where options are given that have no meaning with a queue, or without one. */
function checkQueueing(flags: BatchFlags): void {
  const [given, advice] =
    flags.queue === undefined
      ? ([["priority", "telemetry"], "it concerns a queue: give --queue"] as const)
      : ([["jobs", "timeout"], "with --queue, workers run the recordings: give it to them"] as const);
  const wrong = given.find((name) => flags[name] !== undefined);
  if (wrong !== undefined) throw new RequestError(`--${wrong}: ${advice}`);
}

type Plan = Awaited<ReturnType<typeof import("../run/batch/plan.ts")["planBatch"]>>;

function planLine({ jobs, done, passed, elsewhere }: Plan, shard: Shard | undefined): string {
  const part = shard ? `part ${shard.index + 1} of ${shard.count} (${shard.from}): ` : "";
  const more = [
    done.size > 0 && `${done.size} done before`,
    elsewhere > 0 && `${elsewhere} in other parts`,
    passed > 0 && `${passed} other files passed over`,
  ].filter(Boolean);
  return `${part}${jobs.length} recordings${more.length > 0 ? ` (${more.join(", ")})` : ""}`;
}

const listed = ({ key, bytes, fault, topic }: Plan["jobs"][number], done: boolean) =>
  `${fault === undefined ? (done ? "done" : "to do") : "fault"}  ${(bytes / 1e6).toFixed(1).padStart(10)} MB  ${key}${topic === undefined ? "" : ` (topic ${topic})`}\n`;

/** The interval of progress reports in ms: on a terminal one line that is overwritten, elsewhere a line each. */
const SHOWN_MS = 500;
const LOGGED_MS = 30_000;

function tellProgress(tally: { readonly line: string }, to: Pick<Progress, "note"> | Progress): { end(): void } {
  const live = to instanceof Progress;
  const timer = setInterval(() => to.note(tally.line), live ? SHOWN_MS : LOGGED_MS);
  return {
    end() {
      clearInterval(timer);
      if (live) to.clear();
    },
  };
}
