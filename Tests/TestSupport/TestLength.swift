internal import Glibc

/// The number of cases of those tests that can try any number of cases.
public enum TestLength {
    /// Whether `GAMED_TEST_LONG` is set.
    public static let isLong = getenv("GAMED_TEST_LONG") != nil

    /// `usual` in `make test`, and `long` in `make test-long`.
    public static func count(_ usual: Int, long: Int) -> Int { isLong ? long : usual }
}
