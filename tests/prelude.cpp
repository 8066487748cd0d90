// Carries the headers that every test includes; see CMakeLists.txt.
