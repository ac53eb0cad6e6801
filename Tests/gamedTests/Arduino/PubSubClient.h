#pragma once
#include "WiFi.h"

class PubSubClient {
public:
    PubSubClient(const char *host, uint16_t port, void (*callback)(char *, uint8_t *, unsigned int), Client &client);
    bool connected();
    bool connect(const char *id);
    bool subscribe(const char *topic);
    bool publish(const char *topic, const char *payload);
    bool loop();
};
