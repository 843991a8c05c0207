import { Observable } from "rxjs";
import { frameOf } from "../core/plainFrame.ts";
import { Rpc } from "../core/rpc.ts";
import type { Recording, Source } from "../core/source.ts";
import { holdOf } from "../core/streams.ts";
import { errorOf, failureOf } from "../sources/recorded/remote/failure.ts";
import { scanHere } from "./here.ts";
import type { ScanMessage, ScanQuestion, ScanSupply, SentError } from "./messages.ts";

/** The thread of Node that makes one scan of frames that it asks for: see thread.ts. */
const port = process.getBuiltinModule("node:worker_threads").parentPort;
const say = (message: ScanMessage) => port?.postMessage(message);
/** The errors that came from the source, with their numbers. */
const numbers = new Map<unknown, number>();
const sent = (error: unknown): SentError => numbers.get(error) ?? failureOf(error);
const rpc = new Rpc<{ readonly index: number }, ScanSupply>(({ id, index }) => say({ says: "read", id, index }));
const stop = new AbortController().signal;

function sourceOf({ name, format, fps, facts, length, ahead }: ScanQuestion): Source {
  const warnings: string[] = [];
  let follower: { next(frame: ScanSupply): void } | undefined;
  const failed = ({ id, failure }: ScanSupply) => {
    const error = failure && errorOf(failure, name);
    if (error) numbers.set(error, id);
    return error;
  };
  port?.on("message", (supply: ScanSupply) => {
    warnings.splice(0, warnings.length, ...supply.warnings);
    if (length === undefined) follower?.next(supply);
    else rpc.answer(supply.id, failed(supply) ?? supply);
  });
  const frames$ = new Observable<ReturnType<typeof frameOf>>((subscriber) => {
    follower = {
      next(supply) {
        const { frame, waits, id } = supply;
        const error = failed(supply);
        if (error) return subscriber.error(error);
        if (!frame) return subscriber.complete();
        const hold = waits ? holdOf(frameOf(frame)) : undefined;
        subscriber.next({ ...frameOf(frame), ...(hold && { waitUntil: hold.waitUntil }) });
        void hold?.settled().then(() => say({ says: "took", id }));
      },
    };
    say({ says: "follow" });
    return () => (follower = undefined);
  });
  const source = { name, format, fps, facts, warnings, frames$, async close() {} };
  if (length === undefined) return source;
  const read = async (index: number) => {
    const { frame } = await rpc.ask({ index });
    if (!frame) throw new Error(`${name}: there is no frame ${index}`);
    return frameOf(frame);
  };
  const recording: Recording = { ...source, length, ahead, read };
  return recording;
}

port?.once("message", async (question: ScanQuestion) => {
  try {
    const { error, ...scan } = await scanHere(sourceOf(question), question.numbers, {
      warn: (line) => say({ says: "warn", line }),
      note() {},
      progress: (done, of) => say({ says: "progress", done, of }),
      stop,
    });
    say({ says: "made", scan, error: error === undefined ? undefined : sent(error) });
  } catch (error) {
    say({ says: "failed", error: sent(error) });
  }
});
