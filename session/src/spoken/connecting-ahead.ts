import type { SpokenParts } from './spoken-parts.ts'

/**
 * Opens connections to the model and the voice that are asked first, so that no request of the next turn waits for a
 * handshake. None is opened if one is open and unused, and a failure is left to the request itself to report.
 */
export function connectAhead({ models, voices }: Pick<SpokenParts, 'models' | 'voices'>): void {
  void models[0]?.connect?.().catch(() => {})
  void voices[0]?.voice.connect?.().catch(() => {})
}
