import { Observable } from "rxjs";
import { messageOf } from "../../core/caught.ts";
import { checkFrame } from "../../core/checkFrame.ts";
import { type DepthFrame, image, type Source } from "../../sources/index.ts";
import "../element/index.ts";

/** The part of anywidget's model that the widget uses. */
export interface WidgetModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, heard: () => void): void;
  off(event: string, heard: () => void): void;
}

/** The values that the kernel sets before `depth`, with their defaults. */
interface State {
  /** Rows and columns. */
  readonly shape: readonly [height: number, width: number];
  /** 16-bit numbers, little-endian, row by row; 0 is no measurement. */
  readonly depth: DataView;
  readonly metres_per_unit: number;
  /** fx, fy, cx and cy in pixels; none: a lens of 58° across. */
  readonly intrinsics: readonly number[];
  /** Three or four bytes for each pixel of depth; empty if there is no colour. */
  readonly color: DataView;
}

/** Half of what a lens of 58° sees at a distance of 1. */
const HALF_OF_58 = Math.tan((29 * Math.PI) / 180);

const bytesOf = ({ buffer, byteOffset, byteLength }: DataView) =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);

/** The frame that the kernel has set; `undefined` if the kernel has set none. Throws where the lengths contradict the shape. */
function frameOf(model: WidgetModel, index: number): DepthFrame | undefined {
  const get = <K extends keyof State>(name: K) => model.get(name) as State[K];
  const [height, width] = get("shape");
  const depth = bytesOf(get("depth"));
  if (depth.length === 0) return undefined;
  if (depth.length !== 2 * width * height)
    throw new RangeError(
      `depth has ${depth.length} bytes; ${width} × ${height} pixels of 16 bits have ${2 * width * height}`,
    );
  const half = width / 2 / HALF_OF_58;
  const [fx = half, fy = half, cx = (width - 1) / 2, cy = (height - 1) / 2] = get("intrinsics");
  const color = colorOf(bytesOf(get("color")), width, height);
  return {
    depth: image(new Uint16Array(depth.slice().buffer), [height, width]),
    metresPerUnit: get("metres_per_unit"),
    intrinsics: { fx, fy, cx, cy, width, height },
    ...(color && { color }),
    timestamp: performance.now(),
    index,
  };
}

function colorOf(bytes: Uint8Array, width: number, height: number): DepthFrame["color"] {
  if (bytes.length === 0) return undefined;
  const channels = bytes.length / (width * height);
  if (channels !== 3 && channels !== 4)
    throw new RangeError(
      `color has ${bytes.length} bytes; it needs three or four for each of ${width} × ${height} pixels`,
    );
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let from = 0, to = 0; from < bytes.length; from += channels, to += 4)
    rgba.set(bytes.subarray(from, from + channels), to);
  return image(rgba, [height, width, 4]);
}

/** A source of the frames that the kernel sets. */
function sourceOf(model: WidgetModel): Source {
  return {
    name: "notebook",
    format: "notebook",
    fps: 30,
    frames$: new Observable<DepthFrame>((observer) => {
      let index = 0;
      const take = () => {
        try {
          const frame = frameOf(model, index);
          // A frame that the stages refuse would end the stream.
          if (frame) checkFrame(frame);
          if (model.get("error")) {
            model.set("error", "");
            model.save_changes();
          }
          if (frame) observer.next(frame);
          index++;
        } catch (error) {
          model.set("error", messageOf(error));
          model.save_changes();
        }
      };
      take();
      model.on("change:depth", take);
      return () => model.off("change:depth", take);
    }),
    close: async () => {},
  };
}

/** The traits that are attributes of the element. */
const ATTRIBUTES = ["color_by", "compare", "backend"] as const;

/**
 * A widget in anywidget's form: bytes of depth in, a picture that the user turns, and filtered depth out (`filtered`, in units of
 * `filtered_metres_per_unit`). docs/examples/notebook has the Python side.
 */
export default {
  render({ model, el }: { readonly model: WidgetModel; readonly el: HTMLElement }) {
    const view = document.createElement("depthloom-view");
    const attribute = (name: (typeof ATTRIBUTES)[number]) => {
      const value = model.get(name);
      const attributeName = name === "color_by" ? "color" : name;
      if (value === null || value === undefined || value === "") view.removeAttribute(attributeName);
      else view.setAttribute(attributeName, String(value));
    };
    const heard = ATTRIBUTES.map((name) => [`change:${name}`, () => attribute(name)] as const);
    for (const [event, act] of heard) model.on(event, act);
    for (const name of ATTRIBUTES) attribute(name);
    view.addEventListener("error", ({ detail }: CustomEventInit<Error>) => {
      model.set("error", detail?.message ?? "");
      model.save_changes();
    });
    let last: DepthFrame | undefined;
    view.addEventListener("frame", async ({ detail }: CustomEventInit) => {
      // A picture from another side, or in other colours, has the same depth.
      if (!detail || detail.source === last) return;
      last = detail.source;
      const depth = await detail.readDepth().catch(() => undefined);
      if (!depth) return;
      model.set("filtered_metres_per_unit", detail.shape.metresPerUnit);
      model.set("filtered", new DataView(depth.data.slice().buffer));
      model.save_changes();
    });
    view.source = sourceOf(model);
    el.append(view);
    return () => {
      for (const [event, act] of heard) model.off(event, act);
      view.remove();
    };
  },
};
