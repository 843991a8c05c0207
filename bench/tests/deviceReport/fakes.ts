import { html } from "../../../core/html.ts";
import type { Gpu } from "../../../pipeline/device/gpu.ts";
import type { Found, Study } from "../../study.ts";

interface Labels extends Found {
  readonly labels: readonly string[];
}

/** A study whose numbered parts measure their own labels; `each` is called by every part. */
export const fakeStudy = (
  count: number,
  each: (part: number) => void | Promise<void> = () => {},
  changes: Partial<Study<Labels>> = {},
): Study<Labels> => ({
  name: "a",
  title: "Study a",
  question: "What of a?",
  unit: "trifles",
  parts: () =>
    Array.from({ length: count }, (_, i) => ({
      label: `a ${i}`,
      async measure(log) {
        await each(i);
        log(`measured a ${i}`);
        return { labels: [`a ${i}`], rows: [], notes: [] };
      },
    })),
  figures: ({ labels }) => ({ "a is <simple>": `${labels.length} parts` }),
  sections: ({ labels }) => [html`<section><h2>${labels.join()}</h2></section>`],
  ...changes,
});

/** A device with nothing except loss and errors: `lose` loses it, `complain` raises an error. */
export function fakeGpu() {
  let lose = (_: string) => {};
  const events = new EventTarget();
  const lost = new Promise<GPUDeviceLostInfo>((resolve) => {
    lose = (message) => resolve({ message, reason: "unknown" } as GPUDeviceLostInfo);
  });
  const device = Object.assign(events, { lost });
  return {
    gpu: { device, software: true, timestamps: true, clockResolutionUs: 1 } as unknown as Gpu,
    lose: (why: string) => lose(why),
    complain: (message: string) =>
      events.dispatchEvent(Object.assign(new Event("uncapturederror"), { error: { message } })),
  };
}
