/// A cache of compressed page files. A file is compressed when a client first requests it. Compression reduces the players'
/// page to a third of its size.
final class CompressedPages {
    /// The compressed contents, by the names of the files; nil for files that compression does not make smaller.
    private var cache: [String: [UInt8]?] = [:]

    /// The compressed contents of a file; nil if they are not smaller than the file.
    func bytes(of asset: PageAsset) -> [UInt8]? {
        if let bytes = cache[asset.name] { return bytes }
        let bytes = Gzip.compress(asset.bytes).flatMap { $0.count < asset.bytes.count ? $0 : nil }
        cache[asset.name] = .some(bytes)
        return bytes
    }
}
