import { button } from "../../dom/controls.ts";
import type { ViewSettings, ViewStore } from "../state/settings.ts";

/** The settings of a picture to show to others, without colours. */
const LOOK = {
  view: "picture",
  lens: "lens",
  split: false,
  detail: 1,
  /** Farther than elsewhere, since a hole is uglier in a photo than a surface that is a little off. */
  fillPx: 64,
  floor: false,
  frustum: false,
  path: false,
  floorGrid: false,
} as const;

/** The settings that the photo changes, as they were before, and as it chose them (`wanted`). */
type Before = Readonly<Record<"settings" | "wanted", Look>>;

type Look = Pick<ViewSettings, keyof typeof LOOK | "color">;

/**
 * A look to show to others, by one switch: the camera's colours, lens blur, filled holes, no divider and no guides, and the whole
 * resolution while nothing moves. A second press gives back what was there before, except for what the user has changed meanwhile.
 */
export class Photo {
  #before: Before | undefined;
  readonly #settings;

  constructor(
    store: ViewStore,
    /** Whether the frame that is shown has a colour image. */
    readonly hasColor: () => boolean,
    /** The picture has to be made again. */
    readonly onChange: () => void,
  ) {
    this.#settings = store.control("color", ...(Object.keys(LOOK) as (keyof typeof LOOK)[]));
  }

  get isOn(): boolean {
    return this.#before !== undefined;
  }

  toggle(): void {
    const { now } = this.#settings;
    const { settings, wanted } = this.#before ?? {};
    if (settings && wanted) {
      const names = Object.keys(wanted) as (keyof Look)[];
      const untouched = names.filter((name) => now[name] === wanted[name]);
      this.#before = undefined;
      this.#settings.update(Object.fromEntries(untouched.map((name) => [name, settings[name]])));
    } else {
      const photo: Look = { ...LOOK, color: this.hasColor() ? "camera" : "lit" };
      this.#before = { settings: { ...now }, wanted: photo };
      this.#settings.update(photo);
    }
    this.onChange();
  }
}

/** The button that switches the look of a photo on and off. */
export function photoButton(photo: Photo): HTMLButtonElement {
  const hint =
    "A look to show to others: camera colours, lens blur, filled holes, whole resolution. Press again to go back; Save writes the picture";
  const press = () => {
    photo.toggle();
    made.ariaPressed = `${photo.isOn}`;
  };
  const made = button("Photo", press, hint);
  made.ariaPressed = "false";
  return made;
}
