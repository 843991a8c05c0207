import type { Subscription } from "rxjs";
import { checkFrame } from "../core/checkFrame.ts";
import type { DepthFrame } from "../core/frame.ts";
import { plainOf } from "../core/plainFrame.ts";
import type { Recording, Source } from "../core/source.ts";
import { NoThread, nodeThread, type Thread } from "../core/thread.ts";
import { warningsOf } from "../run/report/place.ts";
import type { RunListener } from "../run/request.ts";
import { isRecording, type RecordedSource } from "../sources/index.ts";
import { errorOf, failureOf } from "../sources/recorded/remote/failure.ts";
import type { ScanNumbers } from "./here.ts";
import type { Scan } from "./keep.ts";
import type { ScanMessage, ScanQuestion, ScanSupply, SentError } from "./messages.ts";

/** The build puts the address of dist/scanning.js here: see config/reader.ts. */
const module = new URL("./scanWorker.ts", import.meta.url);

/**
 * Scans on a thread of its own, which is sent a copy of each frame. `made` resolves to `undefined` where no such thread can start; `end`
 * ends the thread.
 */
export function scanAside(source: Source, numbers: ScanNumbers, { warn, progress }: RunListener) {
  let worker: Thread<ScanQuestion | ScanSupply, ScanMessage>;
  try {
    worker = nodeThread(module, "depthloom scan");
  } catch {
    return { made: Promise.resolve(undefined), end() {} };
  }
  /** What the source threw, and what the frames of a stream wait for, by number. */
  const thrown = new Map<number, unknown>();
  const waiting = new Map<number, () => void>();
  let following: Subscription | undefined;
  let frames = 0;
  const supply = (answer: Omit<ScanSupply, "warnings">) =>
    worker.post({ ...answer, warnings: [...warningsOf(source)] });
  const send = (id: number, frame: DepthFrame, waits = false) => {
    checkFrame(frame);
    supply({ id, frame: plainOf(frame), waits });
  };
  const fail = (id: number, error: unknown) => {
    thrown.set(id, error);
    supply({ id, failure: failureOf(error) });
  };
  const follow = () => {
    following = source.frames$.subscribe({
      next(frame) {
        // As a frame that is missing.
        if (frame.fault) return;
        const id = frames++;
        try {
          send(id, frame, frame.waitUntil !== undefined);
          const taken = new Promise<void>((resolve) => waiting.set(id, resolve));
          frame.waitUntil?.(taken.finally(() => waiting.delete(id)));
        } catch (error) {
          following?.unsubscribe();
          fail(id, error);
        }
      },
      error: (error) => fail(frames++, error),
      complete: () => supply({ id: frames++ }),
    });
  };
  const received = (error: SentError) => (typeof error === "number" ? thrown.get(error) : errorOf(error, source.name));
  const made = new Promise<Scan | undefined>((resolve, reject) => {
    const hear = (message: ScanMessage) => {
      if (message.says === "read")
        Promise.resolve((source as Recording).read(message.index))
          .then((frame) => send(message.id, frame))
          .catch((error) => fail(message.id, error));
      else if (message.says === "follow") follow();
      else if (message.says === "took") waiting.get(message.id)?.();
      else if (message.says === "warn") warn(message.line);
      else if (message.says === "progress") progress(message.done, message.of);
      else if (message.says === "failed") reject(received(message.error));
      else resolve({ ...message.scan, error: message.error === undefined ? undefined : received(message.error) });
    };
    worker.listen(hear, (why) => (why instanceof NoThread ? resolve(undefined) : reject(why)));
  });
  const { name, format, fps, facts } = source as Partial<RecordedSource> & Source;
  const recorded = isRecording(source) ? { length: source.length, ahead: source.ahead } : {};
  worker.post({ name, format, fps, facts, ...recorded, numbers });
  return {
    made,
    end() {
      following?.unsubscribe();
      for (const go of waiting.values()) go();
      void worker.end();
    },
  };
}
