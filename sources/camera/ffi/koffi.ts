import { SourceError } from "../../../core/source.ts";
import type { Argument, Ffi } from "./ffi.ts";

/** The boundary to C by the package koffi. Rejects with a `SourceError` where that is not installed. */
export async function koffiFfi(): Promise<Ffi> {
  const { default: koffi } = await import("koffi").catch((error: NodeJS.ErrnoException) => {
    const missing = error.code === "ERR_MODULE_NOT_FOUND";
    const why = missing ? "which is not installed" : `which does not load here (${error.message})`;
    throw new SourceError(`cameras are read through the package koffi, ${why}: npm install koffi@3`);
  });
  const declared = new Set<string>();
  let prototypes = 0;
  return {
    load(path) {
      const library = koffi.load(path);
      return {
        func(prototype) {
          const run = library.func(prototype);
          const later = (...args: readonly Argument[]) =>
            new Promise<unknown>((resolve, reject) => {
              run.async(...args, (error: unknown, result: unknown) => (error ? reject(error) : resolve(result)));
            });
          return Object.assign((...args: readonly Argument[]): unknown => run(...args), { async: later });
        },
      };
    },
    struct(name, fields) {
      if (declared.has(name)) return;
      declared.add(name);
      koffi.struct(name, { ...fields });
    },
    callback(prototype, run) {
      // A prototype's name may be declared once only.
      const named = prototype.replace(/\*?\w+\s*\(/, (name) => name.replace(/\s*\($/, `_${++prototypes}(`));
      const address = koffi.register(run, koffi.pointer(koffi.proto(named)));
      return { address, release: () => koffi.unregister(address) };
    },
    view: (address, bytes) => new Uint8Array(koffi.view(address, bytes)),
    errno: () => koffi.errno(),
  };
}
