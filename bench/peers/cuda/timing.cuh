// Timing on the GPU's clock, two ways: a CUDA graph of many calls (no launch gap a host could add) and the plain stream.
#pragma once
#include <cuda_runtime.h>

#include <functional>

#include "../peer.hpp"

#define CUDA(call)                                                                                      \
  do {                                                                                                  \
    const cudaError_t status = (call);                                                                  \
    if (status != cudaSuccess)                                                                          \
      fail(std::string(#call).substr(0, 40) + ": " + cudaGetErrorString(status));                       \
  } while (0)

// Filled with what no result is. The fill runs in the default stream, for which ours does not wait: hence the wait here.
template <class T>
T* allocate(size_t count) {
  T* pointer = nullptr;
  CUDA(cudaMalloc(&pointer, count * sizeof(T)));
  CUDA(cudaMemset(pointer, 0xa5, count * sizeof(T)));
  CUDA(cudaDeviceSynchronize());
  return pointer;
}

template <class T>
T* upload(const T* data, size_t count) {
  T* pointer = allocate<T>(count);
  CUDA(cudaMemcpy(pointer, data, count * sizeof(T), cudaMemcpyHostToDevice));
  CUDA(cudaDeviceSynchronize());
  return pointer;
}

// Calls between two timestamps: enough that their resolution does not matter, and each image the same number of times.
inline int repeatsFor(const Frames& frames) {
  const size_t wanted = std::min<size_t>(200, std::max<size_t>(4, 40'000'000 / frames.pixels()));
  return int((wanted + frames.images - 1) / frames.images * frames.images);
}

class GpuTimer {
 public:
  GpuTimer() {
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&begin_));
    CUDA(cudaEventCreate(&end_));
  }

  // Microseconds a call, one entry a trial. `call(i)` enqueues one call on `stream`.
  std::vector<double> plain(int trials, int repeats, const std::function<void(int)>& call) {
    return time(trials, repeats, [&] {
      for (int i = 0; i < repeats; i++) call(i);
    });
  }

  // The same calls captured once in a graph and replayed. Empty if they cannot be captured.
  std::vector<double> graph(int trials, int repeats, const std::function<void(int)>& call) {
    call(0);
    CUDA(cudaStreamSynchronize(stream));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    bool captured = true;
    try {
      for (int i = 0; i < repeats; i++) call(i);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "not captured in a graph: %s\n", error.what());
      captured = false;
    }
    captured = cudaStreamEndCapture(stream, &graph) == cudaSuccess && captured;
    if (!captured || cudaGraphInstantiate(&replay, graph, 0) != cudaSuccess) {
      cudaGetLastError();
      return {};
    }
    auto micros = time(trials, repeats, [&] { CUDA(cudaGraphLaunch(replay, stream)); });
    CUDA(cudaGraphExecDestroy(replay));
    CUDA(cudaGraphDestroy(graph));
    return micros;
  }

  cudaStream_t stream = nullptr;

 private:
  template <class Work>
  std::vector<double> time(int trials, int repeats, Work work) {
    std::vector<double> micros;
    for (int trial = -3; trial < trials; trial++) {
      CUDA(cudaEventRecord(begin_, stream));
      work();
      CUDA(cudaEventRecord(end_, stream));
      CUDA(cudaEventSynchronize(end_));
      CUDA(cudaGetLastError());
      float ms = 0;
      CUDA(cudaEventElapsedTime(&ms, begin_, end_));
      if (trial >= 0) micros.push_back(ms * 1000.0 / repeats);
    }
    return micros;
  }

  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};
