/// What the players' screens show in a state of a flow whose texts depend on data.
package struct ShownScreen: Equatable {
    /// The texts and the names of files, by the keys of `show`. Those that are empty or cannot be computed are left out.
    package var members: [Member] = []
    /// The keys of `show` whose values cannot be computed, for example because of a division by zero.
    package var failures: [String] = []

    package init() {}
}
