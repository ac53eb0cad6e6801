/// A request of `gamectl top`, and what its reply is for.
struct TopRequest {
    enum Purpose: Equatable {
        case status(String)
        case description(of: String)
        case history(of: String)
        case alerts
        /// An operator's command, such as `undo`, or an event.
        case command(String)
    }

    let request: Request
    let purpose: Purpose
}
