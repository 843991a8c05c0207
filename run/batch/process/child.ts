import { describe } from "../../report/failure.ts";
import { SIGNALS } from "../../report/interrupt.ts";
import { workOn } from "../job/work.ts";
import type { JobAnswer, Order } from "./messages.ts";

// The script of a process that works on one recording after the other. The process ends when its parent ends or one of them fails.

const answer = (message: JobAnswer) =>
  new Promise<void>((resolve) => process.send?.(message, undefined, {}, () => resolve()));

process.on("disconnect", () => process.exit(1));
// Ctrl-C in a terminal, or its end, reaches all its processes; the parent decides what to do.
for (const name of SIGNALS) process.on(name, () => {});
const fail = async (error: unknown) => {
  await answer({ kind: "failed", reason: describe(error) });
  process.exit();
};
process.on("uncaughtException", fail).on("unhandledRejection", fail);
process.on("message", async ({ job }: Order) => {
  try {
    await answer({ kind: "done", ...(await workOn(job)) });
  } catch (error) {
    await fail(error);
  }
});
