;; The tiles of a picture, drawn one after the other by as many threads as there are on this memory: each takes the next that nobody has
;; taken. A job is words: tiles that are left to take, tiles that are not done, and one that is thread.ts' alone; the picture's columns of
;; tiles, its width and height; where the lists' starts, rgba and depth are; lit, bytes, empty, edges and their end, as the modules that are
;; asked take them. It is read when a tile was taken, no sooner: before that it may be the last picture's.
(module
  (import "twin" "memory" (memory 0 65536))
  (import "twin" "clear" (func $clear (param i32 i32 i32)))
  (import "twin" "sort" (func $sort (param i32 i32 i32 i32) (result i32)))
  (import "twin" "accumulate" (func $accumulate (param i32 i32 i32 i32 i32 i32 i32 i32 i32)))
  (import "twin" "develop" (func $develop (param i32 i32 i32 i32 i32 i32 i32 i32 i32)))

  ;; `desk` is this thread's own: a film, 2,048 words for sorting, and where there is room for a list.
  (func (export "draw") (param $job i32) (param $desk i32)
    (local $tile i32) (local $left i32) (local $top i32) (local $width i32) (local $height i32)
    (local $from i32) (local $to i32) (local $list i32) (local $at i32) (local $stride i32)
    (loop $next
      (local.set $tile (i32.sub (i32.atomic.rmw.sub (local.get $job) (i32.const 1)) (i32.const 1)))
      (if (i32.lt_s (local.get $tile) (i32.const 0)) (then (return)))
      (local.set $stride (i32.load offset=16 (local.get $job)))
      (local.set $left (i32.shl (i32.rem_u (local.get $tile) (i32.load offset=12 (local.get $job))) (i32.const 6)))
      (local.set $top (i32.shl (i32.div_u (local.get $tile) (i32.load offset=12 (local.get $job))) (i32.const 6)))
      (local.set $width (i32.sub (local.get $stride) (local.get $left)))
      (local.set $width (select (local.get $width) (i32.const 64) (i32.lt_u (local.get $width) (i32.const 64))))
      (local.set $height (i32.sub (i32.load offset=20 (local.get $job)) (local.get $top)))
      (local.set $height (select (local.get $height) (i32.const 64) (i32.lt_u (local.get $height) (i32.const 64))))
      (call $clear (local.get $desk) (local.get $width) (local.get $height))
      (local.set $at (i32.add (i32.load offset=24 (local.get $job)) (i32.shl (local.get $tile) (i32.const 2))))
      (local.set $from (i32.load (local.get $at)))
      (local.set $to (i32.load offset=4 (local.get $at)))
      (local.set $list
        (call $sort
          (local.get $from)
          (local.get $to)
          (i32.load offset=90112 (local.get $desk))
          (i32.add (local.get $desk) (i32.const 81920))))
      (call $accumulate
        (local.get $list)
        (i32.add (local.get $list) (i32.sub (local.get $to) (local.get $from)))
        (local.get $desk)
        (local.get $left)
        (local.get $top)
        (i32.sub (i32.add (local.get $left) (local.get $width)) (i32.const 1))
        (i32.sub (i32.add (local.get $top) (local.get $height)) (i32.const 1))
        (i32.load offset=48 (local.get $job))
        (i32.load offset=52 (local.get $job)))
      (local.set $at
        (i32.shl (i32.add (i32.mul (local.get $top) (local.get $stride)) (local.get $left)) (i32.const 2)))
      (call $develop
        (local.get $desk)
        (local.get $width)
        (local.get $height)
        (i32.add (i32.load offset=28 (local.get $job)) (local.get $at))
        (i32.add (i32.load offset=32 (local.get $job)) (local.get $at))
        (local.get $stride)
        (i32.load offset=36 (local.get $job))
        (i32.load offset=40 (local.get $job))
        (i32.load offset=44 (local.get $job)))
      ;; Who draws the last wakes who waits for it.
      (if (i32.eq (i32.atomic.rmw.sub offset=4 (local.get $job) (i32.const 1)) (i32.const 1))
        (then (drop (memory.atomic.notify offset=4 (local.get $job) (i32.const 1)))))
      (br $next))))
