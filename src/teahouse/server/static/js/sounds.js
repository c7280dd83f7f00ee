// Sounds, made on the spot: wood on wood, a bowl that rings.

let context = null;

/** The sound system, once the person has done something: browsers want it so. */
function ready() {
  if (!globalThis.look.settings().sounds) return null;
  if (!navigator.userActivation?.hasBeenActive) return null;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  return context;
}

function tone(frequency, { after = 0, length, loud, type = "sine", fall = 1 }) {
  const at = context.currentTime + after;
  const source = context.createOscillator();
  const volume = context.createGain();
  source.type = type;
  source.frequency.setValueAtTime(frequency, at);
  source.frequency.exponentialRampToValueAtTime(frequency * fall, at + length);
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(loud, at + 0.004);
  volume.gain.exponentialRampToValueAtTime(0.0001, at + length);
  source.connect(volume).connect(context.destination);
  source.start(at);
  source.stop(at + length + 0.02);
}

/** A piece is put down; a little higher if it was another's. */
export function knock(own) {
  if (!ready()) return;
  const pitch = own ? 240 : 300;
  tone(pitch, { length: 0.09, loud: 0.22, type: "triangle", fall: 0.55 });
  tone(pitch * 4.1, { length: 0.025, loud: 0.05, type: "square", fall: 0.6 });
}

/** Somebody asks, joins or speaks. */
export function tap() {
  if (ready()) tone(880, { length: 0.12, loud: 0.06 });
}

/** The game is over. */
export function bowl() {
  if (!ready()) return;
  [392, 587.3, 784].forEach((pitch, place) =>
    tone(pitch, { after: 0.09 * place, length: 1.6, loud: 0.07 }),
  );
}
