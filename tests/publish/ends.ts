import { onTestFinished } from "vitest";
import { createPipeline } from "../../pipeline/index.ts";
import { framesOf } from "../../sources/index.ts";
import { median } from "../../stages/index.ts";
import { Bridge, type Heard } from "./bridge.ts";
import { depthOf, TOPICS } from "./camera.ts";

// What tests of both ends need: a bridge that ends with its test, and what should come out of it.

export async function bridgeFor(...options: Parameters<typeof Bridge.open>[1][]): Promise<Bridge> {
  const bridge = await Bridge.open(TOPICS, options[0]);
  onTestFinished(() => bridge.kill());
  return bridge;
}

/** The depth that the median leaves, by the pipeline itself. */
export async function filteredDepth(count: number): Promise<Uint16Array[]> {
  const pipeline = await createPipeline({ stages: [median()], backend: "cpu" });
  onTestFinished(() => pipeline.destroy());
  const out: Uint16Array[] = [];
  const read = async (index: number) => depthOf(index);
  await new Promise<void>((resolve, reject) =>
    framesOf({ length: count, read })
      .pipe(pipeline.process("lossless"))
      .subscribe({
        next: (frame) =>
          frame.waitUntil(
            frame.readDepth().then(({ data }) => {
              const scale = frame.shape.metresPerUnit / 0.001;
              out.push(Uint16Array.from(data, (value) => Math.round(value * scale)));
            }),
          ),
        error: reject,
        complete: resolve,
      }),
  );
  return out;
}

export const of = (heard: readonly Heard[], name: string) => heard.filter(({ topic }) => topic.endsWith(name));
export const u16 = ({ message: { data } }: Heard) => new Uint16Array(data.slice().buffer);
