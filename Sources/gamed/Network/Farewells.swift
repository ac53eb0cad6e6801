/// How many connections are over but for their last bytes, which are on their way through TLS.
final class Farewells {
    var count = 0
}
