import GameFlow

enum Onboarding { case accountLoader, welcome }
enum OnboardingEvent { case accountLoaderFinished, startFlowTapped }

// block 1
