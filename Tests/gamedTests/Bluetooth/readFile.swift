import Glibc

/// A file's bytes; nil if it cannot be read.
func readFile(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&room, 1, room.count, file), count > 0 { bytes += room[..<count] }
    return bytes
}
