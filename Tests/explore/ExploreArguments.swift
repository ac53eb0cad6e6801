/// The arguments of the command line.
struct ExploreArguments {
    var points = 1
    var seed: UInt64 = 1
    /// The only point to explore, with `--point`.
    var point: Int?

    init?(_ arguments: [String]) {
        if arguments.first?.hasPrefix("--") == true {
            guard arguments.count == 4, arguments[0] == "--point", arguments[2] == "--seed",
                let point = Int(arguments[1]), point >= 0, let seed = UInt64(arguments[3])
            else { return nil }
            (self.point, self.seed) = (point, seed)
        } else {
            guard (1...2).contains(arguments.count), let points = Int(arguments[0]), points > 0
            else { return nil }
            self.points = points
            guard arguments.count == 2 else { return }
            guard let seed = UInt64(arguments[1]) else { return nil }
            self.seed = seed
        }
    }
}
