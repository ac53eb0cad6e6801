/// The buffer for one read from a channel. All connections of a loop use the same one, because its content is copied at once.
package final class ReadBuffer {
    let bytes: UnsafeMutableRawBufferPointer

    /// `size` is the maximum number of bytes of a read.
    package init(size: Int) {
        bytes = .allocate(byteCount: size, alignment: MemoryLayout<UInt64>.alignment)
    }

    deinit { bytes.deallocate() }
}
