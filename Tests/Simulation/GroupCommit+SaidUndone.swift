import Durability
import Sessions

extension GroupCommit.Outcome {
    /// The same, with whatever may be on the disk all the same said to be undone.
    var saidUndone: Self {
        guard case .failed(.storage(let why, .unknown)) = self else { return self }
        return .failed(.storage(why: why, outcome: .undone))
    }
}
