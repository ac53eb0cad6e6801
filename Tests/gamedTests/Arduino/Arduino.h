// Declarations of the Arduino core for ESP32, as far as the sketches of Examples/clients use it.
#pragma once
#include <stdint.h>
#include <string.h>

typedef uint8_t byte;
enum { LOW, HIGH, OUTPUT, INPUT_PULLUP, HEX = 16 };

class String {
public:
    String(const char *text);
    String(unsigned number, unsigned char base);
    friend String operator+(const String &, const String &);
};

void setup();
void loop();
void pinMode(int pin, int mode);
int digitalRead(int pin);
void digitalWrite(int pin, int level);
void delay(uint32_t milliseconds);
uint32_t esp_random();
