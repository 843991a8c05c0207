import { expect, test } from "vitest";
import { compose, IDENTITY, invert, type Rigid, rigid, turned } from "../../core/pose.ts";
import { type Edge, PoseGraph } from "../../scan/place/graph.ts";
import { shiftM } from "../../scan/place/way.ts";
import { uniform } from "../random.ts";

// A graph of poses: a loop takes drift away, and a wrong loop changes nothing.

const between = (a: Rigid, b: Rigid) => compose(rigid(), invert(rigid(), a), b);
const COUNT = 60;
/** A camera that goes once around a circle of 1 m and looks along its way. */
const truth = Array.from({ length: COUNT }, (_, i) => {
  const turn = (2 * Math.PI * i) / COUNT;
  return turned([0, turn, 0], [1 - Math.cos(turn), 0, Math.sin(turn)]);
});
/** Standard deviations of 2 mm and 2 mrad. */
const information = Float64Array.from({ length: 36 }, (_, k) => (k % 7 === 0 ? 1 / 0.002 ** 2 : 0));
const loop = (from: number, to: number, motion = between(truth[from], truth[to])): Edge => ({
  ...{ from, to, motion, information, isLoop: true },
});

/** The camera's way by motions that drift. */
function drifted(): PoseGraph {
  const random = uniform(5);
  const graph = new PoseGraph();
  graph.add(truth[0]);
  for (let to = 1; to < COUNT; to++) {
    const [a, b, c] = [0, 0, 0].map(() => 0.004 * (random() - 0.3));
    const motion = compose(rigid(), between(truth[to - 1], truth[to]), turned([a, b, c], [b, c, a]));
    graph.edges.push({ from: to - 1, to, motion, information, isLoop: false });
    graph.add(compose(rigid(), graph.poses[to - 1], motion));
  }
  return graph;
}
const offM = ({ poses }: PoseGraph) => Math.max(...poses.map((pose, i) => shiftM(pose, truth[i])));

test("loops take the drift of a closed way away, and give the same twice", () => {
  const [graph, again] = [drifted(), drifted()];
  expect(offM(graph)).toBeGreaterThan(0.1);
  const loops = [loop(0, COUNT - 1), loop(1, COUNT - 2), loop(3, COUNT - 1)];
  for (const each of [graph, again]) expect(each.close(loops)).toBe(3);
  expect(offM(graph)).toBeLessThan(0.04);
  expect(graph.poses).toEqual(again.poses);
  expect(graph.poses[0]).toEqual(truth[0]);
});

test("a wrong loop is refused, and the graph stays as it was", () => {
  const graph = drifted();
  const before = structuredClone(graph.poses);
  const wrong = loop(5, 50, turned([0, 0.5, 0], [0.4, 0, 0]));
  expect(graph.close([wrong])).toBe(0);
  expect([graph.poses, graph.edges.length]).toEqual([before, COUNT - 1]);
});

test("a wrong loop among right ones is left out", () => {
  const [graph, clean] = [drifted(), drifted()];
  const right = [loop(0, COUNT - 1), loop(2, COUNT - 3), loop(4, COUNT - 2)];
  expect(clean.close(right)).toBe(3);
  expect(graph.close([...right, loop(20, 40, IDENTITY)])).toBe(3);
  expect(graph.poses).toEqual(clean.poses);
});
