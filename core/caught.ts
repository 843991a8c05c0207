import { SourceError } from "./source.ts";

type Kind<E> = abstract new (...given: never[]) => E;

/** The text of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Makes a handler for `catch` that answers errors of one class and throws all others again. */
export const caught =
  <E, T>(kind: Kind<E>, answer: (error: E) => T) =>
  (error: unknown): T => {
    if (error instanceof kind) return answer(error);
    throw error;
  };

/** Makes a handler for `catch` that replaces errors of one class by the error that `tell` makes of them, and rethrows all other errors. */
export const retold = <E>(kind: Kind<E>, tell: (error: E) => Error) =>
  caught(kind, (error: E): never => {
    throw tell(error);
  });

/** Runs `work`. If `work` throws anything but a `SourceError`, throws the error that `tell` makes of the message. */
export function explained<T>(work: () => T, tell: (message: string) => Error): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof SourceError ? error : tell(messageOf(error));
  }
}
