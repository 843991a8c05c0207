import { describe } from "../../report/failure.ts";
import { workOn } from "../job/work.ts";
import type { JobAnswer, Order } from "./messages.ts";

// The script of a process that processes one recording. The process ends when its parent ends.

/** The shortest time between two progress messages, ms. */
const TELL_MS = 200;

const answer = (message: JobAnswer) =>
  new Promise<void>((resolve) => process.send?.(message, undefined, {}, () => resolve()));

process.on("disconnect", () => process.exit(1));
// Ctrl-C in a terminal reaches all its processes; the parent decides what to do.
process.on("SIGINT", () => {}).on("SIGTERM", () => {});
const fail = async (error: unknown) => {
  await answer({ kind: "failed", reason: describe(error) });
  process.exit();
};
process.on("uncaughtException", fail).on("unhandledRejection", fail);
process.once("message", async ({ job }: Order) => {
  let toldMs = 0;
  try {
    const done = await workOn(job, (frames, of) => {
      if (performance.now() - toldMs < TELL_MS) return;
      toldMs = performance.now();
      void answer({ kind: "progress", done: frames, of });
    });
    await answer({ kind: "done", ...done });
  } catch (error) {
    await fail(error);
  }
  process.exit();
});
