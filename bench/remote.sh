#!/bin/sh
# Measures on a machine that has a GPU and little else: no Node, no npm, nothing to install from.
#
#   bench/remote.sh CARRY OUT [options of bench]
#
# CARRY holds what such a machine lacks (x86-64 Linux):
#   node.xz        a Node binary           dawn.node.xz   webgpu/dist/linux-x64/dawn.node
#   webgpu/        the package's index.js and package.json
#   bench.js       made by npm run bench:bundle
#   recordings/    optional: folders of real frames to measure on as well
# The CUDA peers are built from the working tree where nvcc is. A Vulkan loader and driver have to be there.
# OUT receives report.json and report.html (the device measured as by `depthloom report`, REPORT_SECONDS long, 240 by default),
# bench.json and bench.html (kernels at all sizes to 16 MP, both modes, peers; --backend all adds the twins),
# odd.json (odd sizes: right or wrong), huge.json (copy and compact at 2^26 pixels), tune.json and tune.html (the fastest
# variants), bench.log and machine.txt.
# It takes sixteen to twenty-five minutes. Exit status: 0 if every output was right.
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || { sed -n '2,16p' "$0" >&2; exit 2; }
carry=$(cd "$1" && pwd) || exit 2
mkdir -p "$2" && out=$(cd "$2" && pwd) || exit 2
shift 2
home=$(mktemp -d) && trap 'rm -rf "$home"' EXIT

unpack() { # from.xz to
  if command -v xz >/dev/null; then
    xz -dc "$1" >"$2"
  else
    python3 -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), open(sys.argv[2], "wb"))' "$1" "$2"
  fi
}
dawn=$home/node_modules/webgpu/dist/linux-x64
mkdir -p "$dawn"
unpack "$carry/node.xz" "$home/node" && chmod +x "$home/node" || exit 1
unpack "$carry/dawn.node.xz" "$dawn/dawn.node" || exit 1
cp "$carry"/webgpu/* "$home/node_modules/webgpu/" && cp "$carry/bench.js" "$home/bench.js" || exit 1

about() {
  date -u
  "$home/node" --version
  ldconfig -p | grep libvulkan || echo "no Vulkan loader"
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,temperature.gpu,power.draw --format=csv
}
about >"$out/machine.txt" 2>&1
"$here/peers/build.sh" "$home/peers" 2>&1 | tee "$out/bench.log"
cat "$home/peers/build.log" >>"$out/bench.log"

recordings=
for folder in "$carry"/recordings/*/; do [ -d "$folder" ] && recordings="$recordings --recording $folder"; done
adapter=${BENCH_ADAPTER:-hardware}
wrong=0
measure() { # seconds at most, where the table goes, then options
  seconds=$1 table=$2
  shift 2
  timeout "$seconds" "$home/node" "$home/bench.js" bench --adapter "$adapter" "$@" >"$table" 2>>"$out/bench.log" && return
  echo "bench $*: exit status $?" | tee -a "$out/bench.log" && wrong=1
}
export XDG_CACHE_HOME="$home/cache"
# The report measures the device's limits first and keeps them, so that the tables behind it tell how close a stage comes to them.
budget=${REPORT_SECONDS:-240}
timeout $((budget + 120)) "$home/node" "$home/bench.js" report --adapter "$adapter" --budget "$budget" --out "$out/report.html" \
  --json "$out/report.json" >"$home/report" 2>>"$out/bench.log" || { echo "report: exit status $?" | tee -a "$out/bench.log"; wrong=1; }
# Sizes that no workgroup divides, few trials: what is looked for is a wrong output.
measure 90 "$home/odd" --backend webgpu --quick --trials 3 --data structured,random50 --out "$out/odd.json" \
  --sizes 1x1,7x5,33x17,641x479,512x424,1000x3
# shellcheck disable=SC2086
measure 420 "$home/table" --backend webgpu --peers "$home/peers" $recordings --out "$out/bench.json" --html "$out/bench.html" "$@"
[ "$adapter" = software ] || measure 120 "$home/huge" --backend webgpu --peers "$home/peers" --out "$out/huge.json" \
  --sizes 8192x8192 --stages copy,compact --data random50,random80
# What depth of field costs, with the kernels' defaults and with what the tuning before it found.
timeout 240 "$home/node" "$home/bench.js" tune --adapter "$adapter" --budget 60 --json --html "$out/tune.html" \
  >"$out/tune.json" 2>>"$out/bench.log" || { echo "tune: exit status $?" | tee -a "$out/bench.log"; wrong=1; }
about >>"$out/machine.txt" 2>&1
for table in report odd table huge; do [ -s "$home/$table" ] && cat "$home/$table" >>"$out/bench.log"; done
cat "$home/table"
cd "$out" && for what in true false; do echo "checked: $what" && grep -c "\"checked\": $what" odd.json bench.json huge.json; done
exit $wrong
