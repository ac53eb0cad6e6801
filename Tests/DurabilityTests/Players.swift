import GameFlow

/// The source of the requests of tests.
enum Players {
    static let player = Source(Source.Kind("unix"), peer: .process(pid: 11, uid: 22, gid: 33))
}
