/// A block of code on a Markdown page, between two lines of three backquotes or indented by four spaces.
public struct CodeBlock {
    /// The text of the comment in the line before the block; empty if that line is no comment.
    public var mark = ""
    /// The language that the first line of the block names; empty if the line names none, and for indented code.
    public var language = ""
    public var lines: [String] = []

    /// The blocks of a page, in order.
    public static func blocks(of page: String) -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var (fenced, indented): (CodeBlock?, CodeBlock?) = (nil, nil)
        var lineBefore: Substring = ""
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            defer { lineBefore = line }
            if let block = fenced {
                if line == "```" {
                    blocks.append(block)
                    fenced = nil
                } else {
                    fenced?.lines.append(String(line))
                }
            } else if line.hasPrefix("    ") {
                indented = indented ?? CodeBlock()
                indented?.lines.append(String(line.dropFirst(4)))
            } else if line.isEmpty, indented != nil {
                indented?.lines.append("")
            } else {
                if let block = indented { blocks.append(block.withoutBlankEnd) }
                indented = nil
                guard line.hasPrefix("```") else { continue }
                let isMark = lineBefore.hasPrefix("<!-- ") && lineBefore.hasSuffix(" -->")
                fenced = CodeBlock(
                    mark: isMark ? String(lineBefore.dropFirst(5).dropLast(4)) : "",
                    language: String(line.dropFirst(3)))
            }
        }
        if let block = indented { blocks.append(block.withoutBlankEnd) }
        return blocks
    }

    private var withoutBlankEnd: CodeBlock {
        var block = self
        while block.lines.last == "" { block.lines.removeLast() }
        return block
    }
}
