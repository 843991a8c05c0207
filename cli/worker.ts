import type { Command } from "commander";
import { noteProgress, onInterrupt } from "../run/report/interrupt.ts";
import { notes, say } from "../run/report/terminal.ts";
import { positive } from "./arguments.ts";
import { addFleet, type FleetFlags, logsOf, openMetrics } from "./fleetOptions.ts";

interface WorkerFlags extends FleetFlags {
  readonly idle?: number;
}

const NOTES = `
The recordings and the results' folder must be seen by this machine under the same paths as by the one that runs "batch --queue".
Ctrl-C, or SIGTERM: no further recording is begun, those in work are finished. A second one ends the worker at once; its recordings, and
those of a worker that dies, are taken over by others. A worker serves one version of depthloom: that of "batch".`;

export function addWorker(program: Command): void {
  const command = program
    .command("worker <queue>")
    .description('work on the recordings that "batch --queue redis://host:port" hands out')
    .option("--idle <seconds>", "end when no recording has waited for so long (default: wait for ever)", positive);
  addFleet(command).addHelpText("after", notes(NOTES)).action(runWorker);
}

async function runWorker(address: string, { jobs, idle, timeout, ...flags }: WorkerFlags): Promise<void> {
  const { queueingAt } = await import("../run/batch/queue/packages.ts");
  const { serveQueue } = await import("../run/batch/queue/serve.ts");
  const { workInProcesses } = await import("../run/batch/process/fork.ts");
  const { atOnceHere } = await import("../run/batch/run.ts");
  const metrics = await openMetrics(flags.metrics);
  const { log, recordings } = logsOf(
    flags.log,
    say,
    ({ error }) => error !== null,
    (line) => metrics?.take(line),
  );
  if (metrics) log(`metrics are at ${metrics.address}`);
  const queueing = await queueingAt(address, flags.telemetry);
  // A recording may take minutes, and other workers would have to begin it again.
  const interrupt = onInterrupt({ graceMs: Number.POSITIVE_INFINITY });
  const { signal } = interrupt;
  signal.addEventListener("abort", () => log("the recordings in work are being finished; once more ends at once"));
  const atOnce = jobs ?? atOnceHere();
  const done = await serveQueue(queueing, {
    atOnce,
    ...workInProcesses({ atOnce, timeoutSeconds: timeout }),
    signal,
    idleSeconds: idle,
    recordings,
    log,
  }).finally(() => metrics?.close());
  log(`${done} recordings done`);
  noteProgress(done, Number.POSITIVE_INFINITY, "recordings");
  // BullMQ leaves a timer behind that asks again and again for a server that is away.
  if (interrupt.status === 0) process.exit();
}
