import { type Html, html } from "../../viewer/report/html.ts";
import { figure } from "../dof/sheet.ts";
import type { Shown } from "./measure.ts";
import { clay, offBy, strip } from "./pictures.ts";
import type { DataSet } from "./sets.ts";

/** A frame, and each filter's result for it. */
type Pictured = { readonly frame: Pick<Shown["frame"], "raw" | "truth">; readonly outs: Shown["outs"] };

/**
 * Shows each filter's result for the last frame, lit, and its error against the truth or, if that is unknown, against the mean over time.
 */
export function figuresOf({ intrinsics }: Pick<DataSet, "intrinsics">, { frame, outs }: Pictured): Html {
  const truth = frame.truth;
  const sigma = [...frame.raw.mm].flatMap((z, i) =>
    truth && z > 0 && truth.mm[i] > 0 ? [Math.abs(z - truth.mm[i])] : [],
  );
  const most = Math.max(5, 4 * (sigma.sort((a, b) => a - b)[sigma.length >> 1] ?? 0));
  const lit = truth ? [figure("truth", clay(truth, intrinsics, frame.raw))] : [];
  const each = [...outs].map(([name, out]) => {
    const error = truth ? [figure(`${name}: off by, to ±${most.toFixed(0)} mm`, offBy(out, truth, most))] : [];
    return [figure(name, clay(out, intrinsics, frame.raw)), ...error];
  });
  return html`${lit}${each}`;
}

/** The pictures of `--pictures`: the last frame as recorded, as OpenCV's filter leaves it and as ours does, lit. */
export const stripOf = ({ intrinsics }: Pick<DataSet, "intrinsics">, { frame, outs }: Pictured): Uint8Array =>
  strip(["raw", "OpenCV bilateral", "ours"].map((name) => clay(outs.get(name) ?? frame.raw, intrinsics, frame.raw)));
