// Only the daemon uses this; `InlineArray` needs macOS 26 and iOS 26.
#if canImport(Glibc)
    /// Counts values in buckets whose upper limits double. Adding a value takes a few instructions, and no memory.
    public struct Histogram: Sendable {
        /// The number of buckets with a limit. A value above the last limit is in a bucket of its own.
        public static let bucketCount = 20
        /// The upper limit of the first bucket is 2 to the power of this number.
        private let firstExponent: Int
        /// Inline, so that adding a value needs no check whether somebody else has the memory. The size is `bucketCount` and one.
        private var counts = InlineArray<21, Int>(repeating: 0)
        /// The sum of all values.
        public private(set) var sum = 0

        /// The upper limits are 2 to the power of `firstExponent`, then twice as much each.
        private init(firstExponent: Int) { self.firstExponent = firstExponent }

        /// For times in nanoseconds: the limits are 65.536 µs to 34.36 s.
        public static var times: Histogram { Histogram(firstExponent: 16) }
        /// For numbers: the limits are 1 to 524 288.
        public static var numbers: Histogram { Histogram(firstExponent: 0) }

        /// Adds a value. A negative one counts as 0.
        public mutating func add(_ value: Int) {
            let value = max(0, value)
            // The number of bits of `value - 1` is the least exponent whose power is not below the value.
            let exponent = value == 0 ? 0 : Int.bitWidth - (value - 1).leadingZeroBitCount
            counts[min(max(0, exponent &- firstExponent), Self.bucketCount)] &+= 1
            sum &+= value
        }

        /// Adds the value 0.
        public mutating func addZero() { counts[0] &+= 1 }

        /// Adds the values of another histogram with the same limits.
        public mutating func add(_ other: Histogram) {
            for index in counts.indices { counts[index] &+= other.counts[index] }
            sum &+= other.sum
        }

        /// The number of values.
        public var count: Int { counts.indices.reduce(0) { $0 + counts[$1] } }

        /// The upper limit of each bucket, and the number of values up to it.
        public var buckets: [(limit: Int, count: Int)] {
            var total = 0
            return (0..<Self.bucketCount).map { index in
                total += counts[index]
                return (1 << (firstExponent + index), total)
            }
        }
    }
#endif
