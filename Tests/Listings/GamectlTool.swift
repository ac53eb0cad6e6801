import Lock

typealias HeistFlow = Lock

// block 1
