/// A search in sorted elements, which are given by their indices.
public enum BinarySearch {
    /// Returns the number of indices in `0..<count` for which `belongs` is true. These indices must come before all indices for
    /// which `belongs` is false. So the result is the first index for which `belongs` is false, or `count` if there is no such
    /// index.
    @inlinable @inline(__always)
    public static func prefixCount(_ count: Int, _ belongs: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongs(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
