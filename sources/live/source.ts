import type { OfferedTopic } from "../../core/severalTopics.ts";
import { type Disposable, hasProperty, type Source } from "../../core/source.ts";
import type { Fact } from "../format/format.ts";
import type { Controls } from "./driver.ts";
import type { LiveReport } from "./report.ts";

/** A camera at the other end of a connection. It cannot wait, so use it with `process("latest")`. */
export interface LiveSource extends Source, Disposable {
  /** The name of what is streamed, such as a camera's, where the server tells one; `name` is the address. */
  readonly title?: string | undefined;
  /** The stream's properties and their origins, for people to read. */
  readonly facts: readonly Fact[];
  /** The depth topics that the server offers now, where its protocol has topics. */
  readonly topics?: readonly OfferedTopic[] | undefined;
  /** The depth topic that is taken. */
  readonly topic?: string | undefined;
  /** The camera's own settings, such as the power of its laser, where they can be changed from here. */
  readonly controls?: Controls | undefined;
  /** Changes one of `controls`, which tell what came of it. */
  set?(control: string, value: number): void;
  /** Whether the source can give infrared images. */
  readonly infrared?: boolean | undefined;
  /**
   * Asks for an infrared image in each frame, or for none any more. They cost 1 or 2 bytes a pixel on the way. A camera is opened again for
   * them, which takes about a second.
   */
  wantInfrared?(on: boolean): void;
  /** The connection's present state and counts; each call of the getter makes a new report. */
  readonly report: LiveReport;
}

/** A live source before `disposable`. */
export type OpenedLive = Omit<LiveSource, keyof Disposable>;

/** Gives `source` properties of `now()`, each read anew when it is asked for: a connection's state changes. */
export function following<S extends object, N, K extends keyof N>(source: S, now: () => N, ...names: readonly K[]) {
  for (const name of names) Object.defineProperty(source, name, { enumerable: true, get: () => now()[name] });
  return source as S & Pick<N, K>;
}

/** Whether a source is a live stream. */
export const isLive = (source: Source): source is LiveSource => hasProperty(source, "report");
