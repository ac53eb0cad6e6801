import GameFlow

enum Screen { case login, createProfile, finished }
enum Action { case next, login }

// block 1
