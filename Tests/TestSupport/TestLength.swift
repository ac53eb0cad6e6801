internal import Glibc

/// The number of cases of tests that can try any number. `make test` takes minutes, `make test-long` half an hour.
public enum TestLength {
    /// Whether `GAMED_TEST_LONG` is set.
    public static let isLong = getenv("GAMED_TEST_LONG") != nil

    /// `usual` in `make test`, and `long` in `make test-long`.
    public static func count(_ usual: Int, long: Int) -> Int { isLong ? long : usual }
}
