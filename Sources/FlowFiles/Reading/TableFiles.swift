internal import GameFlow
internal import Support

/// Where the table files of a flow are: beside the flow file, or in a journal with the flow's text.
enum TableFiles {
    /// In the directory of the flow file at this path.
    case beside(String)
    /// These files, which were read before.
    case recorded([FlowSource.TableFile])

    /// Returns the bytes of a table file.
    func read(_ name: String) throws(FlowFileText.ReadError) -> [UInt8] {
        switch self {
        case .beside:
            return try FlowFileText.read(path(of: name), limit: .tableBytes, followsLinks: false)
        case .recorded(let files):
            guard let file = files.first(where: { $0.name.hasSameBytes(as: name) }) else {
                throw FlowFileText.ReadError(why: "there is no such file")
            }
            guard file.bytes.count <= FlowFileLimit.tableBytes.maximum else {
                throw FlowFileText.ReadError(why: FlowFileLimit.tableBytes.sentence)
            }
            return file.bytes
        }
    }

    /// The path of a table file, which begins findings about the file.
    func path(of name: String) -> String {
        guard case .beside(let path) = self, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        else {
            return name
        }
        return path[...slash] + name
    }
}
