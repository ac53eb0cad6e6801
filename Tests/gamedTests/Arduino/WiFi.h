#pragma once
#include "Arduino.h"

class Client {};
class WiFiClient : public Client {};
class WiFiClass {
public:
    int begin(const char *network, const char *password);
};
extern WiFiClass WiFi;
