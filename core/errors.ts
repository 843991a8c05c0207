const PREFIX = "DEPTHLOOM_";

/**
 * The base class of all errors that Depthloom throws on purpose, with a message for people. `error instanceof DepthloomError` holds for
 * each of them, across workers and copies of the library, too; `code` tells them apart. No error has this class itself.
 */
export abstract class DepthloomError extends Error {
  /** "DEPTHLOOM_SOURCE" and so on: the class's name in capitals. */
  abstract readonly code: string;

  // The classes extend Error alone, since shaders import nothing of this folder.
  /** Whether a value is an error of this library, whichever of its modules made it. */
  static override [Symbol.hasInstance](value: unknown): value is DepthloomError {
    return value instanceof Error && "code" in value && String(value.code).startsWith(PREFIX);
  }
}
