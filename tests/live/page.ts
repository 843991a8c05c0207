import { Subject } from "rxjs";
import { Lineup } from "../../pipeline/lineup.ts";
import type { DepthFrame, Source } from "../../sources/index.ts";
import { dofSplat, median, threshold } from "../../stages/index.ts";
import { type Origin, Shown } from "../../viewer/live/show/shown.ts";
import { flatFrame } from "../pipeline/fakes.ts";

/** A frame of one pixel, for tests that do not look at depth. */
const blankFrame = (index: number) => flatFrame(index, 0, 1, 1);

/** A page's `Shown` without a screen: the test opens sources, shows frames and sets the time. */
export function page() {
  const [filter, picture] = [median(), dofSplat()];
  const pipeline = new Lineup([filter, threshold(), picture]);
  const sources = new WeakMap<DepthFrame, Source>();
  const player = { playing: false, changed$: new Subject<void>(), sourceOf: (frame: DepthFrame) => sources.get(frame) };
  let nowMs = 0;
  let [source, before]: [Source | undefined, Source | undefined] = [undefined, undefined];
  let last = blankFrame(0);
  const shown = new Shown(player, pipeline, () => nowMs);
  const showOf = (of: Source | undefined, frame: DepthFrame): Origin | undefined => {
    if (of) sources.set(frame, of);
    return shown.show(frame, shown.settings());
  };
  const set = (playing: boolean) => {
    player.playing = playing;
    player.changed$.next();
  };
  return {
    ...{ shown, pipeline, filter, picture, player },
    open(name: string) {
      [before, source] = [source, { name } as Source];
      shown.open(source);
    },
    /** Shows a frame of the open source; throws when `Shown` takes the frame for another source's. */
    show(index: number, frame = blankFrame(index)): Origin {
      last = frame;
      const origin = showOf(source, frame);
      if (!origin) throw new Error("the frame is taken for one of another source");
      return origin;
    },
    /** Shows the last frame once more. */
    again: () => showOf(source, last),
    /** Shows a frame of the previous source. */
    late: (index: number) => showOf(before, blankFrame(index)),
    play: () => set(true),
    pause: () => set(false),
    wait(ms: number) {
      nowMs += ms;
    },
  };
}
