import { SourceError } from "./source.ts";

type Kind<E> = abstract new (...given: never[]) => E;

/** The text of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Makes a handler of rejections that answers those of one kind, and passes all others on. */
export const caught =
  <E, T>(kind: Kind<E>, answer: (error: E) => T) =>
  (error: unknown): T => {
    if (error instanceof kind) return answer(error);
    throw error;
  };

/** Makes a handler of rejections that throws the error that `tell` makes of those of one kind, and passes all others on. */
export const retold = <E>(kind: Kind<E>, tell: (error: E) => Error) =>
  caught(kind, (error: E): never => {
    throw tell(error);
  });

/** Runs `work`. Where it throws anything but a `SourceError`, throws the error that `tell` makes of its message. */
export function explained<T>(work: () => T, tell: (message: string) => Error): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof SourceError ? error : tell(messageOf(error));
  }
}
