// The build's packing tool; see cmake/EmbedDirectory.cmake.
#include <fstream>

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::string name_space = argv[3];
  std::ofstream(argv[5]) << "#include <span>\n#include \"document/pack.hpp\"\nnamespace " << name_space
                         << " {\nstd::span<const document::PackedFile> " << argv[4]
                         << "() { return {}; }\n}\n";
  return 0;
}
