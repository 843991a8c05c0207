/** The room below the masthead, px, and what shares it. */
export interface Room {
  readonly width: number;
  readonly height: number;
  /** Width divided by height of the large picture, and the height of what stands above and below it in its pane. */
  readonly aspect: number;
  readonly extraPx: number;
  /** The least heights of the other panes, in their order. */
  readonly leastPx: readonly number[];
  /** The share of the width that somebody chose for the picture; 0: none. */
  readonly share: number;
}

/** Where the large picture and the panes stand. */
export interface Arrangement {
  readonly width: number;
  readonly height: number;
  /** The last so many panes stand below the picture, the others beside it. */
  readonly below: number;
  /** How many panes stand in a row, beside and below. */
  readonly columns: { readonly beside: number; readonly below: number };
}

/** Between panes, px. */
export const GAP = 8;
/** The least width of a pane, px: an image of 240 px and its frame. In a larger room panes beside the picture have more. */
const LEAST = 250;
const [BESIDE, MOST] = [0.28, 330];
/** The picture keeps this share of the width, beside one or two panes and beside more, even where panes scroll. */
const [KEPT, KEPT_BESIDE_MANY] = [0.64, 0.4];
/** In a narrower room one pane is shown at a time, px. */
export const SINGLE = 2 * LEAST + GAP;

/**
 * The large picture stands at the upper left without bars; the panes have the strip at its right, the strip below it, or both. Of all ways
 * to divide the panes this takes those that hide least of them, and of these the one in which picture and panes cover most; the picture
 * counts three times.
 */
export function roomFor(room: Room): Arrangement {
  const { leastPx, width } = room;
  const ways = width < SINGLE ? [leastPx.length] : [0, ...leastPx.map((_, k) => k + 1)];
  const tried = ways.flatMap((below) => withBelow(room, below) ?? []);
  return tried.reduce((best, one) =>
    one.hidden < best.hidden || (one.hidden === best.hidden && one.covered > best.covered) ? one : best,
  );
}

function withBelow({ width: all, height: high, aspect, extraPx, leastPx, share }: Room, below: number) {
  const beside = leastPx.length - below;
  const [right, under] = [leastPx.slice(0, beside), leastPx.slice(beside)];
  const asHigh = (px: number) => aspect * Math.max(1, px - extraPx);
  const fitting = below > 0 ? asHigh(high - GAP - Math.max(...under)) : asHigh(high);
  const isSingle = all < SINGLE;
  const kept = (isSingle || leastPx.length > 2 ? KEPT_BESIDE_MANY : KEPT) * all;
  // A low room has panes beside the picture only.
  if (below > 0 && fitting < kept && !isSingle) return undefined;
  const widest = beside > 0 ? all - GAP - Math.max(LEAST, Math.min(BESIDE * all, MOST)) : all;
  const most = Math.min(widest, Math.max(fitting, Math.min(kept, asHigh(high))));
  const width = Math.floor(share > 0 ? Math.min(share * all, most) : most);
  const height = Math.floor(width / aspect + extraPx);
  const ofRight = strip(right, all - GAP - width, high);
  const ofUnder = strip(under, beside > 0 ? width : all, high - GAP - height);
  const columns = { beside: ofRight.columns, below: ofUnder.columns };
  const covered = 3 * width * height + ofRight.area + ofUnder.area;
  return { width, height, below, columns, covered, hidden: ofRight.hidden + ofUnder.hidden };
}

/** Puts panes into a strip, in as few columns as show all of them, and tells the height that they lack. */
function strip(leastPx: readonly number[], width: number, height: number) {
  if (leastPx.length === 0) return { columns: 1, hidden: 0, area: 0 };
  const most = Math.max(1, Math.min(leastPx.length, Math.floor((width + GAP) / (LEAST + GAP))));
  const lacks = (columns: number) => {
    const rows = leastPx.flatMap((_, k) => (k % columns === 0 ? Math.max(...leastPx.slice(k, k + columns)) : []));
    return Math.max(0, rows.reduce((sum, px) => sum + px + GAP, -GAP) - height);
  };
  let columns = 1;
  while (columns < most && lacks(columns) > 0) columns++;
  return { columns, hidden: lacks(columns), area: Math.max(0, width) * Math.max(0, height) };
}
