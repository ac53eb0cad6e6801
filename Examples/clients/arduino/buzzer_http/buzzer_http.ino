// A buzzer for an ESP32: a button between pin 4 and ground presses over HTTP.
#include <HTTPClient.h>
#include <WiFi.h>

const int button = 4;

void setup() {
    pinMode(button, INPUT_PULLUP);
    WiFi.begin("network", "password");
}

void loop() {
    if (digitalRead(button) == HIGH) return;
    HTTPClient http;
    http.begin("http://192.168.1.10:8080/v1/send/main/buzz");
    http.addHeader("Authorization", "Bearer 33f2…");
    http.addHeader("Content-Type", "application/x-www-form-urlencoded");
    http.addHeader("Idempotency-Key", String(esp_random(), HEX) + String(esp_random(), HEX));
    // A press that was not answered is repeated with the same key, so it counts once.
    for (int tries = 0; tries < 3 && http.POST("player=red") < 0; tries++) delay(100);
    http.end();
    while (digitalRead(button) == LOW) delay(20);
}
