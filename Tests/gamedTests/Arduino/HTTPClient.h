#pragma once
#include "WiFi.h"

class HTTPClient {
public:
    bool begin(String url);
    void addHeader(const String &name, const String &value);
    int POST(String body);
    void end();
};
