extension QRCode {
    /// The code as an SVG document: black on white, with the margin. One unit of the document's coordinates is one module. The
    /// document has no size in pixels: the page that shows the document sets the size.
    public var svg: String {
        let width = size + 2 * Self.margin
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(width)" \
            shape-rendering="crispEdges"><path fill="#fff" d="M0 0h\(width)v\(width)H0z"/>\
            <path d="\(path)"/></svg>
            """
    }

    /// The data of an SVG path: one rectangle for each run of dark modules in a row.
    private var path: String {
        var path = ""
        for y in 0..<size {
            var x = 0
            while x < size {
                let length = (x..<size).prefix { isDark($0, y) }.count
                if length > 0 {
                    path += "M\(x + Self.margin) \(y + Self.margin)h\(length)v1h-\(length)z"
                }
                x += length + 1
            }
        }
        return path
    }
}
