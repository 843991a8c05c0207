import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import type { SensorNoise } from "../../../stages/core/noise.ts";
import type { Key } from "../control/keys.ts";
import type { Looks } from "../panel/fieldControl.ts";
import type { Origin, Shown } from "../show/shown.ts";
import type { Player } from "../source/player.ts";
import type { Fields, ValuesOf } from "../state/field.ts";
import type { Settings } from "../state/store.ts";
import type { FoundFloor } from "../view/surface/foundFloor.ts";
import type { RowTable } from "./measure/rowTable.ts";
import type { AreaKind, PixelPicture, Pointing } from "./pixelPicture.ts";
import type { Numbers } from "./plot/numbers.ts";
import type { Shape } from "./probe/marks.ts";
import type { Pixel } from "./probe/projection.ts";
import type { Snapshot } from "./probe/snapshot.ts";

/**
 * How much of each frame a pane needs. "source": the frame as the source gave it. "depth": also the depth that the filters made of the
 * frame, which the page then reads back from the GPU.
 */
export type FrameNeed = "nothing" | "source" | "depth";

/** "beside": a picture, which can be enlarged. "below": a plot or readings. */
export type PanePlace = "beside" | "below";

/**
 * A pane, as the list of panes (list.ts) has it. The menu, the layout, the keys and their help, addresses, settings files and the page of
 * settings in docs/ are made from this entry.
 */
export interface PaneEntry<N extends string = string, P extends PanePlace = PanePlace, F extends Fields = Fields> {
  /** The setting that opens the pane is called "pane" and this name: "depth" makes `paneDepth`. */
  readonly name: N;
  /** What the menu, the pane's head and the keys' help call the pane. */
  readonly label: string;
  /** One line about what the pane shows. */
  readonly summary: string;
  readonly place: P;
  /** The menu that has the pane, where that is not "Panes". */
  readonly menu?: "Measure" | "Scan";
  /** Panes of a lower order come first in the menu and on the page. */
  readonly order: number;
  /**
   * The key that opens and closes the pane; no other part of the page may have it. In a pane with `pixelTools` the key also has the user
   * choose a pixel for the first tool, unless that tool has a key of its own.
   */
  readonly key?: string;
  /** What the keys' help says of the key, where that is not the label. */
  readonly keySays?: string;
  /** The pane's own settings, beside the one that opens the pane. */
  readonly fields: F;
  /** Whether a live source is asked for infrared images while the pane is open. */
  readonly wantsInfrared?: boolean;
  /** What the pane needs of each frame while it is open and its settings are these. */
  needs(settings: Readonly<ValuesOf<F>>): FrameNeed;
  /** Makes the pane, once, when the page starts. The pane subscribes to its settings itself. */
  create(parts: PaneParts<F>): Pane;
}

/** What the page gives to a pane. */
export interface PaneParts<F extends Fields> {
  /** The pane's own settings. The page does not start if the pane does not subscribe to their changes. */
  readonly settings: Settings<ValuesOf<F>>;
  /** Makes a control for one of the pane's own settings. */
  control<K extends keyof F & string>(name: K, looks?: Looks<ValuesOf<F>[K]>): HTMLElement;
  /** Takes what people point at in the pane's pictures. */
  readonly pointing: Pointing;
  /** The frame on the screen, as far as the open panes needed it; `undefined` while no pane needed one. */
  readonly snapshot: () => Snapshot | undefined;
  readonly shown: Pick<Shown, "gauge" | "origin">;
  readonly pipeline: Pick<Pipeline, "gpu" | "statistics" | "trace" | "stages" | "isEnabled" | "signal">;
  /** Numbers over time, which any pane may measure. */
  readonly numbers: Numbers;
  /** The floor that a pane has found, for the 3D picture. */
  readonly foundFloor: FoundFloor;
  readonly isOpen: () => boolean;
  /** Opens the pane. */
  readonly open: () => void;
  /** The sensor's noise, where it is known. */
  readonly noise: () => SensorNoise | undefined;
  readonly player: Pick<Player, "isMeant" | "part" | "walk" | "pause" | "playing" | "recording" | "seek" | "index">;
}

/** A pane on the page. The page calls these methods; none but `newSource` is called while the pane is closed and not `isUsed`. */
export interface Pane {
  /** The pane's content, below its head. */
  readonly content: readonly HTMLElement[];
  /** Controls in the pane's head. */
  readonly tools?: readonly HTMLElement[];
  /** The pane's pictures of the frame, which show the ruler and other marks. */
  readonly pictures?: readonly PixelPicture[];
  /** Clicks that the pane asks for. */
  readonly pixelTools?: readonly PixelTool[];
  /** Further entries of the menu that has the pane, behind its tools. */
  readonly choices?: readonly HTMLElement[];
  /** Further keys of the pane. */
  readonly shortcuts?: readonly Key[];
  /** What the pane has measured, for the page of results that the menu Measure saves. */
  readonly table?: Pick<RowTable, "lines" | "columns" | "numbers">;
  /** Outlines of what the pane measures, which every picture shows; asked for with each picture, so the pane keeps them. */
  readonly shapes?: () => readonly Shape[];
  /** Whether the page shows frames to the pane also while the pane is closed: another pane needs what it measures, or its scan goes on. */
  readonly isUsed?: () => boolean;
  /** The pane was opened. */
  opened?(): void;
  /** Shows a frame, with the depth that the entry's `needs` asked for. */
  show?(snapshot: Snapshot): void;
  /** Reads the times of a frame, new or drawn again, when the page hands it out. */
  observe?(frame: ProcessedFrame, origin: Origin): void;
  /** Draws what has come since the last call; the page calls this method some eight times a second. */
  draw?(): void;
  /** The next frame comes from another source. `isMeant`: it is the first, or a link names it, so that settings may name places in it. */
  newSource?(isMeant: boolean): void;
}

/** A tool that has people click a pixel for a pane, in any picture. */
export interface PixelTool {
  /** The tool's button: its label, and the hint on it. */
  readonly label: string;
  readonly summary: string;
  /** Says what to do while the tool is up. */
  readonly hint: string;
  /** A key that takes the tool up, and the key's line in the help. Without it the pane's key does so. */
  readonly shortcut?: Pick<Key, "key" | "says">;
  /** Whether the tool takes a rectangle, by its opposite corners: two clicks, or a drag; or an outline, by a drag around it. */
  readonly area?: AreaKind;
  /** The pixel that was chosen, which every picture marks. */
  readonly pixel?: Pixel | undefined;
  /** Whether the viewer waits for a click with this tool as soon as the user opens the pane. */
  readonly isAsking: () => boolean;
  /** Gets the pixel, the two corners of a rectangle, or those of an outline. */
  choose(...pixels: readonly [Pixel, ...(readonly Pixel[])]): void;
}

/** Declares a pane, for the list in list.ts. */
export const definePane = <const N extends string, P extends PanePlace, F extends Fields>(
  entry: PaneEntry<N, P, F>,
): PaneEntry<N, P, F> => entry;
