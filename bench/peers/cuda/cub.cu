// CUB's DeviceSelect::If, and device memcpy as the measure of memory.
//   words:  u32 words in, those that are not 0 out: stream compaction in its plainest form.
//   points: what Depthloom's compact computes, u16 depth in, points of 16 bytes out, through a transforming iterator.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_select.cuh>

#include "timing.cuh"

struct NotZero {
  __device__ bool operator()(uint32_t word) const { return word != 0; }
};

struct IsPoint {
  __device__ bool operator()(const float4& point) const { return point.z > 0; }
};

struct Unproject {
  const uint16_t* depth;
  uint32_t width;
  float metresPerUnit, invFx, invFy, cx, cy;
  __device__ float4 operator()(uint32_t i) const {
    const float z = depth[i] * metresPerUnit;
    return {(float(i % width) - cx) * z * invFx, (float(i / width) - cy) * z * invFy, z, __uint_as_float(~0u)};
  }
};

// Measures one selection over every image, both ways, and writes what image 0 gave: its count, then its items.
template <class In, class Item, class Predicate>
void measure(Report& report, GpuTimer& timer, const std::string& name, const std::string& kind,
             const std::vector<In>& inputs, const std::vector<Item*>& outputs, Predicate predicate, double bytes) {
  const int n = int(report.frames.pixels());
  const size_t images = inputs.size();
  uint32_t* count = allocate<uint32_t>(1);
  size_t temporaryBytes = 0;
  CUDA(cub::DeviceSelect::If(nullptr, temporaryBytes, inputs[0], outputs[0], count, n, predicate, timer.stream));
  uint8_t* temporary = allocate<uint8_t>(temporaryBytes);
  const auto call = [&](int i) {
    CUDA(cub::DeviceSelect::If(temporary, temporaryBytes, inputs[i % images], outputs[i % images], count, n, predicate,
                               timer.stream));
  };
  const int repeats = repeatsFor(report.frames);
  const auto replayed = timer.graph(report.trials, repeats, call);
  const auto launched = timer.plain(report.trials, repeats, call);
  call(0);
  CUDA(cudaStreamSynchronize(timer.stream));
  uint32_t selected = 0;
  CUDA(cudaMemcpy(&selected, count, sizeof selected, cudaMemcpyDeviceToHost));
  std::vector<uint8_t> result(16 + selected * sizeof(Item));
  std::memcpy(result.data(), &selected, sizeof selected);
  CUDA(cudaMemcpy(result.data() + 16, outputs[0], selected * sizeof(Item), cudaMemcpyDeviceToHost));
  report.write(kind + ".bin", result.data(), result.size());
  bytes += double(selected) * sizeof(Item);
  if (!replayed.empty()) report.add(name + ", graph", "compact", bytes, replayed, kind, kind + ".bin");
  report.add(name + ", stream", "compact", bytes, launched, kind, kind + ".bin");
  CUDA(cudaFree(temporary));
  CUDA(cudaFree(count));
}

void measureCopy(Report& report, GpuTimer& timer, const std::string& name, size_t bytes) {
  std::vector<uint8_t*> from, to;
  for (uint32_t i = 0; i < report.frames.images; i++) {
    from.push_back(allocate<uint8_t>(bytes));
    to.push_back(allocate<uint8_t>(bytes));
  }
  const auto call = [&](int i) {
    const size_t image = i % from.size();
    CUDA(cudaMemcpyAsync(to[image], from[image], bytes, cudaMemcpyDeviceToDevice, timer.stream));
  };
  const int repeats = repeatsFor(report.frames);
  const auto replayed = timer.graph(report.trials, repeats, call);
  if (!replayed.empty()) report.add(name + ", graph", "copy", 2.0 * bytes, replayed);
  report.add(name + ", stream", "copy", 2.0 * bytes, timer.plain(report.trials, repeats, call));
  for (size_t i = 0; i < from.size(); i++) {
    CUDA(cudaFree(from[i]));
    CUDA(cudaFree(to[i]));
  }
}

void measureWords(Report& report, GpuTimer& timer) {
  const Frames& frames = report.frames;
  const size_t n = frames.pixels();
  std::vector<const uint32_t*> inputs;
  std::vector<uint32_t*> outputs;
  std::vector<uint32_t> words(n);
  for (uint32_t i = 0; i < frames.images; i++) {
    std::copy(frames.image(i), frames.image(i) + n, words.begin());
    inputs.push_back(upload(words.data(), n));
    outputs.push_back(allocate<uint32_t>(n));
  }
  measure(report, timer, "CUB DeviceSelect::If, u32 words", "words", inputs, outputs, NotZero{}, 4.0 * n);
  for (auto pointer : inputs) CUDA(cudaFree(const_cast<uint32_t*>(pointer)));
  for (auto pointer : outputs) CUDA(cudaFree(pointer));
}

void measurePoints(Report& report, GpuTimer& timer) {
  const Frames& frames = report.frames;
  const size_t n = frames.pixels();
  const auto pointsOf = [&](const uint16_t* depth) {
    const Unproject unproject{depth,     frames.width, frames.metresPerUnit, 1 / frames.fx, 1 / frames.fy,
                              frames.cx, frames.cy};
    return thrust::make_transform_iterator(thrust::counting_iterator<uint32_t>(0), unproject);
  };
  std::vector<decltype(pointsOf(nullptr))> inputs;
  std::vector<float4*> outputs;
  for (uint32_t i = 0; i < frames.images; i++) {
    inputs.push_back(pointsOf(upload(frames.image(i), n)));
    outputs.push_back(allocate<float4>(n));
  }
  measure(report, timer, "CUB DeviceSelect::If, points", "points", inputs, outputs, IsPoint{}, 2.0 * n);
  for (auto pointer : outputs) CUDA(cudaFree(pointer));
}

int main(int count, char** arguments) {
  return runPeer(count, arguments, [](Report& report) {
    GpuTimer timer;
    measureCopy(report, timer, "device memcpy, frame", report.frames.pixels() * sizeof(uint16_t));
    measureCopy(report, timer, "device memcpy, u32 words", report.frames.pixels() * sizeof(uint32_t));
    measureWords(report, timer);
    measurePoints(report, timer);
  });
}
