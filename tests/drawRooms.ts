import { ROOMS } from "../config/rooms.ts";
import { importsOf } from "./house.ts";

// Draws docs/architecture.svg: the rooms as boxes, those that import others above them.

const WIDTH = 130;
const HEIGHT = 34;
const GAP = { x: 40, y: 34 };
const MARGIN = 14;
const CANVAS = 700;

/** The picture of the rooms that these files are in, by what the files import. An arrow that follows from others is left out. */
export function drawRooms(files: readonly string[]): string {
  const folder = (path: string) => path.replace(/\/.*/, "");
  const below = new Map(ROOMS.map((room) => [room, new Set<string>()]));
  for (const path of files)
    for (const name of importsOf(path))
      if (folder(name) !== folder(path) && below.has(folder(name))) below.get(folder(path))?.add(folder(name));
  const reach = (room: string): Set<string> =>
    new Set([...(below.get(room) ?? [])].flatMap((other) => [other, ...reach(other)]));
  const rank = (room: string): number => Math.max(-1, ...[...(below.get(room) ?? [])].map(rank)) + 1;
  const top = Math.max(...ROOMS.map(rank));

  const places = new Map<string, readonly [number, number]>();
  for (let level = 0; level <= top; level++) {
    const row = ROOMS.filter((room) => rank(room) === level);
    const width = row.length * (WIDTH + GAP.x) - GAP.x;
    row.forEach((room, i) => {
      places.set(room, [(CANVAS - width) / 2 + i * (WIDTH + GAP.x), MARGIN + (top - level) * (HEIGHT + GAP.y)]);
    });
  }
  const arrows = ROOMS.flatMap((room) => {
    const others = [...(below.get(room) ?? [])];
    const direct = others.filter((other) => !others.some((third) => third !== other && reach(third).has(other)));
    const [x, y] = places.get(room) ?? [0, 0];
    return direct.sort().map((other) => {
      const [ox, oy] = places.get(other) ?? [0, 0];
      return `    <path d="M${x + WIDTH / 2} ${y + HEIGHT}L${ox + WIDTH / 2} ${oy - 2}"/>`;
    });
  });
  const boxes = [...places].map(
    ([room, [x, y]]) =>
      `  <rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="8" fill="#eef3f8" stroke="#345"/>\n` +
      `  <text x="${x + WIDTH / 2}" y="${y + 22}" text-anchor="middle">${room}/</text>`,
  );
  const height = 2 * MARGIN + top * (HEIGHT + GAP.y) + HEIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${CANVAS} ${height}" font-family="system-ui, sans-serif" font-size="14">`,
    "  <title>The rooms of Depthloom: each imports rooms below it</title>",
    `  <rect width="${CANVAS}" height="${height}" fill="#fff"/>`,
    '  <defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#345"/></marker></defs>',
    '  <g stroke="#345" fill="none" marker-end="url(#a)">',
    ...arrows.map((arrow) => arrow.replace("/>", ' marker-end="url(#a)"/>')),
    "  </g>",
    ...boxes,
    "</svg>\n",
  ].join("\n");
}
