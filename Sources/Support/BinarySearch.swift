/// A search in sorted elements, which are given by their indices.
public enum BinarySearch {
    /// Returns for how many of the indices `0..<count` `belongs` is true. `belongs` must be true for the first of them, and false
    /// for all later ones; it may be false for all. The result is thus the first index for which it is false.
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
