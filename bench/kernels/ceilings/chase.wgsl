// A chain of loads, each from the place that the one before names: the time of a load that nothing hides. The chain goes on where the
// dispatch before ended, so that a cache holds a word again only if it holds the whole buffer.
override ROUNDS: u32;

@group(0) @binding(0) var<storage, read> places: array<u32>;
@group(0) @binding(1) var<storage, read_write> ends: array<u32>;

@compute @workgroup_size(1) fn main() {
  var at = ends[0];
  for (var round = 0u; round < ROUNDS; round++) { at = places[at]; }
  ends[0] = at;
}
