import type { Pipeline } from "../../../pipeline/index.ts";
import { element } from "../../dom/controls.ts";
import { titleOf } from "../../overlay/titles.ts";

/** Makes the panel's part for the device, which says whether the kernels were tuned on it. */
export function devicePanelFor(pipeline: Pipeline): HTMLElement {
  const note = element("p", "note", {}, tuningOf(pipeline));
  return element("section", "device", {}, element("h2", "", {}, "This device"), note);
}

/** When the kernels were tuned on this device, and which stages gained by it. */
function tuningOf({ profiles, stages }: Pipeline): string {
  const known = stages.flatMap(({ name }) => {
    const entry = profiles.get(name);
    return entry ? [{ name, ...entry }] : [];
  });
  const [first] = known;
  if (!first) return "Not tuned: the shaders are the usual ones for a device of this kind.";
  const gains = known.filter(({ medianUs, defaultUs }) => medianUs < defaultUs);
  const faster = gains.map((gain) => `${titleOf(stages, gain.name)} ${gainOf(gain.medianUs, gain.defaultUs)}`);
  const day = new Date(first.date).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  return `Tuned on ${day}: ${faster.length > 0 ? faster.join(", ") : "the defaults are the fastest here"}.`;
}

/** Example: "12 % faster". */
function gainOf(us: number, defaultUs: number): string {
  const gain = (defaultUs / us - 1) * 100;
  return `${gain < 1 ? gain.toFixed(1) : gain.toFixed(0)} % faster`;
}
