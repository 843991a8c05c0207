import { type DepthFrame, isBlank } from "../../../sources/index.ts";
import type { Player } from "../source/player.ts";
import { ColourNotice, LiveNotice } from "../source/sourceNotices.ts";
import type { Events } from "../state/events.ts";
import type { Messages } from "../state/messages.ts";
import { textOf } from "../state/messageText.ts";
import type { ViewSettings } from "../state/settings.ts";
import type { Settings } from "../state/store.ts";

/** How long messages stay that need no answer, ms. */
export const READ_MS = 8000;

/**
 * Whether a notice was not said before, or not on this day, `when`; the storage notes it. A storage that is full or forbidden notes
 * nothing; browsers throw as soon as a forbidden one is named, so `storage` names it.
 */
export function isFirstTime(notice: string, storage: () => Pick<Storage, "getItem" | "setItem">, when = "said") {
  try {
    const said = storage();
    if (said.getItem(notice) === when) return false;
    said.setItem(notice, when);
  } catch {
    // Then the notice comes each time.
  }
  return true;
}

/** Tells the user of errors and missing data in the source that plays. */
export function showNotices(
  messages: Messages,
  player: Player,
  events: Events,
  view: Pick<Settings<Pick<ViewSettings, "color">>, "now">,
  isMatched: () => boolean,
): void {
  const colour = new ColourNotice(messages);
  const live = new LiveNotice(messages);
  const blank = ({ depth, index, pair }: DepthFrame) => {
    if (!isBlank(depth) || (pair && isMatched())) messages.clear("blank");
    else if (pair)
      messages.show("notice", "blank", "These are pairs of images without depth: under “Depth from” choose the pair.");
    else messages.show("notice", "blank", `Frame ${index} has no depth at all.`);
  };
  player.failed$.subscribe((error) => messages.show("error", "source", textOf(error)));
  // A recording in a loop comes to the same frame again and again.
  const toldOf = new Set<number>();
  player.unreadable$.subscribe(({ index, fault }) => {
    if (toldOf.has(index)) return;
    if (player.recording) toldOf.add(index);
    messages.show("notice", "unreadable", `Frame ${index} was left out: ${textOf(fault)}`, READ_MS);
  });
  events.opened$.subscribe(() => {
    toldOf.clear();
    messages.clear("unreadable");
    messages.clearErrors();
    colour.begin();
  });
  events.shown$.subscribe(({ frame: { source }, origin }) => {
    messages.clear("pipeline");
    if (!origin) return;
    blank(source);
    colour.see(source, view.now.color === "camera");
  });
  events.tick$.subscribe((nowMs) => live.update(player.source, player.playing, nowMs));
}
