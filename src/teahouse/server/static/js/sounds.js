// Synthesised sounds.

/** @type {AudioContext | null} */
let context = null;

/** Return the audio context, or null while sounds are off or the browser does not allow them. */
function ready() {
  if (!preferences.get().sounds) return null;
  if (!navigator.userActivation?.hasBeenActive) return null;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  return context;
}

/**
 * @typedef {object} Tone
 * @property {number} frequency in Hz
 * @property {number} duration in seconds
 * @property {number} gain
 * @property {number} [delay] in seconds
 * @property {OscillatorType} [type]
 * @property {number} [bend] the final frequency, as a factor
 */

/**
 * @param {AudioContext} audio
 * @param {Tone} tone
 */
function play(audio, { frequency, duration, gain, delay = 0, type = "sine", bend = 1 }) {
  const start = audio.currentTime + delay;
  const end = start + duration;
  const oscillator = audio.createOscillator();
  const envelope = audio.createGain();
  oscillator.type = type;
  oscillator.frequency.setValueAtTime(frequency, start);
  oscillator.frequency.exponentialRampToValueAtTime(frequency * bend, end);
  envelope.gain.setValueAtTime(0, start);
  envelope.gain.linearRampToValueAtTime(gain, start + 0.004);
  envelope.gain.exponentialRampToValueAtTime(0.0001, end);
  oscillator.connect(envelope).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(end + 0.02);
}

/**
 * Play the sound of a move; the opponent's is higher.
 * @param {boolean} own
 */
export function playMove(own) {
  const audio = ready();
  if (!audio) return;
  const frequency = own ? 240 : 300;
  play(audio, { frequency, duration: 0.09, gain: 0.22, type: "triangle", bend: 0.55 });
  const click = { duration: 0.025, gain: 0.05, bend: 0.6 };
  play(audio, { frequency: frequency * 4.1, type: "square", ...click });
}

/** Play the sound of an offer or a chat message. */
export function playNotification() {
  const audio = ready();
  if (audio) play(audio, { frequency: 880, duration: 0.12, gain: 0.06 });
}

/** Play the sound of the end of a game. */
export function playGameOver() {
  const audio = ready();
  if (!audio) return;
  for (const [index, frequency] of [392, 587.3, 784].entries()) {
    play(audio, { frequency, delay: 0.09 * index, duration: 1.6, gain: 0.07 });
  }
}
