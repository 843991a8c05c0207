import { constants } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { onInterrupt, SIGNALS, tellNoted } from "../run/report/interrupt.ts";

// The thread of a command that computes: see thread.ts.
const [out, error] = workerData as readonly object[];
Object.assign(process.stdout, out);
Object.assign(process.stderr, error);
const interrupt = onInterrupt({ finishes: false });
tellNoted((noted) => parentPort?.postMessage(noted));
parentPort?.on("message", (status: number) => {
  const name = SIGNALS.find((name) => 128 + constants.signals[name] === status);
  if (name) process.emit(name, name);
});
parentPort?.unref();

const { run } = await import("./program.ts");
const status = await run(process.argv.slice(2));
if (status !== undefined) process.exitCode = status;
await interrupt.release();
// Standard input would keep the thread alive, and the end of a thread drops what the main thread has not taken.
for (const stream of [process.stdout, process.stderr])
  await new Promise<void>((resolve) => stream.write("", () => resolve()));
process.exit();
