const toneSeconds = 0.4;
let audio = null;

/** Plays two short tones. Browsers stay silent until the user has touched the page. */
export function chime() {
    audio ??= new AudioContext();
    if (audio.state !== "running") return void audio.resume().catch(() => {});
    playTone(660, 0);
    playTone(880, 0.15);
}

function playTone(hertz, delaySeconds) {
    const start = audio.currentTime + delaySeconds;
    const [oscillator, volume] = [new OscillatorNode(audio, { frequency: hertz }), new GainNode(audio)];
    volume.gain.setValueAtTime(0.2, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + toneSeconds);
    oscillator.connect(volume).connect(audio.destination);
    oscillator.start(start);
    oscillator.stop(start + toneSeconds);
}
