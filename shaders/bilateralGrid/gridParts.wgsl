// Part of build, blur and slice: the depth axis.

// How the depth axis is cut into cells.
struct Axis {
  width: f32, // depth units per cell, where they are EQUAL
  farthest: f32, // the farthest depth on the axis
  plane: u32, // vec4u per raw column; counts may have a plane of their own after the sums
  column: u32, // pairs per blurred column
  countBit: u32, // the count's first bit in a raw word; the sum lies below
}

var<private> axis: Axis; // a copy of the uniform `axisOfDepth`, read once
