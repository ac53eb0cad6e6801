import GameFlow

/// Who plays in the tests.
enum Players {
    static let player = Source(Source.Kind("unix"), peer: .process(pid: 11, uid: 22, gid: 33))
}
