import type { LostCall } from './running-calls.ts'
import type { Sentences } from '../sentences.ts'

/**
 * A process broke while it ran calls. Their callers are told and let go; the gateway, which hears no sign of life
 * any more, ends each call and writes down whom to call back, once, whoever else may have seen it.
 */
export async function tellLostCaller(
  sentences: Sentences,
  { language, callsBack, caller }: LostCall,
): Promise<void> {
  if (!caller) return // a browser notices by itself
  try {
    await sentences.play('lost', language, callsBack, caller.terms)
  } finally {
    await caller.dialog.bye()
  }
}
