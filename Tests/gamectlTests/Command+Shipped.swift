import GameFlow
import TestSupport

@testable import GamectlTool

extension Command {
    /// Reads the arguments of a gamectl with the shipped flows.
    static func read(_ arguments: [String]) throws(CommandError) -> Command {
        try read(arguments, flows: AnyFlow.shipped())
    }
}
