import type { DepthFrame } from "../../../sources/index.ts";
import { button } from "../../dom/controls.ts";
import { menu } from "../../dom/menu.ts";
import type { CameraPlace } from "./camera/motion.ts";
import type { Rig } from "./camera/rig.ts";
import { type Direction, placeOfAll, VIEWS } from "./camera/views.ts";

/** A named view of the scene, with a key and an entry in the menu. */
export interface View {
  readonly key: string;
  readonly says: string;
  does(): void;
}

/** The named views; `frame` is the frame that they show as a whole, and `down` looks straight down onto the floor, where that is known. */
export function viewsOf(rig: Rig, frame: () => DepthFrame | null, down: () => Direction | undefined): View[] {
  const view = (key: string, says: string, placeOf: () => CameraPlace | undefined): View => ({
    key,
    says,
    does() {
      const place = placeOf();
      if (place) rig.goTo(place);
    },
  });
  const seen = (direction: Direction) => {
    const shown = frame();
    return shown ? placeOfAll(shown, direction, rig.camera) : undefined;
  };
  return [
    view("f", "Everything in view", () => seen(rig.place)),
    view("1", "From the sensor", () => rig.home),
    ...Object.entries(VIEWS).map(([name, { says, ...direction }], i) =>
      view(`${i + 2}`, says, () => seen((name === "top" && down()) || direction)),
    ),
  ];
}

/** A menu of the named views, for people who use no keys. */
export function viewsMenu(views: readonly View[]): HTMLElement {
  return menu("Views", "views", ...views.map(({ key, says, does }) => button(says, does, key.toUpperCase())));
}
