extension [UInt8] {
    /// The bytes without the mark with which some editors begin a file in UTF-8.
    public var withoutByteOrderMark: ArraySlice<UInt8> {
        starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...]
    }
}
