import { expect, test } from "vitest";
import { placesIn, REGIONS, textOf } from "../../viewer/live/panes/measure/places.ts";
import { kindsOf, renewIn } from "../../viewer/live/panes/measure/regionNumbers.ts";
import { RowTable } from "../../viewer/live/panes/measure/rowTable.ts";
import { NumberTable } from "../../viewer/live/panes/plot/numbers.ts";
import { fakeDocument } from "./fakeDocument.ts";

// The tables of readings beside the picture, and what plots and CSV keep of them.

const place = { x: 0, y: 0, width: 10, height: 10, tapeMm: undefined };
const [wall, door] = [place, { ...place, x: 50 }];

test.each([1500.5, 1e-7, 12_345_678, 1e21])(
  "a region whose tape says %s mm is there when its text is read",
  (tapeMm) => {
    const text = textOf(REGIONS, [{ ...wall, name: "a", tapeMm }]);
    expect(placesIn(REGIONS, text)).toMatchObject([{ name: "a", tapeMm: tapeMm === 1500.5 ? tapeMm : undefined }]);
  },
);

test("a new region has no readings of an earlier one of its name, and a renamed one keeps its own", () => {
  const frames = new NumberTable(100);
  const note = (name: string, mm: number) => {
    frames.begin(mm, mm);
    frames.put(mm, kindsOf(name).distance, mm);
  };
  const rows = (name: string) =>
    frames
      .csv([kindsOf(name).distance])
      .split("\r\n")
      .filter(Boolean)
      .slice(1);
  renewIn(frames, [], [{ ...wall, name: "Region 1" }]);
  for (const mm of [1000, 1001]) note("Region 1", mm);
  renewIn(frames, [{ ...wall, name: "Region 1" }], []);
  renewIn(frames, [], [{ ...door, name: "Region 1" }]);
  expect(rows("Region 1")).toEqual([]);
  note("Region 1", 2500);
  expect(rows("Region 1")).toEqual(["2500,2.5,2500"]);
  // Another region beside it changes nothing.
  renewIn(
    frames,
    [{ ...door, name: "Region 1" }],
    [
      { ...door, name: "Region 1" },
      { ...wall, name: "Region 2" },
    ],
  );
  note("Region 2", 999);
  renewIn(
    frames,
    [
      { ...door, name: "Region 1" },
      { ...wall, name: "Region 2" },
    ],
    [
      { ...door, name: "door" },
      { ...wall, name: "Region 2" },
    ],
  );
  note("door", 2501);
  expect([rows("door"), rows("Region 1"), rows("Region 2")]).toEqual([
    ["2500,2.5,2500", "2501,2.501,2501"],
    [],
    ["999,0.999,999"],
  ]);
  // A link moves the region of a name.
  renewIn(frames, [{ ...door, name: "door" }], [{ ...wall, name: "door" }]);
  expect(rows("door")).toEqual([]);
});

test("the rows of a table stand in the order of its list, also where one was taken away or is new", () => {
  fakeDocument();
  const table = new RowTable("Readings", ["", ""]);
  const show = (...keys: string[]) => {
    table.show(keys.map((key) => ({ key, head: key, cells: ["1"] })));
    return table.lines.map(([head]) => head);
  };
  show("Floor", "Box 1 at 1, 1", "Box 2 at 2, 2", "Plane 1");
  for (const keys of [
    ["Floor", "Box 1 at 2, 2", "Plane 1"],
    ["Floor", "Box 1 at 2, 2", "Box 2 at 3, 3", "Plane 1", "Change"],
  ])
    expect(show(...keys)).toEqual(keys);
});
