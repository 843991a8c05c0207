import { type Section, tableOf, textOfSection } from "../report/page.ts";
import type { Adapter, Machine } from "../types.ts";
import type { Similarity } from "./quality.ts";

/** The results of one view. `psnr` and `ssim` compare the stage's picture with the single layer's. */
export interface SceneReport extends Similarity {
  readonly name: string;
  readonly focusM: number;
  readonly fNumber: number;
  /** In px. */
  readonly largestRadiusPx: number;
  /** Rays per pixel of the truth and of the single layer. */
  readonly rays: number;
  /** The stage's picture against the real lens's. */
  readonly truth: Similarity;
  /** The single layer against the real lens: the error that no method can avoid that starts from this picture. */
  readonly singleLayer: Similarity;
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
  readonly mean: Similarity;
  readonly worst: Similarity;
  readonly scenes: readonly SceneReport[];
}

export function summaryOf(scenes: readonly Similarity[]): { readonly mean: Similarity; readonly worst: Similarity } {
  const over = (f: (values: readonly number[]) => number, digits: number, key: keyof Similarity) =>
    Number(f(scenes.map((scene) => scene[key])).toFixed(digits));
  const mean = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
  const least = (values: readonly number[]) => Math.min(...values);
  return {
    mean: { psnr: over(mean, 2, "psnr"), ssim: over(mean, 4, "ssim") },
    worst: { psnr: over(least, 2, "psnr"), ssim: over(least, 4, "ssim") },
  };
}

/** The tables of the report. */
export function tablesOf({ scenes, mean, worst }: DofReport): Section[] {
  const dB = (x: number | undefined) => x?.toFixed(1) ?? "";
  const share = (x: number | undefined) => x?.toFixed(3) ?? "";
  const total = (name: string, quality: Similarity) => ({ name, ...quality });
  return [
    ...tableOf<Similarity & Partial<SceneReport>>(
      "Quality",
      [...scenes, total("mean", mean), total("worst", worst)],
      {
        view: ({ name = "" }) => name,
        "r px": ({ largestRadiusPx }) => dB(largestRadiusPx),
        PSNR: ({ psnr }) => dB(psnr),
        SSIM: ({ ssim }) => share(ssim),
        "peer PSNR": ({ peer }) => dB(peer?.psnr),
        "peer SSIM": ({ peer }) => share(peer?.ssim),
        "lens PSNR": ({ truth }) => dB(truth?.psnr),
        "lens SSIM": ({ truth }) => share(truth?.ssim),
        "peer, lens PSNR": ({ peer }) => dB(peer?.truth.psnr),
        "peer, lens SSIM": ({ peer }) => share(peer?.truth.ssim),
        "layer, lens PSNR": ({ singleLayer }) => dB(singleLayer?.psnr),
        "layer, lens SSIM": ({ singleLayer }) => share(singleLayer?.ssim),
        "half of the rays": ({ errorBar }) => dB(errorBar?.psnr),
        kernels: ({ kernels }) => (kernels ? `${kernels.largestStep}, ${(kernels.sharePast2 * 100).toFixed(2)}%` : ""),
      },
      "Ours and the peer against the single layer, then both and the single layer against the lens; kernels: the largest step from the twins' picture, and the share of pixels past two.",
    ),
  ];
}

/** The report as aligned text. */
export const textOf = (report: DofReport): string => tablesOf(report).map(textOfSection).join("\n\n");
