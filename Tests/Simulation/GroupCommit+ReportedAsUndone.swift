import Durability
import Sessions

extension GroupCommit.Outcome {
    /// The same outcome, with an unknown one reported as undone.
    var reportedAsUndone: Self {
        guard case .failed(.storage(let why, .unknown)) = self else { return self }
        return .failed(.storage(why: why, outcome: .undone))
    }
}
