import { SourceError } from "../../../core/source.ts";
import type { DriverName } from "../../live/driver.ts";
import type { Ffi, NativeFunction } from "./ffi.ts";
import { findLibrary, type SearchPlace } from "./find.ts";

/** How to get a vendor's library, by system. */
export interface Vendor {
  readonly driver: DriverName;
  /** The library's name for people. */
  readonly title: string;
  /** The stem of the library's file. */
  readonly stem: string;
  /** The folder below the system's own in which the library is looked for. */
  readonly folder?: string;
  readonly install: Readonly<Record<"linux" | "darwin" | "win32", string>>;
}

/** How to install a vendor's library on a system. */
const installText = ({ install }: Vendor, platform: string): string =>
  platform === "darwin" || platform === "win32" ? install[platform] : install.linux;

/** A vendor's library whose functions are bound when they are first asked for. */
export interface Loaded {
  readonly path: string;
  /** Throws a `SourceError` if the library has no such function: then it is too old. */
  func(prototype: string): NativeFunction;
  /** Whether the library has a function that older versions lack. */
  has(prototype: string): boolean;
}

/** Finds and loads a vendor's library. Throws a `SourceError` that says how to install it, or why it does not load. */
export function loadVendor(ffi: Ffi, place: SearchPlace, vendor: Vendor): Loaded {
  const { driver, title, stem, folder } = vendor;
  const install = installText(vendor, place.platform);
  const path = findLibrary(place, stem, folder);
  if (path === undefined) throw new SourceError(`camera:${driver}: ${title} is not installed; ${install}`);
  const library = attempt(
    () => ffi.load(path),
    (why) => `camera:${driver}: ${path} does not load (${why}); ${install}`,
  );
  const bound = new Map<string, NativeFunction>();
  const func = (prototype: string) => {
    const known = bound.get(prototype);
    if (known) return known;
    const found = attempt(
      () => library.func(prototype),
      () =>
        `camera:${driver}: ${path} is too old: it has no function ${nameIn(prototype)}; ${install}, in a newer version`,
    );
    bound.set(prototype, found);
    return found;
  };
  const has = (prototype: string) => {
    try {
      func(prototype);
      return true;
    } catch {
      return false;
    }
  };
  return { path, func, has };
}

const nameIn = (prototype: string) => /(\w+)\s*\(/.exec(prototype)?.[1] ?? prototype;

function attempt<T>(work: () => T, said: (why: string) => string): T {
  try {
    return work();
  } catch (error) {
    throw new SourceError(said(error instanceof Error ? error.message : String(error)));
  }
}
