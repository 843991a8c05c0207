// PCL's FastBilateralFilter (Paris and Durand's grid) and its OpenMP form: σ 16 pixels, 0.05 m and 0.1 m.
// It replaces invalid points by the farthest depth, so its output is comparable only where every pixel is valid.
#define PCL_NO_PRECOMPILE
#include <pcl/filters/fast_bilateral.h>
#include <pcl/filters/fast_bilateral_omp.h>
#include <pcl/point_cloud.h>
#include <pcl/point_types.h>

#include <cmath>
#include <limits>
#include <thread>

#include "../peer.hpp"

namespace {

using Cloud = pcl::PointCloud<pcl::PointXYZ>;

Cloud::Ptr cloudOf(const Frames& frames, const uint16_t* depth) {
  Cloud::Ptr cloud(new Cloud(frames.width, frames.height));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (uint32_t y = 0; y < frames.height; y++)
    for (uint32_t x = 0; x < frames.width; x++) {
      const uint16_t units = depth[size_t(y) * frames.width + x];
      const float z = units ? units * frames.metresPerUnit : nan;
      cloud->at(x, y) = {(x - frames.cx) * z / frames.fx, (y - frames.cy) * z / frames.fy, z};
    }
  cloud->is_dense = false;
  return cloud;
}

template <class Filter>
void measure(Report& report, const std::vector<Cloud::Ptr>& clouds, Filter& filter, const std::string& name,
             float sigmaMetres) {
  filter.setSigmaS(16);
  filter.setSigmaR(sigmaMetres);
  Cloud result;
  const auto run = [&](int i) {
    filter.setInputCloud(clouds[i % clouds.size()]);
    filter.filter(result);
  };
  const auto micros = timeWall(report.trials, run);
  run(0);
  std::vector<uint16_t> depth(report.frames.pixels());
  for (size_t i = 0; i < depth.size(); i++)
    depth[i] = uint16_t(std::lround(std::fmin(std::fmax(result[i].z / report.frames.metresPerUnit, 0.f), 65535.f)));
  const std::string output = "pcl-" + std::to_string(int(std::lround(sigmaMetres * 1000))) + ".bin";
  report.write(output, depth.data(), depth.size() * sizeof(uint16_t));
  char sigma[16];
  std::snprintf(sigma, sizeof sigma, "%g", sigmaMetres);
  report.add("PCL " + name + " 16 px, " + sigma + " m", "bilateralGrid", 4.0 * report.frames.pixels(), micros, "bilateral",
             output);
}

}  // namespace

int main(int count, char** arguments) {
  return runPeer(count, arguments, [](Report& report) {
    const Frames& frames = report.frames;
    std::vector<Cloud::Ptr> clouds;
    for (uint32_t i = 0; i < frames.images; i++) clouds.push_back(cloudOf(frames, frames.image(i)));
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    for (const float sigma : {0.05f, 0.1f}) {
      pcl::FastBilateralFilter<pcl::PointXYZ> single;
      measure(report, clouds, single, "FastBilateralFilter", sigma);
      pcl::FastBilateralFilterOMP<pcl::PointXYZ> parallel(threads);
      measure(report, clouds, parallel, "FastBilateralFilterOMP " + std::to_string(threads) + " threads", sigma);
    }
  });
}
