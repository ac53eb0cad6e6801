@_exported import CoreMetrics
