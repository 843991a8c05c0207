import { explained } from "../../../core/caught.ts";
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
}

/** The functions of a table of prototypes, by the table's names. */
export type Calls<Prototypes> = { readonly [Name in keyof Prototypes]: NativeFunction };

/** Binds a table of functions. Throws a `SourceError` where the library lacks one of them. */
export const bindAll = <P extends Readonly<Record<string, string>>>({ func }: Loaded, prototypes: P): Calls<P> =>
  Object.fromEntries(Object.entries(prototypes).map(([name, prototype]) => [name, func(prototype)])) as Calls<P>;

/** Finds and loads a vendor's library. Throws a `SourceError` that says how to install it, or why it does not load. */
export function loadVendor(ffi: Ffi, place: SearchPlace, vendor: Vendor): Loaded {
  const { driver, title, stem, folder } = vendor;
  const install = installText(vendor, place.platform);
  const path = findLibrary(place, stem, folder);
  if (path === undefined) throw new SourceError(`camera:${driver}: ${title} is not installed; ${install}`);
  const library = explained(
    () => ffi.load(path),
    (why) => new SourceError(`camera:${driver}: ${path} does not load (${why}); ${install}`),
  );
  const bound = new Map<string, NativeFunction>();
  const func = (prototype: string) => {
    const known = bound.get(prototype);
    if (known) return known;
    const found = explained(
      () => library.func(prototype),
      () =>
        new SourceError(
          `camera:${driver}: ${path} is too old: it has no function ${nameIn(prototype)}; ${install}, in a newer version`,
        ),
    );
    bound.set(prototype, found);
    return found;
  };
  return { path, func };
}

const nameIn = (prototype: string) => /(\w+)\s*\(/.exec(prototype)?.[1] ?? prototype;
