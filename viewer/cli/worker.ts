import { constants } from "node:os";
import type { Command } from "commander";
import { positive, wholeFrom } from "./arguments.ts";
import { notes } from "./notes.ts";
import { say } from "./terminal.ts";

interface Flags {
  readonly jobs?: number;
  readonly idle?: number;
}

const NOTES = `
The recordings and the results' folder must be seen by this machine under the same paths as by the one that runs "batch --queue".
Ctrl-C, or SIGTERM: no further recording is begun, those in work are finished. A second one ends the worker at once; its recordings, and
those of a worker that dies, are taken over by others. A worker serves one version of depthloom: that of "batch".`;

export function addWorker(program: Command): void {
  program
    .command("worker <queue>")
    .description('work on the recordings that "batch --queue redis://host:port" hands out')
    .option("--jobs <n>", "how many recordings at once (default: one for each core, if memory allows)", wholeFrom(1))
    .option("--idle <seconds>", "end when no recording has waited for so long (default: wait for ever)", positive)
    .option("--verbose", "show where an error came from")
    .addHelpText("after", notes(NOTES))
    .action(runWorker);
}

async function runWorker(address: string, { jobs, idle }: Flags): Promise<void> {
  const { queueingAt } = await import("../batch/queue/packages.ts");
  const { serveQueue } = await import("../batch/queue/serve.ts");
  const { workInProcesses } = await import("../batch/process/fork.ts");
  const { atOnceHere } = await import("../batch/run.ts");
  const queueing = await queueingAt(address);
  const stop = new AbortController();
  const end = (name: NodeJS.Signals) => {
    if (stop.signal.aborted) process.exit(128 + constants.signals[name]);
    say("the recordings in work are being finished; once more ends at once");
    stop.abort();
  };
  process.on("SIGINT", end).on("SIGTERM", end);
  const atOnce = jobs ?? atOnceHere();
  const done = await serveQueue(queueing, {
    ...{ atOnce, work: workInProcesses(atOnce), signal: stop.signal, idleSeconds: idle },
    log: say,
  });
  say(`${done} recordings done`);
  // BullMQ leaves a timer behind that asks a server that is away again and again.
  process.exit();
}
