// A buzzer for an ESP32: a button between pin 4 and ground presses over MQTT; a lamp at pin 2 shows an open question.
#include <PubSubClient.h>
#include <WiFi.h>

const int button = 4, lamp = 2;
WiFiClient wifi;
PubSubClient mqtt("192.168.1.10", 1883, [](char *, byte *state, unsigned length) {
    digitalWrite(lamp, length == 8 && !memcmp(state, "question", 8));
}, wifi);

void setup() {
    pinMode(button, INPUT_PULLUP);
    pinMode(lamp, OUTPUT);
    WiFi.begin("network", "password");
}

void loop() {
    if (!mqtt.connected() && mqtt.connect("buzzer-red")) mqtt.subscribe("gamed/main/state");
    static bool wasPressed = false;
    bool isPressed = digitalRead(button) == LOW;
    if (isPressed && !wasPressed) mqtt.publish("buzzer/red", "pressed");
    wasPressed = isPressed;
    mqtt.loop();
    delay(10);
}
