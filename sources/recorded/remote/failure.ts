import { messageOf } from "../../../core/caught.ts";
import { SeveralTopicsError } from "../../../core/severalTopics.ts";
import { SourceError } from "../../../core/source.ts";
import type { Failure } from "./messages.ts";

/** An error in a form that can be sent between threads. */
export const failureOf = (error: unknown): Failure => ({
  message: messageOf(error),
  forUser: error instanceof SourceError,
  ...(error instanceof SourceError && error.option !== undefined && { option: error.option }),
  ...(error instanceof SeveralTopicsError && { topics: error.topics }),
  ...(error instanceof Error && "code" in error && { code: String(error.code) }),
});

/** The error that was sent, of the same class. */
export function errorOf({ message, forUser, option, topics, code }: Failure, name: string): Error {
  if (topics) return new SeveralTopicsError(name, topics);
  if (forUser) return new SourceError(message, [], option);
  return Object.assign(new Error(message), code !== undefined && { code });
}
