import GameFlow

/// Prints who pressed first: the result of the method `presses`.
extension Printer {
    /// One line for each press: the place, who it was, how much later than the first, and the error of a refused press.
    func presses(_ result: Value) throws(CommandError) -> [String] {
        let presses = try result.list("presses")
        guard !presses.isEmpty else { return ["no press"] }
        var table = Table()
        for (index, press) in presses.enumerated() {
            table.add([
                "\(index + 1).", try press.escapedText("by"), "+\(try press.number("afterMs")) ms",
                try press.escapedText("result"),
            ])
        }
        let more = result.find("more") == nil ? [] : ["and \(try result.number("more")) more"]
        let isComplete = try result.boolean("complete")
        return table.lines(terminal) + more + (isComplete ? [] : ["earlier presses may be missing"])
    }
}
