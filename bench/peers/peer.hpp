// What every peer program shares: reading the bench's frames, statistics, and its report on standard output.
//
//   peer FRAMES OUTDIR TRIALS
//
// FRAMES, little-endian: u32 "DLB1", width, height, images; f32 metres per unit, fx, fy, cx, cy; zeros up to byte 64;
// then the images, u16, row-major, without padding. 0 is invalid. The images are used in rotation.
// Standard output: {"peers": [...]}, times in microseconds. OUTDIR receives what was computed from image 0.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Frames {
  uint32_t width = 0, height = 0, images = 0;
  float metresPerUnit = 0, fx = 0, fy = 0, cx = 0, cy = 0;
  std::vector<uint16_t> depth;
  size_t pixels() const { return size_t(width) * height; }
  const uint16_t* image(size_t i) const { return depth.data() + (i % images) * pixels(); }
};

[[noreturn]] inline void fail(const std::string& what) { throw std::runtime_error(what); }

inline Frames readFrames(const char* path) {
  std::ifstream file(path, std::ios::binary);
  char header[64];
  if (!file.read(header, sizeof header)) fail(std::string(path) + ": no header; it should be written by the bench");
  if (std::memcmp(header, "DLB1", 4) != 0) fail(std::string(path) + ": does not begin with DLB1");
  Frames frames;
  uint32_t size[3];
  float camera[5];
  std::memcpy(size, header + 4, sizeof size);
  std::memcpy(camera, header + 16, sizeof camera);
  frames.width = size[0], frames.height = size[1], frames.images = size[2];
  frames.metresPerUnit = camera[0], frames.fx = camera[1], frames.fy = camera[2];
  frames.cx = camera[3], frames.cy = camera[4];
  frames.depth.resize(frames.pixels() * frames.images);
  const std::streamsize bytes = frames.depth.size() * sizeof(uint16_t);
  if (bytes == 0 || !file.read(reinterpret_cast<char*>(frames.depth.data()), bytes))
    fail(std::string(path) + ": shorter than its header says");
  return frames;
}

class Report {
 public:
  Report(int count, char** arguments) {
    if (count != 4) fail(std::string("usage: ") + arguments[0] + " FRAMES OUTDIR TRIALS");
    frames = readFrames(arguments[1]);
    folder_ = arguments[2];
    trials = std::max(1, std::atoi(arguments[3]));
  }

  // `micros`: one entry a trial. `kind`: how OUTDIR/`output` is to be read; empty where nothing is to be compared.
  void add(const std::string& name, const std::string& stage, double bytes, std::vector<double> micros,
           const std::string& kind = "", const std::string& output = "") {
    std::sort(micros.begin(), micros.end());
    const auto at = [&](double p) { return micros[size_t(p * (micros.size() - 1) + 0.5)]; };
    char line[512];
    std::snprintf(line, sizeof line,
                  "%s{\"name\":\"%s\",\"stage\":\"%s\",\"medianUs\":%.4f,\"p10Us\":%.4f,\"p90Us\":%.4f,\"bytes\":%.0f,"
                  "\"kind\":\"%s\",\"output\":\"%s\"}",
                  json_.empty() ? "" : ",\n", name.c_str(), stage.c_str(), at(0.5), at(0.1), at(0.9), bytes, kind.c_str(),
                  output.c_str());
    json_ += line;
  }

  void write(const std::string& output, const void* data, size_t bytes) const {
    std::ofstream file(folder_ + "/" + output, std::ios::binary);
    if (!file.write(static_cast<const char*>(data), bytes)) fail(folder_ + "/" + output + ": cannot be written");
  }

  void print() const { std::printf("{\"peers\":[\n%s\n]}\n", json_.c_str()); }

  Frames frames;
  int trials = 1;

 private:
  std::string folder_, json_;
};

// What a program's main does: reads, measures, prints. A failure is one line on standard error and exit status 1.
template <class Measure>
int runPeer(int count, char** arguments, Measure measure) {
  try {
    Report report(count, arguments);
    measure(report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// Wall-clock times of `work(i)`, i = image to take. Warms up first; stops early once two seconds are spent, not before the third.
template <class Work>
std::vector<double> timeWall(int trials, Work work) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> micros;
  const auto start = Clock::now();
  for (int i = 0; i < 3 && (i == 0 || Clock::now() - start < std::chrono::milliseconds(200)); i++) work(i);
  for (int i = 0; i < trials; i++) {
    const auto begin = Clock::now();
    work(i);
    const auto end = Clock::now();
    micros.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
    if (i >= 2 && end - start > std::chrono::seconds(2)) break;
  }
  return micros;
}
