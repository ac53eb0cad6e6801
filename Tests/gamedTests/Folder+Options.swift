import GameFlow
import Parts
import ShippedFlows
import TestSupport

@testable import GamedServer

extension Folder {
    /// The options of a daemon whose configuration file is `gamed.conf` in this folder, with these lines.
    func options(_ lines: String) throws -> Options {
        let file = write("gamed.conf", lines)
        guard
            case .run(let options) = try Options.read(["--config", file], flows: AnyFlow.shipped())
        else { throw ChildProcess.Failure(why: "no start") }
        return options
    }
}
