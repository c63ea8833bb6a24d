extern "C" __global__ void histo_count () {}
