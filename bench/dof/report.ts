import type { Adapter, Machine } from "../types.ts";
import type { Unrest } from "./metrics/unrest.ts";
import type { OrbitRow } from "./orbit.ts";
import type { Quality, Similarity } from "./quality.ts";
import { lineOf, type SpeedRow } from "./speed.ts";

/** The results of one view. `psnr`, `ssim` and `flip` compare the stage's picture with the single layer's. */
export interface SceneReport extends Quality {
  readonly name: string;
  readonly focusM: number;
  readonly fNumber: number;
  /** In px. */
  readonly largestRadiusPx: number;
  /** Rays per pixel of the truth and of the single layer. */
  readonly rays: number;
  /** The stage's picture against the real lens's. */
  readonly truth: Quality;
  /** The single layer against the real lens: the error that no method can avoid that starts from this picture. */
  readonly singleLayer: Quality;
  /** Half of the truth's rays against all of them: the truth's own error. */
  readonly errorBar: Similarity;
  /** The kernels' picture against the twins'; null where only twins ran. */
  readonly kernels: { readonly largestStep: number; readonly sharePast2: number } | null;
  /** The peer's picture against the single layer's, and against the real lens's; for each, the best over its settings. */
  readonly peer: (Similarity & { readonly name: string; readonly truth: Similarity }) | null;
}

/** The document of `bench dof --json`. */
export interface DofReport {
  readonly machine: Machine;
  readonly adapter: Adapter | null;
  readonly width: number;
  readonly height: number;
  readonly mean: Quality;
  readonly worst: Quality;
  readonly scenes: readonly SceneReport[];
  /** How steady the picture is while the camera moves. */
  readonly orbit: readonly OrbitRow[];
  /** Times compared with the peer's; none without a GPU. */
  readonly speed: readonly SpeedRow[];
}

export function summaryOf(scenes: readonly Quality[]): { readonly mean: Quality; readonly worst: Quality } {
  const over = (f: (values: readonly number[]) => number, digits: number, key: keyof Quality) =>
    Number(f(scenes.map((scene) => scene[key])).toFixed(digits));
  const mean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
  const least = (values: readonly number[]) => Math.min(...values);
  const most = (values: readonly number[]) => Math.max(...values);
  return {
    mean: { psnr: over(mean, 2, "psnr"), ssim: over(mean, 4, "ssim"), flip: over(mean, 4, "flip") },
    worst: { psnr: over(least, 2, "psnr"), ssim: over(least, 4, "ssim"), flip: over(most, 4, "flip") },
  };
}

/** The report as aligned text. */
export function tableOf({ scenes, mean, worst, orbit, speed }: DofReport): string {
  const dB = (x: number) => x.toFixed(1);
  const share = (x: number) => x.toFixed(3);
  const head = [
    "",
    "r px",
    "PSNR",
    "SSIM",
    "FLIP",
    "peer",
    "",
    "PSNR",
    "SSIM",
    "peer",
    "",
    "layer",
    "",
    "half",
    "kernels",
  ];
  const rows = scenes.map((scene) => {
    const { name, largestRadiusPx, truth, singleLayer, errorBar, peer, kernels } = scene;
    return [
      ...[name, dB(largestRadiusPx), dB(scene.psnr), share(scene.ssim), share(scene.flip)],
      ...(peer ? [dB(peer.psnr), share(peer.ssim)] : ["", ""]),
      ...[dB(truth.psnr), share(truth.ssim)],
      ...(peer ? [dB(peer.truth.psnr), share(peer.truth.ssim)] : ["", ""]),
      ...[dB(singleLayer.psnr), share(singleLayer.ssim), dB(errorBar.psnr)],
      kernels ? `${kernels.largestStep}, ${(kernels.sharePast2 * 100).toFixed(2)}%` : "",
    ];
  });
  const changes = ({ mean, p99 }: Unrest) => [mean.toFixed(2), dB(p99)];
  const total = (name: string, { psnr, ssim, flip }: Quality) => [name, "", dB(psnr), share(ssim), share(flip)];
  const lines = columns([head, ...rows, total("mean", mean), total("worst", worst)]);
  return [
    "Against the single layer: ours, the peer. Against the lens: ours, the peer, the single layer, half of the rays.",
    "kernels: the largest step of 255 from the twins' picture, and the share of pixels past two.",
    ...lines,
    "Round a still frame, 0.25° a step, pinhole: |second difference| of luma, mean and p99, ours and the truth's; PSNR against it.",
    ...columns(orbit.map((row) => [row.name, ...changes(row), ...changes(row.truth), dB(row.psnr)])),
    ...(speed.length > 0 ? ["To 1280×720, ours and the peer's render passes, by turns:", ...speed.map(lineOf)] : []),
  ].join("\n");
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? "").length)));
  const cell = (text: string, i: number) => (i === 0 ? text.padEnd(widths[i]) : text.padStart(widths[i]));
  return rows.map((row) => row.map(cell).join("  ").trimEnd());
}
