import type * as Reading from "./messages.ts";

/** A worker that reads one recording, or receives one stream: a page's `Worker`, or a thread of Node. */
export interface Thread<Request = Reading.Request, Message = Reading.Message> {
  post(request: Request): void;
  /** `heard` gets the worker's messages; `died` gets the reason why the worker stopped, unless `end` was called. */
  listen(heard: (message: Message) => void, died: (error: Error) => void): void;
  /** Keeps the process alive while `waiting` is true, and no longer. */
  hold(waiting: boolean): void;
  /** Stops the worker, whatever it is doing. */
  end(): Promise<void>;
  /** The bytes of memory that the process uses, where the platform tells. */
  memory?(): number;
}

/** Thrown where the worker's module could not be started. */
export class NoThread extends Error {
  override readonly name = "NoThread";
}

/** Thrown where the worker's JavaScript heap is full. */
export class HeapFull extends Error {
  override readonly name = "HeapFull";
}
