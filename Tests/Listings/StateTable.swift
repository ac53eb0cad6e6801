import GameFlow

nonisolated enum Profile { case createProfile, facebookProfile }
nonisolated struct Screens {
    // block 1
}
