#!/bin/sh
# Builds the peers whose toolchain is here; says which are left out and why. Usage: build.sh [OUTDIR]
#   cub, npp      CUDA 12 or 13: nvcc, NPP's headers and libraries (CUDA_ARCH, default sm_90)
#   opencv, pcl   Debian: libopencv-imgproc-dev, libpcl-dev (or PCL_PREFIX: a folder with include/pcl-*), libeigen3-dev, libboost-dev
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../.cache/peers}
mkdir -p "$out" && out=$(cd "$out" && pwd)
log=$out/build.log
: >"$log"

build() { # name, then the compiler's command line
  name=$1
  shift
  # Built beside and renamed, so that a failed build leaves no program that would be run.
  if "$@" -o "$out/$name.new" >>"$log" 2>&1; then
    mv "$out/$name.new" "$out/$name" && echo "built $name" >&2
  else
    rm -f "$out/$name" "$out/$name.new"
    echo "left out $name: it does not compile here (see $log)" >&2
  fi
}

first() { for path; do [ -e "$path" ] && echo "$path" && return; done; }

nvcc=$(command -v nvcc || first /usr/local/cuda/bin/nvcc)
if [ -n "$nvcc" ]; then
  flags="-arch=${CUDA_ARCH:-sm_90} -O3 -std=c++17"
  build cub "$nvcc" $flags "$here/cuda/cub.cu"
  root=$(cd "$(dirname "$(readlink -f "$nvcc")")/.." && pwd)
  nppi=$(first "${NPP_PREFIX:-/nowhere}/include/nppi.h" /usr/local/cuda/include/nppi.h "$root"/include/nppi.h \
    "$root"/targets/*/include/nppi.h)
  if [ -n "$nppi" ]; then
    prefix=$(dirname "$(dirname "$nppi")")
    lib=$(first "$prefix/lib64" "$prefix/lib")
    build npp "$nvcc" $flags -I"$prefix/include" "$here/cuda/npp.cu" -L"$lib" -Xlinker -rpath="$lib" -lnppif -lnppc
  else
    echo "left out npp: no nppi.h beside $nvcc (NPP_PREFIX names another place)" >&2
  fi
else
  echo "left out cub and npp: no nvcc" >&2
fi

cxx=${CXX:-g++}
if command -v "$cxx" >/dev/null; then
  flags="-O3 -march=native -std=c++17"
  opencv=$(first /usr/include/opencv4 /usr/local/include/opencv4)
  if [ -n "$opencv" ]; then
    build opencv "$cxx" $flags -I"$opencv" "$here/cpp/opencv.cpp" -lopencv_imgproc -lopencv_core
  else
    echo "left out opencv: no headers (libopencv-imgproc-dev)" >&2
  fi
  pcl=$(first "${PCL_PREFIX:-/nowhere}"/include/pcl-* /usr/include/pcl-* /usr/local/include/pcl-*)
  if [ -n "$pcl" ]; then
    lib=$(first "${PCL_PREFIX:-/nowhere}"/lib/*/libpcl_common.so /usr/lib/*/libpcl_common.so /usr/local/lib/libpcl_common.so)
    build pcl "$cxx" $flags -fopenmp -w -I"$pcl" -I/usr/include/eigen3 "$here/cpp/pcl.cpp" "$lib" \
      -Wl,-rpath,"$(dirname "$lib")"
  else
    echo "left out pcl: no headers (libpcl-dev, or PCL_PREFIX)" >&2
  fi
fi
