#include "shim.h"

#include "library.h"

DEFINE_LIBRARY("libqrencode.so.4")

LIBRARY_FUNCTION(QRcode *, QRcode_encodeString8bit, (const char *string, int version, QRecLevel level), (string, version, level))
LIBRARY_FUNCTION(void, QRcode_free, (QRcode *qrcode), (qrcode))
