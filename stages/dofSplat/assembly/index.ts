/** The fast form of the twin: what simd.ts calls. The compiler knows no `export … from` a file. */
import { draw } from "./draw.ts";
import { neighbours } from "./neighbours.ts";
import { patch } from "./patch.ts";
import { place } from "./place.ts";
import { gather, measure } from "./runs.ts";
import { scatter } from "./scatter.ts";
import { shape } from "./shape.ts";

export { draw, gather, measure, neighbours, patch, place, scatter, shape };
