import HTTP

/// A cache of the compressed files of the web pages. `PageAsset` gets a file from it for a browser that accepts gzip. A file is
/// compressed when it is first requested. Compression reduces the players' page to a third of its size.
package final class CompressedPages {
    /// The compressed contents, by the names of the files; the value nil for files that compression does not make smaller.
    private var cache: [String: [UInt8]?] = [:]

    /// The compressed contents of a file; nil if they are not smaller than the file.
    package func bytes(of asset: PageAsset) -> [UInt8]? {
        if let bytes = cache[asset.name] { return bytes }
        let bytes = Gzip.compress(asset.bytes).flatMap { $0.count < asset.bytes.count ? $0 : nil }
        // `.some`, because the assignment of nil would remove the entry.
        cache[asset.name] = .some(bytes)
        return bytes
    }
}
