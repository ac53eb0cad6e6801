#include "shim.h"

#include "library.h"

DEFINE_LIBRARY("libdeflate.so.0")

LIBRARY_FUNCTION(uint32_t, libdeflate_crc32, (uint32_t crc, const void *buffer, size_t len), (crc, buffer, len))
LIBRARY_FUNCTION(struct libdeflate_compressor *, libdeflate_alloc_compressor, (int compression_level), (compression_level))
LIBRARY_FUNCTION(size_t, libdeflate_gzip_compress_bound, (struct libdeflate_compressor *compressor, size_t in_nbytes), (compressor, in_nbytes))
LIBRARY_FUNCTION(size_t, libdeflate_gzip_compress, (struct libdeflate_compressor *compressor, const void *in, size_t in_nbytes, void *out, size_t out_nbytes_avail), (compressor, in, in_nbytes, out, out_nbytes_avail))
LIBRARY_FUNCTION(void, libdeflate_free_compressor, (struct libdeflate_compressor *compressor), (compressor))
