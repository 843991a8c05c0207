// The words of docs/lab/devices.md that no report holds, written by hand. They name figures of the H200's report of 26 November 2026: read
// them again when that report is replaced.

export const INTRODUCTION = `# Devices compared

[\`depthloom report\`](../bench.md#a-report-on-a-device) measures on any device what the kernels are built on: the stages
themselves, the device's limits, ways of stream compaction and of sorting samples into tiles, atomic operations, how kernels
should read. This page holds the reports beside each other that are kept in \`docs/lab/devices/\`: first what they mean, then each
claim with a short answer for each device, the cases of long answers, and the figures. Times are medians.

A claim is answered by the rule that the report's code states (\`bench/deviceReport/\`): a ratio is a constant if its
deviation is less than 15 % of its mean, an add is as cheap as a store up to 1.25 of its time, and it is free where it adds less
than 10 % to the arithmetic before it.

To keep a report, and to write this page:

    node docs/lab/devices/keep.js report.json NAME "REMARK"
    npx vitest run tests/bench/devicesPage.test.ts -u
`;

export const MEANING = `## What the answers mean, and what Depthloom does about each

A software GPU is a processor that plays one: a few subgroups of four lanes at a time, in which nothing contends and every
invocation, barrier and access costs what a processor needs for it. What wins there is often what loses on hardware. Kernels are
written for hardware; who has no GPU gets the CPU backend, which is several times as fast there. So where the two columns
disagree, the H200's decides; the software GPU's tells which verdicts are no laws.

- **Order of stream compaction.** Of the ways that keep the order ours is the quickest on the H200 at every length from 4,096 to 67
  million words (look-back takes .97 of its time at 1,024). \`reserve\`, which hands out room by an atomic and so keeps the order
  within a workgroup alone, takes .84 to .90 of our time up to a million words, and up to 1.19 from four million on. [Ours
  ships](compact.md#the-published-ways-on-bare-words): for .7 µs of a frame points are the same in every run (which the bytes that
  a replay promises need), and neighbours in the picture stay neighbours in the list, of which dofSplat's workgroups make use. On
  the software GPU \`sequences\` wins by far, whose few workgroups loop as a processor likes it.
- **The ratio of an invocation a word to sequences**, published as 1.5 on four generations of cards, is not a constant on the
  H200. Sequences read in an order in which a mere copy takes 7.7 times as long. The data's structure does not matter there.
- **Atomics are not free.** On the H200 an add whose result is ignored takes 67 times as long as a store where all invocations
  share a cell, 5.5 times with adjacent cells, and 100 multiply-adds do not hide it; 128 bytes apart it is cheaper than a store
  (.68). So no kernel adds to memory for each pixel. [The grid's build](bilateralGrid.md) gives a workgroup a column of the grid
  that no other writes, sums in workgroup memory, and adds up successive pixels of a cell before it uses an atomic at all;
  dofSplat reserves room once a tile and workgroup.
- **The lock is 32 bytes wide** on the H200. Two adds 4 to 16 bytes apart take half as long as two that are 32 to 128 bytes apart:
  it takes atomics by sectors of 32 bytes, those of one sector together. (That 256 bytes apart are quick again is not explained.)
  So what neighbours add to should lie side by side. Spacing cells 128 bytes apart, which keeps the cores of a processor out of
  each other's way, makes an add 6.3 times as dear. In the grid's build the sums of adjacent tiles are adjacent words, in dofSplat
  the counts of adjacent tiles.
- **Samples into tiles.** On dofSplat's own lists dofSplat's windows are the quickest way (the next one, a histogram of 1024
  samples, takes 1.35 times as long), as for four more of the eleven inputs: the windows stay. One atomic a sample takes 2.7 to 30
  times as long as the best. On the software GPU it is the best by far, since nothing contends there; the kernel is not written
  for that.
- **Bindings.** Windows of 5×5 and more are read up to 1.64 times as quickly from a buffer that is bound read-only; smaller ones,
  whose reads are few, take the same time. So every buffer that a kernel only reads is bound read-only, which a test asks of all
  of them (\`tests/bindings.test.ts\`).
- **Work an invocation.** Several pixels an invocation, which share what they read, take down to a third of the time; as many
  invocations as possible is the wrong rule (one output of the median each takes 1.5 to 3.1 times as long as four or eight). The
  shipped median has eight, and is within 2 % of the fastest.
- **Limits.** The terms say what a stage's time should be spent on, and which ones are far from that. [How close to the
  limit](ceilings.md) tells what was found where.
`;
