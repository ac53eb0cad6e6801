internal import CQREncode

/// A QR code: a square of dark and light modules, which are its smallest squares.
public struct QRCode: Equatable, Sendable {
    /// The number of modules in a row, without the margin.
    public let size: Int
    /// Whether each module is dark, row by row.
    private let modules: [Bool]
    /// The width of the light margin that a scanner needs, in modules.
    public static let margin = 4

    /// Makes libqrencode choose the smallest version (size) of a QR code that holds the text.
    private static let smallestVersion: Int32 = 0

    /// Encodes a text as UTF-8. The code stays readable if up to 15 % of it are damaged (error correction level M). Nil if the
    /// text has a null character or more than 2331 bytes. Wraps QRcode_encodeString8bit.
    public init?(_ text: String) {
        guard !text.utf8.contains(0),
            let code = QRcode_encodeString8bit(text, Self.smallestVersion, QR_ECLEVEL_M)
        else { return nil }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        let bytes = UnsafeBufferPointer(start: code.pointee.data, count: size * size)
        // Each byte describes one module. Its lowest bit says whether the module is dark. Its other bits say to which part of
        // the code the module belongs.
        modules = bytes.map { $0 & 1 == 1 }
    }

    /// Whether the module in the column `x` and the row `y` is dark. Columns and rows count from 0, and begin at the upper
    /// left. Everything outside the square is light.
    public func isDark(_ x: Int, _ y: Int) -> Bool {
        guard 0..<size ~= x, 0..<size ~= y else { return false }
        return modules[y * size + x]
    }
}
