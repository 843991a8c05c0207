import { Store } from "../state/store.ts";

/** How a recording is played. */
export interface Playback {
  /** 2 plays twice as fast as the recording was made. */
  rate: number;
  /** Whether playing starts again at the end. */
  loop: boolean;
  /** The first and the last frame to play; −1 is the recording's last. */
  inPoint: number;
  outPoint: number;
}

/** Settings for a player without a page. */
export const alone = () => new Store<Playback>({ rate: 1, loop: true, inPoint: 0, outPoint: -1 });
