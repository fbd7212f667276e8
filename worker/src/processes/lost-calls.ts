import type { LostCall } from './running-calls.ts'
import type { Sentences } from '../sentences.ts'

/**
 * A process broke while it ran calls. Their callers hear so and are hung up on; the gateway, which hears no sign of
 * life any more, ends each call and creates its callback, once, however many processes saw it.
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
