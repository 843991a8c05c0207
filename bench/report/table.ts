import type { Report, Result } from "../types.ts";
import { type Align, columns } from "./columns.ts";
import { adapterLine, bandwidth, how, machineLine, micros, ofLimit } from "./words.ts";

/** The report as aligned text. */
export function tableOf({ machine, adapter, results, peers, ratios, notes }: Report): string {
  const parts = [`${machineLine(machine)}\n${adapterLine(adapter)}`];
  if (results.length > 0) parts.push(resultsTable(results));
  if (peers.length > 0) {
    const rows = peers.map((peer) => [
      peer.name,
      `${peer.width}x${peer.height}`,
      peer.data,
      micros(peer.medianUs),
      micros(peer.p10Us),
      micros(peer.p90Us),
      bandwidth(peer),
      peer.agrees === null ? "" : peer.agrees ? "agrees" : "DIFFERS",
    ]);
    const head = ["peer", "size", "data", "median µs", "p10", "p90", "GB/s", "output"];
    parts.push(columns([head, ...rows], ["left", "left", "left", "right", "right", "right", "right", "left"]));
  }
  if (ratios.length > 0) {
    const rows = ratios.map(({ name, ours, peer, ratio }) => [
      name,
      micros(ours),
      micros(peer),
      `${ratio.toFixed(3)}x`,
    ]);
    parts.push(columns([["ratio", "ours µs", "peer µs", "ours / peer"], ...rows], ["left", "right", "right", "right"]));
  }
  if (notes.length > 0) parts.push(notes.join("\n"));
  return parts.join("\n\n");
}

function resultsTable(results: readonly Result[]): string {
  const head = ["stage", "variant", "size", "data", "how", "median µs", "p10", "p90", "GB/s", "of the limit", "output"];
  const rows = results.map((result) => [
    result.stage,
    result.variant,
    `${result.width}x${result.height}`,
    result.data,
    how(result),
    micros(result.medianUs),
    micros(result.p10Us),
    micros(result.p90Us),
    bandwidth(result),
    ofLimit(result),
    result.checked ? "checked" : "WRONG",
  ]);
  const align: Align[] = ["left", "left", "left", "left", "left", "right", "right", "right", "right", "left", "left"];
  return columns([head, ...rows], align);
}
