import { writeFileSync } from "node:fs";
import { RequestError } from "../../run/report/failure.ts";
import { machineHere } from "../machine.ts";
import type { FidelityOptions } from "../options.ts";
import { asked, ours, presetChains, RAW } from "./chains.ts";
import { measureCurved } from "./curved.ts";
import { curvedScenes } from "./curvedScene.ts";
import { measureSet } from "./measure.ts";
import { measureRelief } from "./relief.ts";
import { type FidelityReport, pageOfFidelity, textOf } from "./report.ts";
import { type DataSet, recordedSets, syntheticSets } from "./sets.ts";

/** Measures how true the filters' depth is; prints the tables or the JSON, and writes the files asked for. */
export async function runFidelity(options: FidelityOptions, log: (line: string) => void): Promise<number> {
  const { recordings, truth, quick, json, out, html } = options;
  if (truth.length > recordings.length) {
    const there = `${truth.length} of --truth and ${recordings.length} recordings`;
    throw new RequestError(`each --truth belongs to the recording that has its place in the order: there are ${there}`);
  }
  if (recordings.length > 0 && options.size)
    throw new RequestError("--size is about the synthetic room: a recording has its own");
  const chains = [RAW, ...ours(), ...asked(options.stages, options.settings, options.set)];
  const allChains = [...chains];
  const sets: FidelityReport["sets"][number][] = [];
  const curved: FidelityReport["curved"][number][] = [];
  let relief: FidelityReport["relief"] = [];
  const report = (): FidelityReport => ({
    machine: machineHere(),
    chains: allChains.map(({ name, what, kind }) => ({ name, what, kind })),
    sets,
    curved,
    relief,
  });
  // Written again after every part, so that an interrupted run leaves its results so far.
  const save = () => {
    if (out) writeFileSync(out, `${JSON.stringify(report(), null, 1)}\n`);
    if (html) writeFileSync(html, pageOfFidelity(report()));
  };
  for await (const set of setsOf(options)) {
    log(`${set.name}: ${set.raw.length} frames of ${set.intrinsics.width}x${set.intrinsics.height}`);
    const own = presetChains(set.sensor);
    allChains.push(...own.filter(({ name }) => !allChains.some((chain) => chain.name === name)));
    const rows = measureSet(set, [...chains, ...own]);
    const { width, height } = set.intrinsics;
    sets.push({ name: set.name, width, height, frames: set.raw.length, rows });
    save();
  }
  // These figures belong to the filters and do not depend on the recordings.
  if (!quick && recordings.length === 0) {
    for (const scene of curvedScenes()) {
      log(`curved things: ${scene.name}`);
      curved.push(...measureCurved(chains, scene));
      save();
    }
    log("waves on a wall");
    relief = measureRelief(chains);
    save();
  }
  if (json) log(textOf(report()));
  process.stdout.write(json ? `${JSON.stringify(report())}\n` : `${textOf(report())}\n`);
  return 0;
}

function setsOf({ recordings, truth, frames, size, quick }: FidelityOptions): AsyncIterable<DataSet> {
  if (recordings.length > 0) return recordedSets(recordings, truth, frames ?? (quick ? 8 : 60));
  const small = { width: 96, height: 72 };
  return syntheticSets(size ?? (quick ? small : { width: 320, height: 240 }), frames ?? (quick ? 8 : 24));
}
