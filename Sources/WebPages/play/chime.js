const toneSeconds = 0.4;
let context = null;

/** Plays two short tones. Browsers stay silent until the user has touched the page. */
export function chime() {
    context ??= new AudioContext();
    if (context.state !== "running") return void context.resume().catch(() => {});
    tone(660, 0);
    tone(880, 0.15);
}

function tone(hertz, delaySeconds) {
    const start = context.currentTime + delaySeconds;
    const [oscillator, volume] = [new OscillatorNode(context, { frequency: hertz }), new GainNode(context)];
    volume.gain.setValueAtTime(0.2, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + toneSeconds);
    oscillator.connect(volume).connect(context.destination);
    oscillator.start(start);
    oscillator.stop(start + toneSeconds);
}
