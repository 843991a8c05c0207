import { frameOf, type PlainFrame } from "../../../../core/plainFrame.ts";
import { Rpc } from "../../../../core/rpc.ts";
import { framesOf } from "../../../../core/streams.ts";
import { type Turned, turntableOf } from "../../../../scan/turntable/turntable.ts";
import type { DepthFrame, Recording } from "../../../../sources/index.ts";
import { textOf } from "../../state/messageText.ts";

/** The page asks first how the thing turns in frames `first` to `last` of a recording, and then what of each frame belongs to the thing. */
export type TurningQuestion =
  | { readonly name: string; readonly first: number; readonly last: number; readonly farM: number | undefined }
  | { readonly frame: PlainFrame };

/** How the thing turned, and how far away the thing is, at most, m. */
export interface Turning {
  readonly turned: Turned;
  readonly reachM: number;
}
/** The depth of the thing alone, and the pose of a camera that goes around the thing. */
export type Cut = Pick<PlainFrame, "depth" | "pose">;

/** What the worker says. The page answers to "read" with a `TurningSupply`. */
export type TurningMessage =
  | { readonly says: "read"; readonly id: number; readonly index: number }
  | { readonly says: "looked"; readonly done: number; readonly of: number }
  | { readonly says: "answered"; readonly id: number; readonly answer: Turning | Cut }
  | { readonly says: "failed"; readonly id: number; readonly text: string };

/** The frame that was asked for by `supplies`, or none where the frame cannot be read. */
export interface TurningSupply {
  readonly supplies: number;
  readonly frame: PlainFrame | undefined;
}

type Asked = TurningQuestion & { readonly id: number };

const say = (message: TurningMessage) => self.postMessage(message);
const rpc = new Rpc<{ readonly index: number }, DepthFrame>(({ id, index }) => say({ says: "read", id, index }));
/** The frame that the page has sent to be cut, and the recording of the thing alone. */
let given: DepthFrame | undefined;
let thing: Recording | undefined;

self.addEventListener("message", ({ data }: MessageEvent<TurningSupply | Asked>) => {
  if ("supplies" in data) rpc.answer(data.supplies, data.frame ? frameOf(data.frame) : new Error("not readable"));
  else
    answered(data)
      .then((answer) => say({ says: "answered", id: data.id, answer }))
      .catch((error) => say({ says: "failed", id: data.id, text: textOf(error) }));
});

async function answered(question: TurningQuestion): Promise<Turning | Cut> {
  if ("frame" in question) {
    given = frameOf(question.frame);
    const { depth, pose } = (await thing?.read(given.index)) ?? given;
    return { depth: depth.data, pose };
  }
  const { name, first, last, farM } = question;
  const length = last + 1;
  const read = async (index: number) => given ?? rpc.ask({ index });
  const frames$ = framesOf({ length, read });
  const whole = { name, format: "", fps: 30, length, warnings: [], frames$, read, async close() {} };
  const progress = (done: number, of: number) => say({ says: "looked", done: done + 1, of });
  const request = { start: first, frames: undefined, farM };
  const { recording, turned, reachM } = await turntableOf(whole, request, {
    progress,
    stop: new AbortController().signal,
  });
  thing = recording;
  return { turned, reachM };
}
