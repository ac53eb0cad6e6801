internal import Glibc

/// How much a test tries that could go on for hours: `make test` has minutes, `make test-long` has longer.
public enum TestLength {
    /// Whether `GAMED_TEST_LONG` is set.
    public static let isLong = getenv("GAMED_TEST_LONG") != nil

    /// So many in `make test`, and so many in `make test-long`.
    public static func count(_ usual: Int, long: Int) -> Int { isLong ? long : usual }
}
