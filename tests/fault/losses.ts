import { createHash } from "node:crypto";
import { interval, lastValueFrom, map, type Observable, take, tap } from "rxjs";
import type { DepthFrame } from "../../core/frame.ts";
import type { Pipeline, Policy, ProcessedFrame } from "../../pipeline/index.ts";
import { adder, flatFrame } from "../pipeline/fakes.ts";
import type { Random } from "./mutate.ts";

/** A camera, whose frames do not wait for a consumer. */
export const cameraOf = (length: number): Observable<DepthFrame> =>
  interval(2).pipe(
    take(length),
    map((index) => flatFrame(index)),
  );

/** The outcome of a stream. */
export interface Seen {
  readonly indices: number[];
  /** Hashes of the frames' depth, as it was read. */
  readonly hashes: string[];
  error: unknown;
}

/** The moments at which a device can be lost. */
export const MOMENTS = ["building", "before a frame", "handed out", "reading", "soon", "while nothing runs"] as const;
export type FrameContext = (typeof MOMENTS)[number];

/** Loses the device of `pipeline`, which is set later, at the moments given to `lose`. */
export class Injector {
  pipeline: Pipeline | undefined;
  readonly notices: string[] = [];
  losses = 0;
  /** Whether each device is lost as soon as anything is built on it. */
  always = false;
  #pending: FrameContext | undefined;

  /** Two stages, of which the second can lose the device while it is being built. */
  readonly stages = () => {
    const stage = adder("ten", 10)();
    const build = stage.build.bind(stage);
    const losing: typeof stage.build = (options) => {
      const building = build(options);
      if (this.always) this.#pending = "building";
      this.#at("building");
      return building;
    };
    return [adder("one")(), Object.assign(Object.create(stage) as typeof stage, { build: losing })];
  };

  /** Loses the device at the next such moment. */
  lose(context: FrameContext): void {
    this.#pending = context;
    // A stage that is built is built again only for a changed parameter.
    if (context === "building")
      this.pipeline?.stages[1]?.set({ addend: this.pipeline.stages[1].parameters.addend === 10 ? 11 : 10 });
  }

  #at(context: FrameContext): void {
    if (this.#pending !== context) return;
    this.#pending = undefined;
    this.losses++;
    this.pipeline?.gpu?.device.destroy();
  }

  before = (): void => this.#at("before a frame");

  /** Reads a frame as a consumer does. */
  async read(frame: ProcessedFrame, seen: Seen): Promise<void> {
    this.#at("handed out");
    const place = seen.indices.push(frame.index) - 1;
    const reading = frame.readDepth();
    this.#at("reading");
    if (this.#pending === "soon") setTimeout(() => this.#at("soon"));
    const { data } = await reading;
    seen.hashes[place] = createHash("sha1").update(data).digest("hex");
    this.#at("while nothing runs");
  }
}

/** Takes a stream through a pipeline and reads each frame; `each` is called with every one that came out. */
export async function runReading(
  injector: Injector,
  frames$: Observable<DepthFrame>,
  policy: Policy,
  each: (index: number) => void = () => {},
): Promise<Seen> {
  const { pipeline } = injector;
  if (!pipeline) throw new Error("there is no pipeline yet");
  const seen: Seen = { indices: [], hashes: [], error: undefined };
  const reads: Promise<void>[] = [];
  const way$ = frames$.pipe(
    pipeline.process(policy, { before: injector.before }),
    tap((frame) => {
      each(frame.index);
      const work = injector.read(frame, seen);
      frame.waitUntil(work);
      reads.push(work);
    }),
  );
  seen.error = await lastValueFrom(way$).then(
    () => undefined,
    (error: unknown) => error,
  );
  await Promise.allSettled(reads);
  return seen;
}

/**
 * Loses the device at about one frame in `every`, at a random moment other than "building", since "building" changes the stages'
 * parameters.
 */
export function lossesBy(random: Random, injector: Injector, every: number): (index: number) => void {
  const moments = MOMENTS.filter((context) => context !== "building");
  return () => {
    if (random(every) === 0) injector.lose(moments[random(moments.length)] ?? "soon");
  };
}
