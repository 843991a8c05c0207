// Part of planeBuild, planeFit, planeRefit and planeSlice: structs.

// How the depth axis is cut into cells.
struct PlaneAxis {
  cells: u32,
  farthest: f32, // the farthest depth on the axis
  sigma: f32, // the range sigma in depth units is sigma + growth · depth², and at least 1
  growth: f32,
  slope: f32, // the share of a second plane's slope that is added to the first plane's
  significance: f32, // see planeRefit.wgsl
  zero: u32, // 0 (exact.wgsl)
}

// A cell: 1/c, −1/c², 1/v and −c², where c is the depth of its centre and v the variance that a flat plane's pixels have.
struct Cell { perCentre: f32, perSquare: f32, perFlat: f32, square: f32 }

// A band of rows of tiles. Frames whose planes exceed the memory limit are processed band by band.
struct Band {
  first: u32, // the first row of planes
  rows: u32, // rows of planes
  top: u32, // the first row of pixels
  bottom: u32, // the row of pixels behind the last
  built: u32, // the first row of tiles that no band before this one has summed up
  number: u32,
}

// A plane's place, and its design: what planeRefit needs to fit another plane to the same pixels by the same weights.
struct Entry {
  covariance: vec3f, // the inverse of the covariance of u and v: uu, uv, vv
  share: f32, // 1 / Σ1; 0 for no plane
  mean: vec2f, // of u and v
  place: u32,
}
