import type { PeerResult, Ratio, Result } from "./types.ts";

interface Pairing {
  readonly ours: (result: Result) => boolean;
  readonly peer: RegExp;
}

const onGpu =
  (stage: string, variant = /./) =>
  (result: Result) =>
    result.stage === stage && result.method === "pass" && variant.test(result.variant);
const onCpu =
  (stage: string, variant = /./) =>
  (result: Result) =>
    result.stage === stage && result.method === "twin" && variant.test(result.variant);

/** Which of our rows is compared with which peer: the same work, on the same kind of processor. */
const PAIRINGS: readonly Pairing[] = [
  { ours: onGpu("copy"), peer: /^device memcpy, frame/ },
  { ours: onGpu("median"), peer: /^device memcpy, frame, graph/ },
  { ours: onGpu("bilateralGrid"), peer: /^device memcpy, frame, graph/ },
  { ours: onGpu("median", /size=3/), peer: /^NPP .*Median.* 3x3/ },
  { ours: onGpu("median", /size=5/), peer: /^NPP .*Median.* 5x5/ },
  { ours: onGpu("bilateralGrid", /sigmaDepthMm=50/), peer: /^NPP .*Bilateral/ },
  { ours: onGpu("compact"), peer: /^CUB / },
  { ours: onCpu("median", /size=3/), peer: /^OpenCV medianBlur 3x3/ },
  { ours: onCpu("median", /size=5/), peer: /^OpenCV medianBlur 5x5/ },
  { ours: onCpu("bilateralGrid", /sigmaDepthMm=50\b/), peer: /^OpenCV bilateral/ },
  { ours: onCpu("bilateralGrid", /sigmaDepthMm=50\b/), peer: /^PCL .* 0\.05 m/ },
  { ours: onCpu("bilateralGrid", /^default$/), peer: /^PCL .* 0\.05 m/ },
  { ours: onCpu("bilateralGrid", /sigmaDepthMm=100\b/), peer: /^PCL .* 0\.1 m/ },
];

/** Our time divided by theirs, below 1 where we are faster; same size, same data, same run. */
export function ratiosOf(results: readonly Result[], peers: readonly PeerResult[]): Ratio[] {
  const ratios: Ratio[] = [];
  for (const result of results) {
    const alike = (other: PeerResult) =>
      other.width === result.width && other.height === result.height && other.data === result.data;
    for (const { ours, peer } of PAIRINGS) {
      if (!ours(result)) continue;
      for (const other of peers.filter((p) => alike(p) && peer.test(p.name))) {
        ratios.push(ratio(result, other.name, other.medianUs));
      }
    }
    const copy = results.find((r) => onGpu("copy")(r) && r.mode === result.mode && sameFrame(r, result));
    if (copy && result.method === "pass" && !["copy", "empty"].includes(result.stage)) {
      ratios.push(ratio(result, "our copy", copy.medianUs));
    }
  }
  return ratios;
}

/** A copy's time does not depend on the data, so any kind will do. */
const sameFrame = (a: Result, b: Result) => a.width === b.width && a.height === b.height;

function ratio(result: Result, against: string, peer: number): Ratio {
  const { stage, variant, width, height, data, mode, medianUs: ours } = result;
  const name = `${stage} (${variant}) / ${against}, ${width}x${height} ${data}${mode ? `, ${mode}` : ""}`;
  const rounded = Math.round((ours / peer) * 1000) / 1000;
  return { name, ours, peer, ratio: rounded, against, stage, variant, width, height, data, mode };
}
