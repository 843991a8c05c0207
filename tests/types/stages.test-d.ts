import type { StageFactory } from "../../stages/core/define.ts";
import type { Changes } from "../../stages/core/parameters.ts";
import type { Stage } from "../../stages/core/stage.ts";
import type * as library from "../../stages/index.ts";
import { dofSplat, median, undistort } from "../../stages/index.ts";

// The compiler is the test runner here: `tsc` fails where a line below `@ts-expect-error` compiles, and where another does not.

/** Exactly the same type, which `extends` alone does not tell. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(..._: T[]) => {};

/** A type that allows more than a schema declares: `any`, `unknown`, every text. */
type Loose<T> = 0 extends 1 & T ? true : unknown extends T ? true : string extends T ? true : false;

/** Whether a factory takes exactly the parameters of its schema: no other names, and no values of other types. */
type Exact<F> =
  F extends StageFactory<infer P>
    ? true extends { [K in keyof P]: Loose<P[K]> }[keyof P] | Loose<keyof P>
      ? false
      : Same<Parameters<F>[0], Changes<P> | undefined>
    : true;

/** Every factory that the library exports takes exactly the parameters of its schema. */
export const exact = () => holds<Exact<(typeof library)[keyof typeof library]>>();

/** What TypeScript takes, then a name and a type that it refuses, in the list of parameters, in `set` and in `reset`. */
export function refused() {
  const stage = median({ size: 3 });
  stage.set({ size: 5 });
  // @ts-expect-error
  median({ sizes: 3 });
  // @ts-expect-error
  stage.set({ sizes: 3 });
  // @ts-expect-error
  stage.set({ size: 4 });
  // @ts-expect-error
  stage.set({ size: "huge" });
  // @ts-expect-error
  stage.reset("default", "sizes");
  const bare = undistort({});
  bare.set({});
  // @ts-expect-error
  undistort({ lens: 1 });
  // @ts-expect-error
  bare.reset("default", "lens");
}

/** What an editor shows: plain objects with the values themselves. */
export function shown() {
  const stage = median();
  holds<Same<Parameters<typeof median>[0], { size?: 3 | 5 } | undefined>>();
  holds<Same<Parameters<typeof stage.set>[0], { size?: 3 | 5 }>>();
  holds<Same<typeof stage.parameters, { readonly size: 3 | 5 }>>();
  holds<Same<(typeof stage)["schema"]["size"]["initial"], 3 | 5>>();
  const size: 3 | 5 = stage.defaultOf("size", "strong");
  // @ts-expect-error
  stage.parameters.size = size;
  // @ts-expect-error
  stage.reset("quiet");
}

/** A list holds stages of any kind; what is set by name there is checked when it runs. */
export function anyStage() {
  const list: Stage[] = [median(), undistort(), dofSplat()];
  for (const stage of list) stage.set({ size: 3 });
}
