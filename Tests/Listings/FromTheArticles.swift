import GameFlow
import Timers

nonisolated enum AppState: Equatable {
    case launching
    case ready(userID: String)

    static func reduce(_ state: AppState, _ event: AppEvent) -> AppState? { nil }
}
nonisolated enum AppEvent { case loaded }
nonisolated enum Page { case login, createProfile, finished }
nonisolated enum Tap { case next, login }

let clock = VirtualClock()
// block 1
// block 2
