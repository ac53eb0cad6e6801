import Timers

// block 1

extension Screen { func draw(_ missed: Int) {} }
