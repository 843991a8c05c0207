import { image } from "../../../../core/array.ts";
import type { DepthFrame } from "../../../../core/frame.ts";
import { depthOf } from "../../../../core/plainFrame.ts";
import { Rpc } from "../../../../core/rpc.ts";
import type { Recording } from "../../../../sources/index.ts";
import type { PaneParts } from "../pane.ts";
import type { Cut, Turning, TurningMessage, TurningQuestion, TurningSupply } from "./turningWorker.ts";

/** A search for how a thing turns, in a worker that `end` ends. */
export interface Search {
  /** Rejects with the reason where it does not show how the thing turns; stays pending after `end`. */
  readonly found: Promise<Turning>;
  /** Is told how far the search is. */
  onSay(says: string): void;
  /** Once it is found: the frame with the thing alone, seen by a camera that goes around the thing. */
  cut(frame: DepthFrame): Promise<DepthFrame>;
  end(): void;
}

/** Finds how a thing turns in a part of a recording, before a camera that stands, with depth up to `farM`. */
export function searchTurning(
  recording: Recording,
  [first, last]: readonly [number, number],
  farM: number | undefined,
): Search {
  const worker = new Worker(new URL("./turningWorker.ts", import.meta.url), { type: "module", name: "turntable" });
  const rpc = new Rpc<TurningQuestion, Turning | Cut>((question) => worker.postMessage(question));
  worker.onmessage = async ({ data }: MessageEvent<TurningMessage>) => {
    const reads = (done: number, of: number) => (done < of ? `${done} of ${of} frames read` : "compares the frames");
    if (data.says === "looked") search.onSay(`Finds how the thing turns: ${reads(data.done, data.of)}`);
    else if (data.says === "answered") rpc.answer(data.id, data.answer);
    else if (data.says === "failed") rpc.answer(data.id, new Error(data.text));
    else {
      const frame = await recording.read(data.index).then(depthOf, () => undefined);
      worker.postMessage({ supplies: data.id, frame } satisfies TurningSupply);
    }
  };
  worker.onerror = () => rpc.end(new Error("the turntable’s worker does not start"));
  const search: Search = {
    onSay() {},
    found: rpc.ask({ name: recording.name, first, last, farM }) as Promise<Turning>,
    async cut(frame) {
      const { depth, pose } = (await rpc.ask({ frame: depthOf(frame) })) as Cut;
      return { ...frame, depth: image(depth, [...frame.depth.shape]), pose };
    },
    end: () => worker.terminate(),
  };
  return search;
}

/** How far depth counts by the filter that cuts what is far, m; `undefined` while that filter is off. */
export function farOf(pipeline: PaneParts<never>["pipeline"]): number | undefined {
  const cuts = pipeline.stages.find(({ kind, name }) => kind === "threshold" && pipeline.isEnabled(name));
  return cuts && Number(cuts.parameters.maxM);
}
