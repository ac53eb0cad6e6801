#include "shim.h"

#include "library.h"

DEFINE_LIBRARY("libz.so.1")

LIBRARY_FUNCTION(uLong, crc32, (uLong crc, const Bytef *buf, uInt len), (crc, buf, len))
LIBRARY_FUNCTION(uLong, crc32_z, (uLong crc, const Bytef *buf, z_size_t len), (crc, buf, len))
LIBRARY_FUNCTION(int, deflate, (z_streamp strm, int flush), (strm, flush))
LIBRARY_FUNCTION(uLong, deflateBound, (z_streamp strm, uLong sourceLen), (strm, sourceLen))
LIBRARY_FUNCTION(int, deflateEnd, (z_streamp strm), (strm))
LIBRARY_FUNCTION(int, deflateInit2_, (z_streamp strm, int level, int method, int windowBits, int memLevel, int strategy, const char *version, int stream_size), (strm, level, method, windowBits, memLevel, strategy, version, stream_size))
