// OpenCV: medianBlur 3 and 5 of 16-bit images, bilateralFilter of floats (direct, windows 9 and 33 wide).
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "../peer.hpp"

namespace {

std::string threadsOf(int threads) { return threads == 1 ? ", 1 thread" : ", " + std::to_string(threads) + " threads"; }

std::vector<int> threadCounts() {
  const int all = cv::getNumberOfCPUs();
  return all > 1 ? std::vector<int>{1, all} : std::vector<int>{1};
}

void median(Report& report, const std::vector<cv::Mat>& images, int size) {
  const std::string side = std::to_string(size), output = "opencv-median" + side + ".bin";
  cv::Mat result;
  for (const int threads : threadCounts()) {
    cv::setNumThreads(threads);
    const auto micros =
        timeWall(report.trials, [&](int i) { cv::medianBlur(images[i % images.size()], result, size); });
    cv::medianBlur(images[0], result, size);
    report.write(output, result.data, result.total() * result.elemSize());
    report.add("OpenCV medianBlur " + side + "x" + side + " CV_16U" + threadsOf(threads), "median",
               4.0 * report.frames.pixels(), micros, "depth", output);
  }
}

void bilateral(Report& report, const std::vector<cv::Mat>& images, int diameter) {
  cv::Mat result;
  for (const int threads : threadCounts()) {
    cv::setNumThreads(threads);
    const auto micros = timeWall(report.trials, [&](int i) {
      cv::bilateralFilter(images[i % images.size()], result, diameter, 0.05, diameter / 2.0);
    });
    report.add("OpenCV bilateralFilter d=" + std::to_string(diameter) + " CV_32F" + threadsOf(threads), "bilateralGrid",
               8.0 * report.frames.pixels(), micros);
  }
}

}  // namespace

int main(int count, char** arguments) {
  return runPeer(count, arguments, [](Report& report) {
    const Frames& frames = report.frames;
    std::vector<cv::Mat> depth, metres;
    for (uint32_t i = 0; i < frames.images; i++) {
      const cv::Mat view(int(frames.height), int(frames.width), CV_16U, const_cast<uint16_t*>(frames.image(i)));
      depth.push_back(view.clone());
      metres.emplace_back();
      view.convertTo(metres.back(), CV_32F, frames.metresPerUnit);
    }
    median(report, depth, 3);
    median(report, depth, 5);
    bilateral(report, metres, 9);
    bilateral(report, metres, 33);
  });
}
