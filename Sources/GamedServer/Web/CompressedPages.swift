/// The files of the pages, compressed when a client asks for them first. A players' page is thus a third as large.
final class CompressedPages {
    /// Nil for files that are not smaller.
    private var known: [String: [UInt8]?] = [:]

    /// The compressed contents of a file; nil if they are not smaller.
    func bytes(of asset: PageAsset) -> [UInt8]? {
        if let bytes = known[asset.name] { return bytes }
        let bytes = Gzip.compress(asset.bytes).flatMap { $0.count < asset.bytes.count ? $0 : nil }
        known[asset.name] = .some(bytes)
        return bytes
    }
}
