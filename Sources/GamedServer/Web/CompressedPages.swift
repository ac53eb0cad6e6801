/// The files of the pages, compressed when a client asks for them first. A players' page is thus a third as large.
final class CompressedPages {
    private var known: [String: [UInt8]] = [:]

    /// The compressed contents of a file; nil if they are not smaller.
    func bytes(of asset: PageAsset) -> [UInt8]? {
        if let bytes = known[asset.name] { return bytes }
        guard let bytes = Gzip.compress(asset.bytes), bytes.count < asset.bytes.count else {
            return nil
        }
        known[asset.name] = bytes
        return bytes
    }
}
