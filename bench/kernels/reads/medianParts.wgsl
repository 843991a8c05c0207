// Functions of the kernels median1, median2, median4 and median8, which say what V, lanes of i32, is: the lower median of the valid values
// of 3×3. shaders/median/size3.wgsl explains the method.

const ALL = V(0xffff);

// Sorted lists. `parity` is 65535 if the list holds an odd number of zeros, counting those turned into 65535.
struct Three { low: V, middle: V, high: V, parity: V }
// What a window needs of two columns: the larger low, both middles, the smaller high.
struct Pair { low: V, middle0: V, middle1: V, high: V, parity: V }

fn holes(v: V) -> V {
  return select(V(), ALL, v == V());
}

fn sortThree(a: V, b: V, c: V) -> Three {
  let hole = holes(b);
  let odd = holes(a);
  let second = b | (odd & hole);
  let low = min(a, second);
  let high = max(a, second);
  let parity = odd ^ hole;
  let last = holes(c);
  let third = c | (parity & last);
  let rest = max(low, third);
  return Three(min(low, third), min(rest, high), max(rest, high), parity ^ last);
}

// The column, with one more zero turned into 65535 in the lanes where both it and the list before hold an odd number of zeros.
fn join(parity: V, column: Three) -> Three {
  let shift = (parity & column.parity) != V();
  return Three(
    select(column.low, column.middle, shift),
    select(column.middle, column.high, shift),
    select(column.high, ALL, shift),
    parity ^ column.parity,
  );
}

fn mergeColumns(left: Three, second: Three) -> Pair {
  let right = join(left.parity, second);
  return Pair(
    max(left.low, right.low),
    min(left.middle, right.middle),
    max(left.middle, right.middle),
    min(left.high, right.high),
    right.parity,
  );
}

fn median(pair: Pair, outer: Three) -> V {
  let third = join(pair.parity, outer);
  let low = max(pair.low, third.low);
  let middle = max(pair.middle0, min(pair.middle1, third.middle));
  let high = min(pair.high, third.high);
  return max(min(low, middle), min(max(low, middle), high));
}
