import type { RecordingInput } from "../../../sources/index.ts";
import { button } from "../../dom/controls.ts";
import type { Core } from "../shell/core.ts";
import { addressWith, valuesIn } from "../state/address.ts";
import { type FromHalf, listenTo } from "./messages.ts";
import { pairOf } from "./pairPage.ts";

/**
 * The choice that opens what the page shows twice, side by side, in another tab. This page stays, and hands the files of its recording on.
 */
export function sideBySide({ events, player }: Pick<Core, "events" | "player">): readonly HTMLButtonElement[] {
  let input: RecordingInput | null = null;
  let opened: Window | null = null;
  events.opened$.subscribe((open) => {
    input = open.input ?? null;
  });
  listenTo<FromHalf>(
    () => opened,
    () => {
      try {
        opened?.postMessage({ kind: "input", input }, location.origin);
      } catch {
        // Not every browser hands a dropped folder on: the halves ask for it.
        opened?.postMessage({ kind: "input", input: null }, location.origin);
      }
    },
  );
  const open = () => {
    const { fields } = valuesIn(location.hash);
    const read = addressWith([...fields.filter(([name]) => name !== "paneReadout"), ["paneReadout", true]]);
    const half = `${location.search}#${read}`;
    player.pause();
    opened = window.open(location.pathname + pairOf(half, half));
  };
  const hint =
    "Opens this view twice in a tab: another recording, camera or other settings on the right, one time, view and cursor for both";
  return [button("Two views side by side", open, hint)];
}
