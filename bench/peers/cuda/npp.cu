// NPP's median 3×3 and 5×5 of 16-bit images, and its bilateral filter (direct, radius 8: a 17×17 window).
#include <nppi.h>

#include "timing.cuh"

#define NPP(call)                                                                                                  \
  do {                                                                                                             \
    const NppStatus status = (call);                                                                               \
    if (status != NPP_SUCCESS) fail(std::string(#call).substr(0, 40) + ": NPP status " + std::to_string(status)); \
  } while (0)

// NPP reads past the region of interest: the images lie inside a border of repeated edge pixels.
constexpr int BORDER = 8;

// CUDA 13 has no nppGetStreamContext: the application fills it in.
NppStreamContext contextFor(cudaStream_t stream) {
  NppStreamContext context{};
  cudaDeviceProp properties;
  CUDA(cudaGetDevice(&context.nCudaDeviceId));
  CUDA(cudaGetDeviceProperties(&properties, context.nCudaDeviceId));
  context.hStream = stream;
  context.nMultiProcessorCount = properties.multiProcessorCount;
  context.nMaxThreadsPerMultiProcessor = properties.maxThreadsPerMultiProcessor;
  context.nMaxThreadsPerBlock = properties.maxThreadsPerBlock;
  context.nSharedMemPerBlock = properties.sharedMemPerBlock;
  context.nCudaDevAttrComputeCapabilityMajor = properties.major;
  context.nCudaDevAttrComputeCapabilityMinor = properties.minor;
  CUDA(cudaStreamGetFlags(stream, &context.nStreamFlags));
  return context;
}

// The size's type differs between versions of NPP; it is taken from the function.
template <class Size>
size_t medianBuffer(NppStatus (*query)(NppiSize, NppiSize, Size*, NppStreamContext), NppiSize roi, NppiSize mask,
                    NppStreamContext context) {
  Size bytes = 0;
  NPP(query(roi, mask, &bytes, context));
  return bytes;
}

template <class T>
struct Images {
  std::vector<T*> allocations, from, to;
  int stepFrom, stepTo;

  explicit Images(const Frames& frames)
      : stepFrom(int(pitchOf(frames) * sizeof(T))), stepTo(int(frames.width * sizeof(T))) {
    const int width = frames.width, height = frames.height, pitch = pitchOf(frames);
    std::vector<T> padded(size_t(pitch) * (height + 2 * BORDER));
    for (uint32_t image = 0; image < frames.images; image++) {
      for (int y = 0; y < height + 2 * BORDER; y++)
        for (int x = 0; x < pitch; x++)
          padded[size_t(y) * pitch + x] = T(frames.image(image)[size_t(std::clamp(y - BORDER, 0, height - 1)) * width +
                                                                std::clamp(x - BORDER, 0, width - 1)]);
      allocations.push_back(upload(padded.data(), padded.size()));
      from.push_back(allocations.back() + size_t(BORDER) * pitch + BORDER);
      to.push_back(allocate<T>(frames.pixels()));
    }
  }
  // Rows begin where a vector load may.
  static int pitchOf(const Frames& frames) { return int(frames.width + 2 * BORDER + 255) / 256 * 256; }
  ~Images() {
    for (T* pointer : allocations) cudaFree(pointer);
    for (T* pointer : to) cudaFree(pointer);
  }
};

// On a stream only: NPP refuses to be captured in a graph, and says so on standard output.
// One function that fails (a GPU that this NPP does not know) leaves the others to be measured.
void measure(Report& report, GpuTimer& timer, const std::string& name, const std::string& stage, double bytes,
             const std::function<void(int)>& call, const std::string& output, const uint16_t* result) {
  const int repeats = repeatsFor(report.frames);
  std::vector<double> launched;
  try {
    call(0);
    CUDA(cudaStreamSynchronize(timer.stream));
    launched = timer.plain(report.trials, repeats, call);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    cudaGetLastError();
    return;
  }
  if (result) {
    std::vector<uint16_t> depth(report.frames.pixels());
    CUDA(cudaMemcpy(depth.data(), result, depth.size() * sizeof(uint16_t), cudaMemcpyDeviceToHost));
    report.write(output, depth.data(), depth.size() * sizeof(uint16_t));
  }
  const std::string kind = result ? "depth" : "";
  report.add(name + ", stream", stage, bytes, launched, kind, output);
}

void measureMedians(Report& report, GpuTimer& timer, const NppStreamContext& context, NppiSize roi) {
  Images<Npp16u> u16(report.frames);
  const size_t images = report.frames.images;
  for (const int size : {3, 5}) {
    const NppiSize mask{size, size};
    const NppiPoint anchor{size / 2, size / 2};
    Npp8u* buffer = allocate<Npp8u>(
        std::max<size_t>(1, medianBuffer(nppiFilterMedianGetBufferSize_16u_C1R_Ctx, roi, mask, context)));
    const std::string side = std::to_string(size);
    measure(
        report, timer, "NPP nppiFilterMedian_16u_C1R " + side + "x" + side, "median", 4.0 * report.frames.pixels(),
        [&](int i) {
          NPP(nppiFilterMedian_16u_C1R_Ctx(u16.from[i % images], u16.stepFrom, u16.to[i % images], u16.stepTo, roi, mask,
                                           anchor, buffer, context));
        },
        "median" + side + ".bin", u16.to[0]);
    CUDA(cudaFree(buffer));
  }
}

// σ 8 pixels and 50 mm. The time depends on neither; the window of radius 8 is what costs.
template <class T, class Filter>
void measureBilateral(Report& report, GpuTimer& timer, const NppStreamContext& context, NppiSize roi,
                      const std::string& name, Filter filter) {
  Images<T> images(report.frames);
  const size_t count = report.frames.images;
  const float sigma = 0.05f / report.frames.metresPerUnit;
  measure(
      report, timer, name + " radius 8", "bilateralGrid", 2.0 * sizeof(T) * report.frames.pixels(),
      [&](int i) {
        NPP(filter(images.from[i % count], images.stepFrom, roi, NppiPoint{0, 0}, images.to[i % count], images.stepTo, roi,
                   8, 1, sigma * sigma, 64, NPP_BORDER_REPLICATE, context));
      },
      "", nullptr);
}

int main(int count, char** arguments) {
  return runPeer(count, arguments, [](Report& report) {
    GpuTimer timer;
    const NppStreamContext context = contextFor(timer.stream);
    const NppiSize roi{int(report.frames.width), int(report.frames.height)};
    measureMedians(report, timer, context, roi);
    measureBilateral<Npp16u>(report, timer, context, roi, "NPP FilterBilateralGaussBorder_16u_C1R",
                             nppiFilterBilateralGaussBorder_16u_C1R_Ctx);
    measureBilateral<Npp32f>(report, timer, context, roi, "NPP FilterBilateralGaussBorder_32f_C1R",
                             nppiFilterBilateralGaussBorder_32f_C1R_Ctx);
  });
}
