/// Counts connections that are closed except for their last bytes, which are still being sent
/// through TLS.
final class Farewells {
    var count = 0
}
