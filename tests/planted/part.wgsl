// The error stands in line 4, column 10.

fn part() -> u32 {
  return planted;
}
